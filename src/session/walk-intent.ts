import { codes, type Refusal } from "../contract/codes.ts";
import { digestOf } from "../contract/digest.ts";
import type { EffectReport } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { Observation, PermissionFacts } from "../contract/observation.ts";
import type { PermissionRequest, Permit, Verdict } from "../contract/verdict.ts";
import { assessRisk } from "../effects/assess-risk.ts";
import { laneName } from "../execution/scheduler.ts";
import { type Checked, checkIntent } from "../intent/check-intent.ts";
import type { Identified, IdentifiedIntent } from "../intent/identify-intent.ts";
import { type Journey, timestamp, visibilityContext, workspaceFacts } from "./journey.ts";
import { recordRefusal } from "./record-refusal.ts";
import { runPermitted } from "./run-permitted.ts";
import { effectView, preconditionView } from "./views.ts";
import { cancelledBeforeStart, laneOf, titleOf, type Walk } from "./walk.ts";

/**
 * One intent, from proposal to observation. The order is the product: lane, check, effects, verdict, ask,
 * permit, run, observe. Every exit is an observation, and each is recorded exactly once.
 */
export async function walkIntent(walk: Walk, identified: Identified): Promise<Observation> {
  if (!identified.ok) return recordRefusal(walk, identified.refusal, []);
  const slot = await enterLane(walk, identified.value);
  if (slot === undefined) {
    return recordRefusal(walk, cancelledBeforeStart, []);
  }
  try {
    return await walkInLane(walk, identified.value);
  } finally {
    slot.release();
  }
}

async function enterLane({ journey, intent, interruption }: Walk, identified: IdentifiedIntent) {
  const lane = laneOf(identified);
  const entering = journey.scheduler.enter(lane, interruption);
  const immediate = await Promise.race([entering, Promise.resolve("waits" as const)]);
  if (immediate !== "waits") return immediate;
  const data = { intentId: intent.id, tool: identified.tool.name, lane: laneName(lane) };
  journey.log.append([{ type: "tool_invocation.queued", data }]);
  journey.notify({ kind: "queued", intentId: intent.id, tool: identified.tool.name, title: titleOf(identified) });
  return entering;
}

async function walkInLane(walk: Walk, identified: IdentifiedIntent): Promise<Observation> {
  const { journey } = walk;
  const checked = await check(walk, identified);
  if (!checked.ok) return recordRefusal(walk, checked.refusal, []);

  const question = await askable(walk, checked.value);
  const verdict = await judge(walk, question);
  const sofar = [checkedEvent(checked.value), decidedEvent(question, verdict)];
  const facts = permissionFacts(verdict);

  if (verdict.decision === "deny") {
    const refusal = deniedBy(verdict);
    return recordRefusal(walk, refusal, sofar, { question, permission: facts });
  }
  if (verdict.decision === "allow") {
    const permit = journey.gate.permit(question, verdict);
    return runPermitted(walk, { question, permit, permission: facts, before: sofar });
  }
  return askFirst(walk, { question, verdict, sofar, facts });
}

interface Asked {
  readonly question: GateQuestion;
  readonly verdict: Verdict;
  readonly sofar: readonly EventDraft[];
  readonly facts: PermissionFacts;
}

async function askFirst(walk: Walk, asked: Asked): Promise<Observation> {
  const { journey } = walk;
  const { question, verdict } = asked;
  if (walk.interruption.aborted) return recordRefusal(walk, cancelledBeforeStart, asked.sofar, { question });
  const request = newRequest(walk, question, verdict);
  const settled = await journey.desk.ask(request, asked.sofar, verdict.suggestedRule);
  if (!settled.ok) return recordRefusal(walk, { ...settled.failure, phase: "write_back" }, [], { question });

  const permission = { ...asked.facts, request: request.id };
  switch (settled.value.kind) {
    case "unavailable": {
      const unanswered = { ...asked.facts, prompt: { ...request.prompt } };
      return recordRefusal(walk, nobodyToAsk(verdict, settled.value.why), [], { question, permission: unanswered });
    }
    case "expired":
      return recordRefusal(walk, expired("Nobody answered in time."), [], { question, permission });
    case "withdrawn": {
      const message = "The question was withdrawn by an interrupt.";
      const refusal: Refusal = { phase: "permission", code: "cancelled", message, happened: "nothing" };
      return recordRefusal(walk, refusal, [], { question, permission });
    }
    case "answered":
      break;
  }
  const { answer } = settled.value;
  const answered = { ...permission, answeredBy: answer.by ?? "user" };
  if (answer.answer === "deny") {
    const message = answer.message ?? `The user declined this call to ${question.checked.tool.name}.`;
    return recordRefusal(walk, { phase: "permission", code: "user_denied", message }, [], {
      question,
      permission: answered,
    });
  }
  return runApproved(walk, {
    question,
    permission: answered,
    issue: (now) => journey.gate.permitAnswered(now, verdict, answer),
  });
}

