import type { Archive } from "../../contract/archive.ts";
import type { Outcome } from "../../contract/codes.ts";
import type { Effect } from "../../contract/effect.ts";
import type { Event, EventData } from "../../contract/events/index.ts";
import type { GateQuestion } from "../../contract/gate.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { ToolIntent } from "../../contract/intent.ts";
import type { PolicyTrial, TriedVerdict, UntriedSession } from "../../contract/policy.ts";
import type { SandboxDescription } from "../../contract/ports.ts";
import type { SessionState } from "../../contract/state.ts";
import { modesByWidth } from "../../contract/verdict.ts";
import { assessRisk } from "../../effects/assess-risk.ts";
import { identifyIntent } from "../../intent/identify-intent.ts";
import { initialState, reduce } from "../../log/reduce.ts";
import { askable } from "../askable.ts";
import { type Viewpoint, visibilityContext } from "../journey.ts";
import { withRecordedEffects } from "./recorded-effects.ts";

/** The policy that is tried, as it is in one workspace. */
export interface TriedPolicy extends Omit<Viewpoint, "log" | "sandbox"> {
  /** The mode that the tried file sets; the recorded one counts where it says nothing. */
  readonly setsMode: boolean;
  /** Nothing is there any more: paths are what the log says. */
  readonly gone: boolean;
}

export interface Trial {
  readonly archive: Pick<Archive, "events">;
  readonly sessions: readonly SessionId[];
  readonly policyIn: (workspace: string) => Outcome<TriedPolicy>;
}

/**
 * Recorded calls judged again by another policy, in the order of the log, one at a time. State is folded as it was
 * then, with its directory, mode and grants. Nothing runs, nothing is recorded, and what was redacted stays so.
 */
export async function* tryPolicy({ archive, sessions, policyIn }: Trial): AsyncGenerator<PolicyTrial | UntriedSession> {
  for (const session of sessions) {
    const events = archive.events(session);
    if (!events.ok) {
      yield { session, problem: events.failure.message };
      continue;
    }
    const state = initialState(session);
    const open = new Map<string, EventData<"tool_intent.proposed">>();
    for (const event of events.value) {
      if (event.type === "permission.decided") {
        const proposed = open.get(event.data.intentId);
        if (proposed !== undefined) yield await tryCall(policyIn(state.workspace), state, proposed, event);
      }
      follow(open, event);
      reduce(state, event);
    }
  }
}

function follow(open: Map<string, EventData<"tool_intent.proposed">>, event: Event): void {
  if (event.type === "tool_intent.proposed") open.set(event.data.intentId, event.data);
  if (event.type === "tool.observed") open.delete(event.data.intentId);
  if (event.type !== "tool_intent.revised") return;
  const proposed = open.get(event.data.intentId);
  if (proposed !== undefined) open.set(event.data.intentId, { ...proposed, input: event.data.input });
}

type Decided = Extract<Event, { readonly type: "permission.decided" }>;

async function tryCall(
  tried: Outcome<TriedPolicy>,
  recorded: SessionState,
  proposed: EventData<"tool_intent.proposed">,
  { data, seq }: Decided,
): Promise<PolicyTrial> {
  const { intentId: id, tool, input, origin, createdAt } = proposed;
  const intent: ToolIntent = { id, tool, input, origin, createdAt };
  const before = verdictFacts(data);
  const { mode, after } = tried.ok
    ? await judgeAgain(tried.value, recorded, intent, data)
    : { mode: data.mode, after: refused(tried.failure.message) };
  const gone = tried.ok && tried.value.gone;
  return {
    session: recorded.id,
    seq,
    intentId: id,
    tool,
    input,
    mode,
    before,
    after,
    changed: before.decision !== after.decision,
    notes: [
      ...(gone ? ["The workspace is gone: judged by the recorded effects."] : []),
      ...(proposed.original === undefined ? [] : ["The recorded input is redacted."]),
      ...(data.source === "hook" ? ["A hook had decided; hooks were skipped."] : []),
      ...(data.source === "classifier" ? ["A classifier had decided."] : []),
    ],
  };
}

async function judgeAgain(
  policy: TriedPolicy,
  recorded: SessionState,
  intent: ToolIntent,
  data: Decided["data"],
): Promise<{ readonly mode: Mode; readonly after: TriedVerdict }> {
  const mode = policy.setsMode ? policy.settings.mode : clamp(data.mode, policy.settings.modeCeiling);
  const roots = [...new Set([...recorded.roots, ...policy.settings.roots])];
  const view: Viewpoint = {
    ...policy,
    log: { state: { ...recorded, mode, roots } },
    sandbox: { description: recordedSandbox(data.sandboxed) },
  };
  const identified = await identifyIntent(intent, view.registry, visibilityContext(view));
  if (!identified.ok) return { mode, after: refused(identified.refusal.message) };
  const asked = await askable({ journey: view }, identified.value);
  const question = policy.gone ? asRecorded(asked, data.effects, view) : asked;
  return { mode, after: verdictFacts(await view.gate.judge({ ...question, explainOnly: true })) };
}

/** It would not have come as far as a verdict. */
function refused(reason: string): TriedVerdict {
  return { decision: "deny", risk: "R0", reason, source: "refusal" };
}

function asRecorded(asked: GateQuestion, effects: readonly Effect[], { stateDirectory }: Viewpoint): GateQuestion {
  const report = withRecordedEffects(asked.report, effects);
  return { ...asked, report, assessment: assessRisk(report, { ...asked.workspace, stateDirectory }) };
}

function verdictFacts({ decision, risk, reason, source, rule }: TriedVerdict): TriedVerdict {
  return { decision, risk, reason, source, ...(rule === undefined ? {} : { rule }) };
}

type Mode = SessionState["mode"];

function clamp(mode: Mode, ceiling: Mode | undefined): Mode {
  return ceiling !== undefined && modesByWidth.indexOf(mode) > modesByWidth.indexOf(ceiling) ? ceiling : mode;
}

/** Whether commands were confined is a fact of then, and no question of policy. */
function recordedSandbox(enforces: boolean): SandboxDescription {
  return enforces
    ? { backend: "bubblewrap", enforces, detail: "Commands were confined.", limits: [] }
    : { backend: "none", enforces, detail: "Nothing confined commands.", limits: [] };
}
