import { digestOf } from "../base/digest.ts";
import { clip, messageOf } from "../base/text.ts";
import { type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { CheckedQuestion, GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent, IdentifiedIntent } from "../contract/intent.ts";
import type { Observation, PermissionFacts } from "../contract/observation.ts";
import type { HookAnswer, PermissionPrompt, PermissionRequest, Permit, Verdict } from "../contract/verdict.ts";
import { laneName, type Slot } from "../execution/scheduler.ts";
import { inOneLine } from "../gate/prompt.ts";
import { type Checked, checkIntent } from "../registry/check-intent.ts";
import type { Identified } from "../registry/identify-intent.ts";
import { changeStands, previewChange } from "./ask.ts";
import { type PermittedCall, runPermitted } from "./execute.ts";
import { blamed, revise } from "./look-up.ts";
import {
  type CallState,
  cancelledBeforeStart,
  laneOf,
  type SessionParts,
  timestamp,
  titleOf,
  visibilityContext,
} from "./parts.ts";
import { rememberedFacts } from "./permission-queue.ts";
import { askable, notTried, preconditionView } from "./question.ts";
import { declinedBy, deniedBy, expired, nobodyToAsk, recordRefusal, wasCut, withdrawn } from "./refusal.ts";

/**
 * One intent, from proposal to observation. The order is the product: lane, check, effects, verdict, ask,
 * permit, run, observe. Every exit is an observation, and each is recorded exactly once.
 */
export async function walkIntent(walk: CallState, identified: Identified): Promise<Observation> {
  // Whoever interrupted did not wait for the server that knows what it is.
  if (!identified.ok) {
    return recordRefusal(walk, walk.interruption.aborted ? cancelledBeforeStart : identified.refusal, []);
  }
  let attempt: Attempt = { identified: identified.value };
  for (;;) {
    const slot = await enterLane(walk, attempt.identified);
    if (slot === undefined) return recordRefusal(walk, cancelledBeforeStart, [], attempt);
    try {
      const end = await walkInLane(walk, attempt, slot);
      if ("observation" in end) return end.observation;
      // Another input may belong in another lane. It comes at most once: hooks are not asked again.
      attempt = end;
    } finally {
      slot.release();
    }
  }
}

interface Attempt {
  readonly identified: IdentifiedIntent;
  /** What hooks said when they put this input in the place of the proposed one. */
  readonly hooked?: HookAnswer;
}

interface Over {
  readonly observation: Observation;
}

async function enterLane({ session, intent, interruption }: CallState, identified: IdentifiedIntent) {
  const lane = laneOf(identified);
  const entering = session.scheduler.enter(lane, interruption);
  const immediate = await Promise.race([entering, Promise.resolve("waits" as const)]);
  if (immediate !== "waits") return immediate;
  const data = { intentId: intent.id, tool: identified.tool.name, lane: laneName(lane) };
  session.log.append([{ type: "tool_invocation.queued", data }]);
  session.notify({ kind: "queued", intentId: intent.id, tool: identified.tool.name, title: titleOf(identified) });
  return entering;
}

async function walkInLane(walk: CallState, attempt: Attempt, slot: Slot): Promise<Attempt | Over> {
  const { session } = walk;
  const checked = await check(walk, attempt.identified);
  if (!checked.ok) return { observation: recordRefusal(walk, blamed(checked.refusal, attempt.hooked), [], attempt) };
  const noted = noteChecked(session, checked.value);
  if (!noted.ok) return { observation: recordRefusal(walk, { ...noted.failure, phase: "write_back" }, [], attempt) };

  const question = await askable(walk, checked.value, attempt.hooked);
  // Nobody is asked about a direct run of a command that was only to be tried.
  if (session.changes !== undefined && question.view === false)
    return { observation: recordRefusal(walk, await notTried(session, question.report), noted.value, { question }) };
  const verdict = await walk.session.gate.judge(question);
  if (verdict.revision !== undefined) {
    const revised = await revise(walk, verdict.revision);
    if (!revised.ok) return { observation: recordRefusal(walk, revised.refusal, noted.value, { question }) };
    return { identified: revised.value, hooked: verdict.hooked ?? { decision: "none", revision: verdict.revision } };
  }
  const sofar = [...noted.value, decidedEvent(question, verdict)];
  return { observation: await settle(walk, { question, verdict, sofar, facts: permissionFacts(verdict), slot }) };
}

async function settle(walk: CallState, asked: Asked): Promise<Observation> {
  const { question, verdict, sofar, facts, slot } = asked;
  const { hooked } = verdict;
  if (verdict.decision === "deny") {
    if (wasCut(verdict, walk.interruption)) return recordRefusal(walk, cancelledBeforeStart, sofar, { question });
    return recordRefusal(walk, deniedBy(verdict, question), sofar, { question, permission: facts, hooked });
  }
  if (verdict.decision === "allow") {
    const permit = walk.session.gate.permit(question, verdict);
    slot.act();
    return runPermitted(walk, { question, permit, permission: facts, hooked, before: sofar, ...asideFor(walk, slot) });
  }
  return askFirst(walk, asked);
}

/** Stored at once when hooks follow, so that the log has it before what they did; otherwise with what comes next. */
function noteChecked({ hooks, log }: SessionParts, checked: CheckedIntent): Outcome<readonly EventDraft[]> {
  const drafts = [checkedEvent(checked)];
  if (hooks === undefined) return ok(drafts);
  const stored = log.append(drafts);
  return stored.ok ? ok([]) : stored;
}

interface Asked {
  readonly question: CheckedQuestion;
  readonly verdict: Verdict;
  readonly sofar: readonly EventDraft[];
  readonly facts: PermissionFacts;
  readonly slot: Slot;
}

async function askFirst(walk: CallState, asked: Asked): Promise<Observation> {
  const { session } = walk;
  const { question, verdict } = asked;
  if (walk.interruption.aborted) return recordRefusal(walk, cancelledBeforeStart, asked.sofar, { question });
  const request = await newRequest(walk, question, verdict);
  if (comesAlone(walk)) asked.slot.stepAside();
  const settled = await session.desk.ask(request, asked.sofar, walk.interruption);
  if (!settled.ok) return recordRefusal(walk, { ...settled.failure, phase: "write_back" }, [], { question });

  const permission = { ...asked.facts, request: request.id };
  switch (settled.value.kind) {
    case "unavailable": {
      // The diff was for a person: it holds what the file holds, not only what was proposed.
      const { diff: _, ...prompt } = request.prompt;
      const unanswered = { ...asked.facts, prompt };
      return recordRefusal(walk, nobodyToAsk(verdict, settled.value.why), [], { question, permission: unanswered });
    }
    case "expired":
      return recordRefusal(walk, expired("Nobody answered in time."), [], { question, permission });
    case "withdrawn":
      return recordRefusal(walk, withdrawn, [], { question, permission });
    case "answered":
      break;
  }
  const { answer } = settled.value;
  const answered = { ...permission, answeredBy: answer.by ?? "user", ...rememberedFacts(settled.value) };
  if (answer.answer === "deny") {
    return recordRefusal(walk, declinedBy(answer, question.checked.tool.name), [], { question, permission: answered });
  }
  const back = await asked.slot.regain(walk.interruption);
  if (back === "aborted") return recordRefusal(walk, cancelledBeforeStart, [], { question, permission: answered });
  // Of what a server does nobody here can say what it depends on; a call of ours depends on the files.
  if (back === "overtaken" && question.checked.tool.source !== "mcp") return askAnew(walk, asked);
  return runApproved(walk, {
    question,
    slot: asked.slot,
    prompt: request.prompt,
    permission: answered,
    hooked: verdict.hooked,
    issue: (now) => session.gate.permitAnswered(now, verdict, answer),
  });
}

/** Another call may have changed what this one is about, and effects are names: what lies behind them is not compared. */
async function askAnew(walk: CallState, { question: before, verdict: { hooked }, slot }: Asked): Promise<Observation> {
  const checked = await check(walk, before.checked);
  if (!checked.ok) return recordRefusal(walk, checked.refusal, [], { question: before });
  const question = await askable(walk, checked.value, hooked ?? { decision: "none" });
  const verdict = await walk.session.gate.judge(question);
  const sofar = [decidedEvent(question, verdict)];
  return settle(walk, { question, verdict, sofar, facts: permissionFacts(verdict), slot });
}

/**
 * A client of the protocol sends a call behind another one when it has the answer to that: what it sends at the same time
 * is in no order, and a question that nobody answers must not hold up everybody else. A model's calls keep theirs.
 */
function comesAlone({ intent }: CallState): boolean {
  return intent.origin.source === "mcp";
}

function asideFor(walk: CallState, slot: Slot): Pick<PermittedCall, "aside"> {
  if (!comesAlone(walk)) return {};
  return {
    async aside(wait) {
      slot.stepAside();
      const value = await wait();
      // It has run, and ends with an apply or a discard whatever is interrupted.
      await slot.regain(new AbortController().signal);
      return value;
    },
  };
}

/** The world may have moved while a person was thinking: what was agreed to must still be what would happen. */
export async function runApproved(
  walk: CallState,
  approved: {
    readonly question: CheckedQuestion;
    readonly slot: Slot;
    /** What was agreed to, as it was shown. */
    readonly prompt: PermissionPrompt;
    readonly permission: PermissionFacts;
    readonly hooked: HookAnswer | undefined;
    readonly issue: (question: CheckedQuestion) => Permit;
  },
): Promise<Observation> {
  const { question, slot, prompt, permission, hooked } = approved;
  const again = await check(walk, question.checked);
  if (!again.ok) return recordRefusal(walk, again.refusal, [], { question, permission });
  const now = await askable(walk, again.value, hooked ?? { decision: "none" });
  if (now.mode !== question.mode) {
    const verdict = await walk.session.gate.judge({ ...now, answered: true });
    if (verdict.decision === "deny")
      return recordRefusal(walk, deniedBy(verdict, now), [], { question: now, permission });
  }
  if (touchesOf(now) !== touchesOf(question)) {
    const refusal = expired("What the call would touch changed after it was approved.");
    return recordRefusal(walk, refusal, [], { question: now, permission });
  }
  if (!(await changeStands(walk.session, now.checked, prompt))) {
    const refusal = expired("What the call would change is no longer what was shown.");
    return recordRefusal(walk, refusal, [], { question: now, permission });
  }
  const permit = approved.issue(now);
  slot.act();
  return runPermitted(walk, { question: now, permit, permission, hooked, before: [], ...asideFor(walk, slot) });
}

function touchesOf({ report: { effects, command } }: GateQuestion): string {
  return digestOf([effects, command ?? null]);
}

/** Whether it could be done at all, before anybody is asked whether it may. */
export async function check({ session }: CallState, identified: IdentifiedIntent): Promise<Checked> {
  const { enforces, detail } = session.sandbox.description;
  if (identified.tool.requiresSandbox && !enforces) {
    const message = `${identified.tool.name} runs only in a sandbox: ${detail}`;
    return { ok: false, refusal: { phase: "schedule", code: "sandbox_unavailable", message } };
  }
  try {
    return await checkIntent(identified, visibilityContext(session, identified.intent), preconditionView(session));
  } catch (error) {
    const message = `${identified.tool.name} failed while checking its input: ${messageOf(error)}`;
    const refusal: Refusal = { phase: "validate", code: "tool_failed", message, happened: "nothing" };
    return { ok: false, refusal };
  }
}

async function newRequest(
  { session, intent }: CallState,
  question: GateQuestion,
  verdict: Verdict,
): Promise<PermissionRequest> {
  const diff = await previewChange(session, question.checked);
  const now = session.clock.now();
  return {
    id: session.ids.next("req"),
    ...(question.report.command === undefined
      ? {}
      : { cwd: verdict.suggestedFor ?? question.report.command.cwd.resolved }),
    intentId: intent.id,
    tool: question.checked.tool.name,
    digest: question.checked.digest,
    prompt: {
      ...session.gate.prompt(question, verdict),
      ...(question.report.command === undefined ? { call: inOneLine(titleOf(question.checked)) } : {}),
      ...aboutOf(session, question.checked),
      ...(diff === undefined ? {} : { diff }),
    },
    requestedAt: timestamp(session.clock),
    expiresAt: new Date(now + session.settings.limits.approvalMs).toISOString(),
  };
}

const longestAbout = 600;

function aboutOf({ redact }: SessionParts, { tool }: IdentifiedIntent): Pick<PermissionPrompt, "about"> {
  if (tool.source === "builtin") return {};
  const said = redact(tool.description);
  return { about: inOneLine(clip(said, longestAbout)) };
}

function checkedEvent(checked: CheckedIntent): EventDraft {
  return {
    type: "tool_intent.checked",
    data: {
      intentId: checked.intent.id,
      tool: checked.tool.name,
      version: checked.tool.version,
      schemaHash: checked.tool.schemaHash,
      digest: checked.digest,
      spellings: [...checked.spellings],
    },
  };
}

function decidedEvent(question: GateQuestion, verdict: Verdict): EventDraft {
  return {
    type: "permission.decided",
    data: {
      intentId: question.checked.intent.id,
      digest: question.checked.digest,
      decision: verdict.decision,
      reason: verdict.reason,
      source: verdict.source,
      risk: verdict.risk,
      mode: question.mode,
      sandboxed: question.sandbox.enforces,
      ...(question.view === undefined ? {} : { view: question.view }),
      effects: [...question.report.effects],
      exceptions: [...verdict.exceptions],
      ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
      ...(verdict.ruleOrigin === undefined ? {} : { ruleOrigin: verdict.ruleOrigin }),
      ...(verdict.suggestedRules === undefined ? {} : { suggestedRules: [...verdict.suggestedRules] }),
    },
  };
}

function permissionFacts(verdict: Verdict): PermissionFacts {
  const { decision, reason, source, risk, rule, suggestedRules } = verdict;
  return {
    decision,
    reason,
    source,
    risk,
    ...(rule === undefined ? {} : { rule }),
    ...(suggestedRules === undefined ? {} : { suggestedRules: [...suggestedRules] }),
  };
}
