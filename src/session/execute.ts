import { messageOf } from "../base/text.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { CheckedQuestion, GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import { describeNetwork } from "../contract/network.ts";
import { type Observation, observation as observationSchema, type PermissionFacts } from "../contract/observation.ts";
import type { RawResult, Tool } from "../contract/tool.ts";
import type { HookAnswer, HookRemark, Permit } from "../contract/verdict.ts";
import { createJournal, type Journal } from "../execution/journal.ts";
import { type ExecutionEnd, type Hold, runInvocation, type ToolInvocation } from "../execution/run-invocation.ts";
import { laneName } from "../execution/scheduler.ts";
import { recordChanges } from "../execution/watch-changes.ts";
import { postToolUse } from "../gate/hooks/occasion.ts";
import { observe } from "../observation/observe.ts";
import { type CallState, cancelledBeforeStart, laneOf, type SessionParts, titleOf } from "./parts.ts";
import { privatePaths } from "./paths.ts";
import { recordRefusal } from "./refusal.ts";
import { toolContext } from "./tool-context.ts";

export interface PermittedCall {
  readonly question: CheckedQuestion;
  readonly permit: Permit;
  readonly permission: PermissionFacts;
  /** What hooks said before. */
  readonly hooked?: HookAnswer | undefined;
  /** Lets other calls pass while somebody thinks about what this one changed. */
  readonly aside?: Hold;
  /** Facts that are not stored yet; they are made durable together with the start. */
  readonly before: readonly EventDraft[];
}

/** From the permit to the recorded observation: the start is durable before the tool runs. */
export async function runPermitted(walk: CallState, call: PermittedCall): Promise<Observation> {
  const { session } = walk;
  const { checked } = call.question;
  const { tool } = checked;
  if (walk.interruption.aborted) return recordRefusal(walk, cancelledBeforeStart, call.before, call);
  const invocation = plan(session, checked, call.permit);
  const started = await session.log.appendTogether([...call.before, startedEvent(session, invocation, call.question)]);
  if (!started.ok)
    return recordRefusal(walk, { ...started.failure, phase: "write_back", happened: "nothing" }, [], call);
  session.notify({ kind: "started", intentId: walk.intent.id, tool: tool.name, title: titleOf(checked) });

  const journal = createJournal();
  const startedAt = session.clock.now();
  const end = await runInvocation({
    invocation,
    redeem: (permit) => session.gate.redeem(permit),
    context: (signal, hold) =>
      toolContext(session, invocation, {
        journal,
        signal,
        hold,
        aside: call.aside ?? ((wait) => wait()),
        question: call.question,
        agreed: call.permission.answeredBy !== undefined,
      }),
    journal,
    interrupt: walk.interruption,
  });
  const endedAt = session.clock.now();
  const ended = { ...call, invocation, journal, startedAt, endedAt, end: await checkOutput(tool, end) };
  return conclude(walk, { ...ended, after: await runHooksAfter(walk, ended) });
}

function plan(session: SessionParts, checked: CheckedIntent, permit: Permit): ToolInvocation {
  return {
    id: session.ids.next("inv"),
    checked,
    permit,
    timeoutMs: checked.tool.timeoutMs(checked.input as never),
    lane: laneName(laneOf(checked)),
  };
}

interface Ended extends PermittedCall {
  readonly invocation: ToolInvocation;
  readonly journal: Journal;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly end: ExecutionEnd;
  readonly after: AfterTool;
}

