import { messageOf } from "../base/text.ts";
import { type Failure, fail } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { CheckedQuestion } from "../contract/gate.ts";
import { describeNetwork } from "../contract/network.ts";
import { type Observation, observation as observationSchema, type PermissionFacts } from "../contract/observation.ts";
import type { RawResult, Tool } from "../contract/tool.ts";
import type { HookAnswer, HookRemark, Permit } from "../contract/verdict.ts";
import { createJournal, type Journal } from "../execution/journal.ts";
import { type ExecutionEnd, type Hold, runInvocation, type ToolInvocation } from "../execution/run-invocation.ts";
import { recordChanges } from "../execution/watch-command.ts";
import { postToolUse } from "../gate/hooks/occasion.ts";
import { observe } from "../observation/observe.ts";
import type { CallState, SessionParts } from "./parts.ts";
import { observedIn, permitInvalid } from "./refusal.ts";
import { toolContext } from "./tool-context.ts";

export interface PermittedCall {
  readonly question: CheckedQuestion;
  readonly permit: Permit;
  readonly permission: PermissionFacts;
  readonly hooked?: HookAnswer;
  readonly aside?: Hold;
  readonly before: readonly EventDraft[];
}

interface EndedCall extends PermittedCall {
  readonly invocation: ToolInvocation;
  readonly journal: Journal;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly end: ExecutionEnd;
}

interface ToldCall extends EndedCall {
  readonly auditId: string;
  readonly remarks: readonly HookRemark[];
  readonly stop?: string;
}

export function planInvocation(
  { runtime }: SessionParts,
  { question: { checked }, permit }: PermittedCall,
  lane: string,
): ToolInvocation {
  const timeoutMs = checked.tool.timeoutMs(checked.input as never);
  return { id: runtime.ids.next("inv"), checked, permit, timeoutMs, lane };
}

export function startedEvent(
  { runtime, execution }: SessionParts,
  { id: invocationId, checked, permit, lane, timeoutMs }: ToolInvocation,
  question: CheckedQuestion,
): EventDraft {
  const { name: tool, version, source: kind } = checked.tool;
  const confinement = checked.tool.confinement?.() ?? question.confinement;
  const { backend, enforces } = execution.sandbox.description;
  const { readable, writable, view } = permit.sandbox;
  const access = { readable: [...readable], writable: [...writable], network: describeNetwork(permit.sandbox.network) };
  const { command } = permit;
  return {
    type: "tool_invocation.started",
    data: {
      ...{ invocationId, intentId: checked.intent.id, tool, version },
      executor: { kind, gauntlet: runtime.version, pid: runtime.pid },
      ...{ digest: permit.digest, lane, timeoutMs },
      effects: [...permit.effects],
      command: command && { text: command.text, cwd: command.cwd.resolved },
      // The sandbox of commands does not confine a server.
      ...(confinement === undefined ? { sandbox: { backend, enforces, ...access, view } } : { confinement }),
    },
  };
}

export async function execute(
  call: CallState,
  permitted: PermittedCall,
  invocation: ToolInvocation,
): Promise<EndedCall> {
  const { session, trial, interruption } = call;
  const { clock } = session.runtime;
  const { question, permission, aside = (wait) => wait() } = permitted;
  const journal = createJournal();
  const startedAt = clock.now();
  const agreed = permission.answeredBy !== undefined;
  const end = await runInvocation({
    invocation,
    redeem: (permit) => session.gate.redeem(permit),
    invalid: permitInvalid,
    context: (signal, hold) =>
      toolContext(session, invocation, { journal, signal, hold, aside, question, agreed, trial }),
    journal,
    interrupt: interruption,
  });
  const endedAt = clock.now();
  return { ...permitted, invocation, journal, startedAt, endedAt, end: await checkOutput(question.checked.tool, end) };
}

async function checkOutput({ name, output }: Tool, end: ExecutionEnd): Promise<ExecutionEnd> {
  if (output === undefined || !end.result.ok) return end;
  const invalid = (why: string): ExecutionEnd => ({ exit: "error", result: fail("output_invalid", `${name} ${why}`) });
  try {
    const { issues } = await output["~standard"].validate(end.result.data);
    const [issue] = issues ?? [];
    return issue === undefined ? end : invalid(`returned something its own schema rejects: ${issue.message}`);
  } catch (error) {
    return invalid(`could not check its own result: ${messageOf(error)}`);
  }
}