/** The world may have moved while a person was thinking: what was agreed to must still be what would happen. */
export async function runApproved(
  walk: Walk,
  approved: {
    readonly question: GateQuestion;
    readonly permission: PermissionFacts;
    readonly issue: (question: GateQuestion) => Permit;
  },
): Promise<Observation> {
  const { question, permission } = approved;
  const again = await check(walk, question.checked);
  if (!again.ok) return recordRefusal(walk, again.refusal, [], { question, permission });
  const now = await askable(walk, again.value);
  if (digestOf(now.report.effects) !== digestOf(question.report.effects)) {
    const refusal = expired("What the call would touch changed after it was approved.");
    return recordRefusal(walk, refusal, [], { question: now, permission });
  }
  return runPermitted(walk, { question: now, permit: approved.issue(now), permission, before: [] });
}

/** Whether it could be done at all, before anybody is asked whether it may. */
export async function check({ journey }: Walk, identified: IdentifiedIntent): Promise<Checked> {
  const { enforces, detail } = journey.sandbox.description;
  if (identified.tool.requiresSandbox && !enforces) {
    const message = `${identified.tool.name} runs only in a sandbox: ${detail}`;
    return { ok: false, refusal: { phase: "schedule", code: "sandbox_unavailable", message } };
  }
  try {
    return await checkIntent(identified, visibilityContext(journey), preconditionView(journey));
  } catch (error) {
    const message = `${identified.tool.name} failed while checking its input: ${messageOf(error)}`;
    const refusal: Refusal = { phase: "validate", code: "tool_failed", message, happened: "nothing" };
    return { ok: false, refusal };
  }
}

export async function askable({ journey }: Walk, checked: CheckedIntent): Promise<GateQuestion> {
  const workspace = workspaceFacts(journey);
  const report = await reportEffects(journey, checked);
  const context = { roots: workspace.roots, home: workspace.home, stateDirectory: journey.stateDirectory };
  return {
    checked,
    report,
    assessment: assessRisk(report, context),
    mode: journey.log.state.mode,
    grants: journey.log.state.grants,
    workspace,
    sandbox: journey.sandbox.description,
  };
}

async function reportEffects(journey: Journey, { tool, input }: CheckedIntent): Promise<EffectReport> {
  try {
    const report = await tool.effects(input as never, effectView(journey));
    return withFlags(report, {
      readOnly: tool.readOnly(input as never),
      destructive: tool.destructive(input as never),
    });
  } catch (error) {
    return { effects: [{ op: "unknown", why: `its effects could not be determined: ${messageOf(error)}` }] };
  }
}

/** What a tool says of a call beside its effects can only make the verdict stricter. */
function withFlags(
  report: EffectReport,
  flags: { readonly readOnly: boolean; readonly destructive: boolean },
): EffectReport {
  const changes = report.effects.some(({ op }) => op === "write" || op === "delete" || op === "exec");
  if (flags.readOnly && changes) {
    const why = "the tool says that it only reads, and declares a change";
    return { ...report, effects: [...report.effects, { op: "unknown", why }] };
  }
  // A deletion that the effects name is judged as one already, and a rule can speak for it.
  const named = report.effects.some(({ op }) => op === "delete");
  if (!flags.destructive || named || report.raiseTo === "R5") return report;
  return { raisedBecause: "the tool calls it destructive", ...report, raiseTo: "R4" };
}

/** A gate that fails has not allowed anything. */
async function judge({ journey }: Walk, question: GateQuestion): Promise<Verdict> {
  try {
    return await journey.gate.judge(question);
  } catch (error) {
    return {
      decision: "deny",
      reason: `The decision failed, so the answer is no: ${messageOf(error)}`,
      source: "tool_limit",
      risk: question.assessment.risk,
      firm: true,
      exceptions: [],
    };
  }
}

function newRequest({ journey, intent }: Walk, question: GateQuestion, verdict: Verdict): PermissionRequest {
  const now = journey.clock.now();
  return {
    id: journey.ids.next("req"),
    ...(question.report.command === undefined ? {} : { cwd: question.report.command.cwd.resolved }),
    intentId: intent.id,
    tool: question.checked.tool.name,
    digest: question.checked.digest,
    prompt: journey.gate.prompt(question, verdict),
    requestedAt: timestamp(journey.clock),
    expiresAt: new Date(now + journey.settings.limits.approvalMs).toISOString(),
  };
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
      effects: [...question.report.effects],
      exceptions: [...verdict.exceptions],
      ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
      ...(verdict.suggestedRule === undefined ? {} : { suggestedRule: verdict.suggestedRule }),
    },
  };
}

function permissionFacts(verdict: Verdict): PermissionFacts {
  const { decision, reason, source, risk, rule, suggestedRule } = verdict;
  return {
    decision,
    reason,
    source,
    risk,
    ...(rule === undefined ? {} : { rule }),
    ...(suggestedRule === undefined ? {} : { suggestedRule }),
  };
}

function deniedBy(verdict: Verdict): Refusal {
  if (verdict.code === "approval_unavailable") return nobodyToAsk(verdict);
  return { phase: "permission", code: verdict.code ?? "policy_denied", message: verdict.reason };
}

function nobodyToAsk(verdict: Verdict, why?: string): Refusal {
  return {
    phase: "permission",
    code: "approval_unavailable",
    message: `Approval needed and ${why ?? "nobody could be asked"}: ${verdict.reason}`,
    recovery:
      verdict.suggestedRule === undefined
        ? codes.approval_unavailable.recovery
        : `Run where someone can answer, or allow it beforehand with the rule ${verdict.suggestedRule}.`,
  };
}

function expired(message: string): Refusal {
  return { phase: "permission", code: "approval_expired", message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