async function conclude(walk: CallState, ended: Ended): Promise<Observation> {
  const { session, intent } = walk;
  const { invocation, journal, end, endedAt } = ended;
  const auditId = session.ids.next("evt");
  const made = observeSafely(walk, ended, { endedAt, auditId });
  const { observation } = made;
  const stored = await session.log.appendTogether([
    {
      type: "tool_invocation.ended",
      data: {
        invocationId: invocation.id,
        intentId: intent.id,
        exit: end.exit,
        code: observation.code,
        durationMs: endedAt - ended.startedAt,
      },
    },
    ...(observation.model.truncated ? journal.facts.map(notAllShown) : journal.facts),
    ...[...journal.artifacts, ...made.stored].map((artifact) => ({
      type: "artifact.stored" as const,
      data: { invocationId: invocation.id, artifact },
    })),
    ...ended.after.records,
    {
      type: "tool.observed",
      id: auditId,
      data: { intentId: intent.id, invocationId: invocation.id, observation },
    },
  ]);
  const told = stored.ok ? observation : notWritten(walk, ended, stored.failure, { endedAt, auditId });
  session.notify({ kind: "observed", observation: told });
  return told;
}

/** Lines that the turn's budget cut were not shown, whatever the tool handed over. */
function notAllShown(fact: EventDraft): EventDraft {
  if (fact.type !== "file.read" || fact.data.shown !== true) return fact;
  const { shown: _, ...data } = fact.data;
  return { ...fact, data };
}

interface Stamp {
  readonly endedAt: number;
  readonly auditId: string;
}

/** A tool whose own summary throws, or is none, still ends as a fact. */
function observeSafely(walk: CallState, ended: Ended, stamp: Stamp) {
  try {
    const made = observeEnd(walk, ended, ended.end.result, stamp, true);
    // What code from outside says of itself is checked as it will be stored. A server's words are wrapped in code of ours.
    const { source } = ended.question.checked.tool;
    if (source !== "builtin" && source !== "mcp") {
      observationSchema().parse(JSON.parse(JSON.stringify(made.observation)));
    }
    return made;
  } catch (error) {
    const message = `The result could not be summarised: ${messageOf(error)}`;
    const failure = { code: "output_invalid", message, happened: "done" } as const;
    return observeEnd(walk, ended, { ok: false, failure }, stamp, false);
  }
}

/** The effect stands, but the record of it could not be written: the caller must know both. */
function notWritten(walk: CallState, ended: Ended, cause: Failure, stamp: Stamp): Observation {
  const failure = {
    code: "log_unavailable",
    message: `The call ran, but its end could not be recorded: ${cause.message}`,
    ...(cause.recovery === undefined ? {} : { recovery: cause.recovery }),
  } as const;
  const { observation } = observeEnd(walk, ended, { ok: false, failure }, stamp, false);
  return { ...observation, phase: "write_back" };
}

function observeEnd(walk: CallState, ended: Ended, result: RawResult<unknown>, stamp: Stamp, summarize: boolean) {
  const { session, intent, allowance } = walk;
  const { checked, report } = ended.question;
  return observe({
    intentId: intent.id,
    invocationId: ended.invocation.id,
    toolName: checked.tool.name,
    ...(summarize ? { tool: checked.tool, input: checked.input } : {}),
    ending: { kind: "ended", result },
    effects: { declared: report.effects, seen: ended.journal.seen },
    permission: permissionOf(ended),
    ...(report.narrower === undefined ? {} : { narrower: report.narrower }),
    ...saidByHooks(ended.hooked, ended.after),
    kept: ended.journal.artifacts,
    startedAt: ended.startedAt,
    endedAt: stamp.endedAt,
    sandbox: session.sandbox.description,
    sandboxUsed: ended.journal.ranProcess,
    auditId: stamp.auditId,
    allowance,
    artifacts: session.artifacts,
    redact: session.redact,
    privatePaths: privatePaths(session.stateDirectory),
  });
}

/** A call that was refused for what it changed was refused by that verdict, not by the one that let it run. */
function permissionOf({ permission, journal: { judged } }: Ended): PermissionFacts {
  if (judged === undefined) return permission;
  const { suggestedRules, ...facts } = judged;
  const { rule: _, suggestedRules: __, ...rest } = permission;
  return { ...rest, ...facts, ...(suggestedRules === undefined ? {} : { suggestedRules: [...suggestedRules] }) };
}