/** Hooks, then the observation, then all facts of the call in one append. */
export async function recordEnd(call: CallState, ended: EndedCall): Promise<Observation> {
  const { session, intent } = call;
  const { invocation, journal, end, startedAt, endedAt, hooked } = ended;
  const after = await runHooksAfter(call, ended);
  const auditId = session.runtime.ids.next("evt");
  const remarks = [...remarksBefore(hooked), ...after.remarks];
  const told: ToldCall = { ...ended, auditId, remarks, stop: after.stop ?? hooked?.stop };
  const { observation, stored: kept } = observeSafely(call, told);
  const ids = { intentId: intent.id, invocationId: invocation.id };
  const { code, model } = observation;
  const stored = session.log.append([
    { type: "tool_invocation.ended", data: { ...ids, exit: end.exit, code, durationMs: endedAt - startedAt } },
    ...(model.truncated ? journal.facts.map(notAllShown) : journal.facts),
    ...[...journal.artifacts, ...kept].map(
      (artifact): EventDraft => ({ type: "artifact.stored", data: { invocationId: invocation.id, artifact } }),
    ),
    ...after.records,
    { type: "tool.observed", id: auditId, data: { ...ids, observation } },
  ]);
  const final = stored.ok ? observation : notWritten(call, told, stored.failure);
  session.runtime.notify({ kind: "observed", observation: final });
  return final;
}

/** Hooks see the uncut result and cannot undo that the tool ran. Never rejects. */
async function runHooksAfter(
  { session: { hooks }, interruption }: CallState,
  { question, end, journal, invocation, startedAt, endedAt }: EndedCall,
) {
  if (hooks === undefined || interruption.aborted) return { remarks: [], records: [] };
  const occasion = postToolUse(question, end.result, endedAt - startedAt);
  const ran = await hooks.run(occasion, { invocationId: invocation.id, signal: interruption });
  const { answer, records } = ran;
  recordChanges({ journal, invocationId: invocation.id }, ran.changed);
  const feedback = answer.decision === "deny" ? [{ hook: occasion.event, text: answer.reason }] : [];
  return { remarks: [...feedback, ...(answer.remarks ?? [])], records, stop: answer.stop };
}

function remarksBefore({ revision, remarks = [] }: Partial<HookAnswer> = {}): readonly HookRemark[] {
  if (revision === undefined) return remarks;
  const text = `The input of this call was changed before it was judged: ${JSON.stringify(revision.input)}`;
  return [{ hook: revision.hook, text }, ...remarks];
}

/** Lines that the turn's budget cut were not shown, even if the tool returned them. */
function notAllShown(fact: EventDraft): EventDraft {
  return fact.type === "file.read" && fact.data.shown ? { ...fact, data: { ...fact.data, shown: undefined } } : fact;
}

/** A call whose tool fails in `summarize` is still recorded. */
function observeSafely(call: CallState, told: ToldCall) {
  try {
    const made = observeEnd(call, told);
    // A summary from outside code is checked in the form in which it will be stored.
    const { source } = told.question.checked.tool;
    if (source !== "builtin" && source !== "mcp")
      observationSchema().parse(JSON.parse(JSON.stringify(made.observation)));
    return made;
  } catch (error) {
    const message = `The result could not be summarised: ${messageOf(error)}`;
    return observeEnd(call, told, { code: "output_invalid", message, happened: "done" });
  }
}

/** The call had its effect, but the log could not be written: the caller must know both. */
function notWritten(call: CallState, told: ToldCall, failure: Failure): Observation {
  const message = `The call ran, but its end could not be recorded: ${failure.message}`;
  const { recovery } = failure;
  const { observation } = observeEnd(call, told, { code: "log_unavailable", message, recovery });
  return { ...observation, phase: "write_back" };
}

/** If a failure replaces the result, the tool does not summarise it. */
function observeEnd(call: CallState, told: ToldCall, instead?: Failure) {
  const { journal, invocation, startedAt, endedAt, auditId, remarks, stop, question } = told;
  const { checked, report } = question;
  const result: RawResult<unknown> = instead === undefined ? told.end.result : { ok: false, failure: instead };
  return observe({
    ...observedIn(call),
    ...{ invocationId: invocation.id, toolName: checked.tool.name, startedAt, endedAt, auditId, remarks, stop },
    ...(instead === undefined && { tool: checked.tool, input: checked.input }),
    ending: { kind: "ended", result },
    effects: { declared: report.effects, seen: journal.seen },
    permission: permissionOf(told),
    narrower: report.narrower,
    kept: journal.artifacts,
    sandboxUsed: journal.ranProcess,
  });
}

/** A call that was refused for its changes was refused by the second verdict, not by the one that let it run. */
function permissionOf({ permission, journal: { judged } }: EndedCall): PermissionFacts {
  if (judged === undefined) return permission;
  const { suggestedRules, ...facts } = judged;
  const { rule: _, suggestedRules: __, ...rest } = permission;
  return { ...rest, ...facts, ...(suggestedRules && { suggestedRules: [...suggestedRules] }) };
}
