import { digestOf } from "../base/digest.ts";
import { messageOf } from "../base/text.ts";
import { fail, type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { CheckedQuestion, GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent, IdentifiedIntent } from "../contract/intent.ts";
import type { Observation, PermissionFacts } from "../contract/observation.ts";
import type { Concurrency } from "../contract/tool.ts";
import type { HookAnswer, Verdict } from "../contract/verdict.ts";
import { laneName, type Slot } from "../execution/scheduler.ts";
import { type Checked, checkIntent, type Identified } from "../registry/identify-intent.ts";
import { isSameDiff, rememberedFacts, requestFor, titleOf, unsaved } from "./ask.ts";
import { execute, type PermittedCall, planInvocation, recordEnd, startedEvent } from "./execute.ts";
import { blamed, revise } from "./look-up.ts";
import type { CallState } from "./parts.ts";
import { notTried, preconditionView, questionOf, visibilityContext } from "./question.ts";
import {
  cancelledBeforeStart,
  changedSinceApproved,
  declinedBy,
  deniedBy,
  nobodyToAsk,
  refuse,
  wasCut,
} from "./refusal.ts";

/*
 * The order of one call: propose, look up and validate (door.ts), lane, preconditions, effects, verdict, ask, permit,
 * start, run, observe, record. Every exit is an observation, and each is recorded exactly once. A call that an earlier
 * process asked about takes the same path, with the answer instead of the question.
 */

export function propose(calls: readonly CallState[]): Outcome<unknown> {
  try {
    return calls[0]?.session.log.append(calls.map(proposedEvent)) ?? ok(undefined);
  } catch (error) {
    return fail("bad_request", `The intent cannot be written as JSON: ${messageOf(error)}`);
  }
}

/** One attempt at a call: a hook may replace its input, at most once. */
interface CallAttempt {
  readonly identified: IdentifiedIntent;
  /** Messages of hooks that replaced the input, or that ran before the call was judged again. */
  readonly hooked?: HookAnswer;
  readonly question?: CheckedQuestion;
}

interface Judged {
  readonly question: CheckedQuestion;
  readonly verdict: Verdict;
  readonly slot: Slot;
  readonly before: readonly EventDraft[];
}

export async function runCall(call: CallState, found: Identified): Promise<Observation> {
  if (!found.ok) return refuse(call, call.interruption.aborted ? cancelledBeforeStart : found.refusal);
  let attempt: CallAttempt = { identified: found.value };
  for (;;) {
    const slot = await enterLane(call, attempt.identified);
    if (slot === undefined) return refuse(call, cancelledBeforeStart, attempt);
    try {
      const end = await judgeInLane(call, attempt, slot);
      if ("auditId" in end) return end;
      attempt = end;
    } finally {
      slot.release();
    }
  }
}

async function enterLane({ session, intent, interruption }: CallState, identified: IdentifiedIntent) {
  const lane = laneOf(identified);
  const entering = session.execution.scheduler.enter(lane, interruption);
  const immediate = await Promise.race([entering, Promise.resolve("waits" as const)]);
  if (immediate !== "waits") return immediate;
  const { name } = identified.tool;
  const data = { intentId: intent.id, tool: name, lane: laneName(lane) };
  session.log.append([{ type: "tool_invocation.queued", data }]);
  session.runtime.notify({ kind: "queued", intentId: intent.id, tool: name, title: titleOf(identified) });
  return entering;
}

function laneOf({ tool, input }: IdentifiedIntent): Concurrency {
  try {
    return tool.concurrency(input as never);
  } catch {
    return "exclusive";
  }
}

/** Preconditions, effects, verdict. Returns another attempt if a hook changes the input. */
async function judgeInLane(call: CallState, attempt: CallAttempt, slot: Slot): Promise<CallAttempt | Observation> {
  const { session, trial, resumed } = call;
  const checked = await checkPreconditions(call, attempt.identified);
  if (!checked.ok) return refuseUnjudged(call, blamed(checked.refusal, attempt.hooked), attempt);
  const noted = noteChecked(call, attempt, checked.value);
  if (!noted.ok) return refuse(call, { ...noted.failure, phase: "write_back" }, attempt);
  const before = noted.value;
  const question = await questionOf(call, checked.value, attempt.hooked);
  // A trial never runs directly.
  if (trial.changes !== undefined && question.view === false)
    return refuse(call, await notTried(session, question.report), { question, before });
  const verdict = await session.gate.judge(resumed === undefined ? question : { ...question, answered: true });
  if (verdict.revision !== undefined) {
    const revised = await revise(call, verdict.revision);
    if (!revised.ok) return refuse(call, revised.refusal, { question, before });
    return { identified: revised.value, hooked: verdict.hooked ?? { decision: "none", revision: verdict.revision } };
  }
  const decided = resumed === undefined ? [decidedEvent(question, verdict)] : [];
  return decide(call, { question, verdict, slot, before: [...before, ...decided] });
}

/** Whether the call can run at all, before the user is asked for permission. */
export async function checkPreconditions(
  { session }: Pick<CallState, "session">,
  identified: IdentifiedIntent,
): Promise<Checked> {
  const { enforces, detail } = session.execution.sandbox.description;
  const { tool, intent } = identified;
  if (tool.requiresSandbox && !enforces) {
    const message = `${tool.name} runs only in a sandbox: ${detail}`;
    return { ok: false, refusal: { phase: "schedule", code: "sandbox_unavailable", message } };
  }
  try {
    return await checkIntent(identified, visibilityContext(session, intent), preconditionView(session));
  } catch (error) {
    const message = `${tool.name} failed while checking its input: ${messageOf(error)}`;
    return { ok: false, refusal: { phase: "validate", code: "tool_failed", message, happened: "nothing" } };
  }
}

function noteChecked(
  { session: { hooks, log }, resumed }: CallState,
  attempt: CallAttempt,
  checked: CheckedIntent,
): Outcome<readonly EventDraft[]> {
  if (resumed !== undefined || attempt.question !== undefined) return ok([]);
  const drafts = [checkedEvent(checked)];
  if (hooks === undefined) return ok(drafts);
  const stored = log.append(drafts);
  return stored.ok ? ok([]) : stored;
}

async function decide(call: CallState, judged: Judged): Promise<CallAttempt | Observation> {
  const { session, resumed } = call;
  const { question, verdict, before } = judged;
  const { hooked } = verdict;
  const permission = factsOf(call, verdict);
  const context = { question, permission, hooked, before };
  if (resumed !== undefined && question.checked.digest !== resumed.request.digest)
    return refuse(call, changedSinceApproved, context);
  if (verdict.decision === "deny") {
    if (wasCut(verdict, call.interruption)) return refuse(call, cancelledBeforeStart, { question, before });
    return refuse(call, deniedBy(verdict, question), context);
  }
  if (resumed !== undefined) {
    // Only after the call is judged: an answer to a call that is now denied must not allow later calls.
    const kept = session.requests.keep(resumed.request, resumed.remembered);
    if (!kept.ok) return refuse(call, { ...kept.failure, phase: "write_back" }, context);
    const { remembered: _, ...facts } = permission;
    return confirm(call, judged, { ...resumed, permission: { ...facts, ...rememberedFacts(kept.value) } });
  }
  if (verdict.decision === "ask") return askUser(call, judged, permission);
  const permit = session.gate.permit(question, verdict);
  judged.slot.act();
  return run(call, { question, permit, permission, hooked, before, ...asideFor(call, judged.slot) });
}

async function askUser(call: CallState, judged: Judged, facts: PermissionFacts): Promise<CallAttempt | Observation> {
  const { session, interruption } = call;
  const { question, verdict, slot, before } = judged;
  const { checked } = question;
  if (interruption.aborted) return refuse(call, cancelledBeforeStart, { question, before });
  const request = await requestFor(session, question, verdict);
  if (comesAlone(call)) slot.stepAside();
  const asked = await session.requests.ask(request, before, interruption);
  const permission = { ...facts, request: request.id };
  if (!asked.ok) {
    const { failure } = asked;
    if (failure.code === "log_unavailable") return refuse(call, { ...failure, phase: "write_back" }, { question });
    if (failure.code !== "approval_unavailable")
      return refuse(call, { ...failure, phase: "permission" }, { question, permission });
    // The diff was for a user: it contains the file's content, not only the proposed change.
    const { diff: _, ...prompt } = request.prompt;
    return refuse(call, nobodyToAsk(verdict, failure.message), { question, permission: { ...facts, prompt } });
  }
  const { answer, remembered } = asked.value;
  const answered = { ...permission, answeredBy: answer.by ?? "user", ...rememberedFacts(remembered) };
  if (answer.answer === "deny")
    return refuse(call, declinedBy(answer, checked.tool.name), { question, permission: answered });
  const back = await slot.regain(interruption);
  if (back === "aborted") return refuse(call, cancelledBeforeStart, { question, permission: answered });
  // Other calls ran meanwhile. What a server's tool depends on is unknown; a call of ours depends on the files.
  if (back === "overtaken" && checked.tool.source !== "mcp")
    return judgeInLane(call, { identified: checked, question, hooked: verdict.hooked ?? { decision: "none" } }, slot);
  return confirm(call, judged, { request, answer, permission: answered });
}

/** The state may have changed while the user decided: the approved effects must still be the current ones. */
async function confirm(
  call: CallState,
  { question, verdict, slot }: Judged,
  {
    request,
    answer,
    permission,
  }: Omit<NonNullable<CallState["resumed"]>, "remembered"> & { permission: PermissionFacts },
): Promise<Observation> {
  const { gate } = call.session;
  const { hooked } = verdict;
  const checked = await checkPreconditions(call, question.checked);
  if (!checked.ok) return refuse(call, checked.refusal, { question, permission });
  const now = await questionOf(call, checked.value, hooked ?? { decision: "none" });
  const context = { question: now, permission };
  if (now.mode !== question.mode) {
    const again = await gate.judge({ ...now, answered: true });
    if (again.decision === "deny") return refuse(call, deniedBy(again, now), context);
  }
  const isSame =
    touchesOf(now) === touchesOf(question) && (await isSameDiff(call.session, now.checked, request.prompt));
  if (!isSame) return refuse(call, changedSinceApproved, context);
  const permit = verdict.decision === "allow" ? gate.permit(now, verdict) : gate.permitAnswered(now, verdict, answer);
  slot.act();
  return run(call, { ...context, permit, hooked, before: [], ...asideFor(call, slot) });
}

/** From the permit to the recorded observation: the start is durable before the tool runs. */
async function run(call: CallState, permitted: PermittedCall): Promise<Observation> {
  const { session, intent, interruption } = call;
  const { checked } = permitted.question;
  if (interruption.aborted) return refuse(call, cancelledBeforeStart, permitted);
  const invocation = planInvocation(session, permitted, laneName(laneOf(checked)));
  const started = session.log.append([...permitted.before, startedEvent(session, invocation, permitted.question)]);
  if (!started.ok) {
    const refusal: Refusal = { ...started.failure, phase: "write_back", happened: "nothing" };
    return refuse(call, refusal, { ...permitted, before: [] });
  }
  const { name } = checked.tool;
  session.runtime.notify({ kind: "started", intentId: intent.id, tool: name, title: titleOf(checked) });
  return recordEnd(call, await execute(call, permitted, invocation));
}

/** For a resumed call that will not run: judged for the record, without hooks. */
export async function refuseUnjudged(call: CallState, refusal: Refusal, attempt: CallAttempt): Promise<Observation> {
  if (call.resumed === undefined) return refuse(call, refusal, attempt);
  const question = await questionOf(call, attempt.identified);
  const verdict = await call.session.gate.judge({ ...question, answered: true, explainOnly: true });
  return refuse(call, refusal, { question, permission: factsOf(call, verdict), hooked: verdict.hooked });
}

/**
 * An MCP client that needs an order waits for each answer: calls that it sends at the same time have no order, and an
 * open question must not block the others. A model's calls keep their order.
 */
function comesAlone({ intent }: CallState): boolean {
  return intent.origin.source === "mcp";
}

function asideFor(call: CallState, slot: Slot): Pick<PermittedCall, "aside"> {
  if (!comesAlone(call)) return {};
  return {
    async aside(wait) {
      slot.stepAside();
      const value = await wait();
      // The command has run, so the call ends with an apply or a discard even if it is interrupted.
      await slot.regain(new AbortController().signal);
      return value;
    },
  };
}

function touchesOf({ report: { effects, command } }: GateQuestion): string {
  return digestOf([effects, command ?? null]);
}

function factsOf({ resumed }: CallState, verdict: Verdict): PermissionFacts {
  const { decision, reason, source, risk, rule, suggestedRules } = verdict;
  const facts = { decision, reason, source, risk };
  if (resumed !== undefined) {
    const { answer, request } = resumed;
    const remembered = rememberedFacts(unsaved(resumed.remembered, "the call was refused"));
    return { ...facts, request: request.id, answeredBy: answer.by ?? "user", ...remembered };
  }
  const rules = suggestedRules && { suggestedRules: [...suggestedRules] };
  return { ...facts, ...(rule !== undefined && { rule }), ...rules };
}

export function proposedEvent({ session, intent }: Pick<CallState, "session" | "intent">): EventDraft {
  const { id: intentId, ...data } = intent;
  return { type: "tool_intent.proposed", data: { intentId, ...data, menuHash: session.log.state.menuHash } };
}

function checkedEvent({ intent, tool, digest, spellings }: CheckedIntent): EventDraft {
  const { name, version, schemaHash } = tool;
  const data = { intentId: intent.id, tool: name, version, schemaHash, digest, spellings: [...spellings] };
  return { type: "tool_intent.checked", data };
}

function decidedEvent({ checked, mode, sandbox, view, report }: GateQuestion, verdict: Verdict): EventDraft {
  const { decision, reason, source, risk, rule, ruleOrigin, suggestedRules, exceptions } = verdict;
  const data = {
    ...{ intentId: checked.intent.id, digest: checked.digest, decision, reason, source, risk },
    ...{ mode, sandboxed: sandbox.enforces, view, effects: [...report.effects], exceptions: [...exceptions] },
    ...{ rule, ruleOrigin, suggestedRules: suggestedRules && [...suggestedRules] },
  };
  return { type: "permission.decided", data };
}