/** The tool's own output schema, when it has one. */
async function checkOutput(tool: Tool, end: ExecutionEnd): Promise<ExecutionEnd> {
  if (tool.output === undefined || !end.result.ok) return end;
  const checked = await validOutput(tool, end.result.data);
  return checked.ok ? end : { exit: "error", result: { ok: false, failure: checked.failure } };
}

async function validOutput(tool: Tool, data: unknown): Promise<Outcome<void>> {
  try {
    const validated = await tool.output?.["~standard"].validate(data);
    const issue = validated?.issues?.[0];
    if (issue === undefined) return ok(undefined);
    return fail("output_invalid", `${tool.name} returned something its own schema rejects: ${issue.message}`);
  } catch (error) {
    const message = messageOf(error);
    return fail("output_invalid", `${tool.name} could not check its own result: ${message}`);
  }
}

function startedEvent(session: SessionParts, invocation: ToolInvocation, question: CheckedQuestion): EventDraft {
  const { checked, permit } = invocation;
  const confinement = checked.tool.confinement?.() ?? question.confinement;
  return {
    type: "tool_invocation.started",
    data: {
      invocationId: invocation.id,
      intentId: checked.intent.id,
      tool: checked.tool.name,
      version: checked.tool.version,
      executor: { kind: checked.tool.source, gauntlet: session.version, pid: session.pid },
      digest: permit.digest,
      lane: invocation.lane,
      timeoutMs: invocation.timeoutMs,
      effects: [...permit.effects],
      ...(permit.command === undefined
        ? {}
        : { command: { text: permit.command.text, cwd: permit.command.cwd.resolved } }),
      // The sandbox of commands holds nothing that a server does.
      ...(confinement === undefined ? { sandbox: commandSandbox(session, permit) } : { confinement }),
    },
  };
}

function commandSandbox(session: SessionParts, permit: Permit) {
  const { backend, enforces } = session.sandbox.description;
  const { readable, writable, network, view } = permit.sandbox;
  return {
    backend,
    enforces,
    readable: [...readable],
    writable: [...writable],
    network: describeNetwork(network),
    ...(view === undefined ? {} : { view }),
  };
}

/** What hooks left behind that follow a tool. */
export interface AfterTool {
  readonly remarks: readonly HookRemark[];
  readonly records: readonly EventDraft[];
  readonly stop?: string;
}

/** They see what the tool returned before anything is cut off, and cannot undo that it ran. Never rejects. */
export async function runHooksAfter(
  { session, interruption }: CallState,
  ended: {
    readonly question: GateQuestion;
    readonly invocation: ToolInvocation;
    readonly journal: Journal;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly end: ExecutionEnd;
  },
): Promise<AfterTool> {
  const { hooks } = session;
  if (hooks === undefined || interruption.aborted) return { remarks: [], records: [] };
  const { journal, invocation } = ended;
  const occasion = postToolUse(ended.question, ended.end.result, ended.endedAt - ended.startedAt);
  const call = { invocationId: invocation.id, signal: interruption };
  const { answer, records, changed } = await hooks.run(occasion, call);
  recordChanges({ journal, invocationId: invocation.id }, changed);
  const feedback = answer.decision === "deny" ? [{ hook: occasion.event, text: answer.reason }] : [];
  return {
    remarks: [...feedback, ...(answer.remarks ?? [])],
    records,
    ...(answer.stop === undefined ? {} : { stop: answer.stop }),
  };
}

/** Everything that hooks around a call want the model to know. */
export function saidByHooks(
  hooked: HookAnswer | undefined,
  after: AfterTool,
): { readonly remarks: readonly HookRemark[]; readonly stop?: string } {
  const { revision, remarks = [] } = hooked ?? {};
  const changed = revision && {
    hook: revision.hook,
    text: `The input of this call was changed before it was judged: ${JSON.stringify(revision.input)}`,
  };
  const stop = after.stop ?? hooked?.stop;
  return {
    remarks: [...(changed === undefined ? [] : [changed]), ...remarks, ...after.remarks],
    ...(stop === undefined ? {} : { stop }),
  };
}
