import type { Archive } from "../../contract/app/archive.ts";
import type { PolicyTrial, TriedVerdict, UntriedSession } from "../../contract/app/policy.ts";
import type { Outcome } from "../../contract/codes.ts";
import { type Effect, type EffectPart, type EffectReport, isFileEffect } from "../../contract/effect.ts";
import type { Event, EventData } from "../../contract/events/index.ts";
import type { GateQuestion } from "../../contract/gate.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { ToolIntent } from "../../contract/intent.ts";
import { createScratch } from "../../contract/ports.ts";
import type { SessionState } from "../../contract/state.ts";
import { defineTool, type Tool } from "../../contract/tool.ts";
import { type Mode, modesByWidth } from "../../contract/verdict.ts";
import { assessRisk } from "../../effects/assess-risk.ts";
import { initialState, reduce } from "../../log/reduce.ts";
import { identifyIntent } from "../../registry/identify-intent.ts";
import { createRegistry } from "../../registry/registry.ts";
import type { VerdictParts } from "../../session/parts.ts";
import { pathPlaces } from "../../session/paths.ts";
import { questionOf, visibilityContext } from "../../session/question.ts";

export interface TriedPolicy extends Omit<VerdictParts, "log" | "execution"> {
  /** Whether the tried file sets a mode; otherwise the recorded one counts. */
  readonly setsMode: boolean;
  /** The workspace is gone: paths are what the log says. */
  readonly gone: boolean;
}

interface PolicyTrialParts {
  readonly archive: Pick<Archive, "events">;
  readonly sessions: readonly SessionId[];
  readonly policyIn: (workspace: string) => Outcome<TriedPolicy>;
  /** The user's current policy: a verdict that it gives too is not caused by the tried policy. */
  readonly ownIn: (workspace: string) => Outcome<TriedPolicy>;
}

interface Proposed extends EventData<"tool_intent.proposed"> {
  readonly called?: string;
}

/**
 * Recorded calls judged again by another policy, in the order of the log, one at a time. The state is the one of that
 * time, with its directory, mode and grants. Nothing runs, nothing is recorded, and redacted text stays redacted.
 */
export async function* tryPolicy({
  archive,
  sessions,
  policyIn,
  ownIn,
}: PolicyTrialParts): AsyncGenerator<PolicyTrial | UntriedSession> {
  for (const session of sessions) {
    const events = archive.events(session);
    if (!events.ok) {
      yield { session, problem: events.failure.message };
      continue;
    }
    const state = initialState(session);
    const open = new Map<string, Proposed>();
    for (const event of events.value) {
      if (event.type === "permission.decided") {
        const proposed = open.get(event.data.intentId);
        const policies = { tried: policyIn(state.workspace), own: () => ownIn(state.workspace) };
        if (proposed !== undefined) yield await tryCall(policies, state, proposed, event);
      }
      follow(open, event);
      reduce(state, event);
    }
  }
}

function follow(open: Map<string, Proposed>, event: Event): void {
  if (event.type === "tool_intent.proposed") open.set(event.data.intentId, event.data);
  if (event.type === "tool.observed") open.delete(event.data.intentId);
  if (event.type !== "tool_intent.revised" && event.type !== "tool_intent.checked") return;
  const proposed = open.get(event.data.intentId);
  if (proposed === undefined) return;
  const more = event.type === "tool_intent.revised" ? { input: event.data.input } : { called: event.data.tool };
  open.set(event.data.intentId, { ...proposed, ...more });
}

type Decided = Extract<Event, { readonly type: "permission.decided" }>;

async function tryCall(
  { tried, own }: { readonly tried: Outcome<TriedPolicy>; readonly own: () => Outcome<TriedPolicy> },
  recorded: SessionState,
  proposed: Proposed,
  { data, seq }: Decided,
): Promise<PolicyTrial> {
  const { intentId: id, tool, called = tool, input, origin, createdAt } = proposed;
  const intent: ToolIntent = { id, tool: called, input, origin, createdAt };
  const before = verdictFacts(data);
  const { mode, after } = tried.ok
    ? await judgeAgain(tried.value, recorded, intent, data)
    : { mode: data.mode, after: refused(tried.failure.message) };
  const gone = tried.ok && tried.value.gone;
  const changed = before.decision !== after.decision;
  const otherwise = changed ? await otherReason(own(), recorded, intent, { data, after }) : undefined;
  const notes = [
    gone && "The workspace is gone: judged by the recorded effects.",
    proposed.original !== undefined && "The recorded input is redacted.",
    data.source === "hook" && "A hook decided; hooks were skipped.",
    data.source === "classifier" && "A classifier decided.",
  ].filter((note) => note !== false);
  return { session: recorded.id, seq, intentId: id, tool, input, mode, before, after, changed, otherwise, notes };
}

/**
 * Why a verdict changed for another reason than the tried policy. The tried policy replaces only the user's rules: if
 * these did not decide then and would not decide now, and the rest is the same, the rest decided.
 */
async function otherReason(
  own: Outcome<TriedPolicy>,
  recorded: SessionState,
  intent: ToolIntent,
  { data, after }: { readonly data: Decided["data"]; readonly after: TriedVerdict },
): Promise<string | undefined> {
  if (!own.ok) return after.source === "refusal" ? "other settings are invalid" : undefined;
  if (data.source === "user") return undefined;
  const { after: now } = await judgeAgain(own.value, recorded, intent, data);
  if (now.decision !== after.decision || now.source === "user") return undefined;
  if (data.source === "command_line") return "a rule of that session's command line decided, and no file contains it";
  if (data.source === "hook") return "a hook decided, and hooks were skipped";
  return "your own settings now give the same verdict; something else has changed since";
}

async function judgeAgain(
  policy: TriedPolicy,
  recorded: SessionState,
  intent: ToolIntent,
  data: Decided["data"],
): Promise<{ readonly mode: Mode; readonly after: TriedVerdict }> {
  const mode = policy.setsMode ? policy.settings.mode : clamp(data.mode, policy.settings.modeCeiling);
  const { home, stateDirectory } = policy.places;
  const roots = [...new Set([...recorded.roots, ...policy.settings.roots])];
  const view: VerdictParts = {
    ...policy,
    log: { state: { ...recorded, mode, roots } },
    execution: { sandbox: recordedSandbox(data) },
    places: {
      ...policy.places,
      ...(data.sandboxed && { scratch: createScratch("/none", [...roots, home, stateDirectory]) }),
    },
  };
  const ofServer = recordedServerTool(intent.tool, data);
  const registry = ofServer === undefined ? view.tools.registry : createRegistry({ tools: [ofServer], dropped: [] });
  const identified = await identifyIntent(intent, registry, visibilityContext(view, intent));
  if (!identified.ok) return { mode, after: refused(identified.refusal.message) };
  const asked = await questionOf({ session: view }, identified.value);
  const question = policy.gone ? asRecorded(asked, data.effects, view) : asked;
  return { mode, after: verdictFacts(await view.gate.judge({ ...question, explainOnly: true })) };
}

function refused(reason: string): TriedVerdict {
  return { decision: "deny", risk: "R0", reason, source: "refusal" };
}

function asRecorded(asked: GateQuestion, effects: readonly Effect[], view: VerdictParts): GateQuestion {
  const report = withRecordedEffects(asked.report, effects);
  return { ...asked, report, assessment: assessRisk(report, pathPlaces(view)) };
}

function verdictFacts({ decision, risk, reason, source, rule }: TriedVerdict): TriedVerdict {
  return { decision, risk, reason, source, rule };
}

function clamp(mode: Mode, ceiling: Mode | undefined): Mode {
  return ceiling !== undefined && modesByWidth.indexOf(mode) > modesByWidth.indexOf(ceiling) ? ceiling : mode;
}

/** Whether commands were confined, and ran on views, is taken from the log: policy does not decide it. */
function recordedSandbox({ sandboxed: enforces, view }: Decided["data"]): VerdictParts["execution"]["sandbox"] {
  return {
    description: { backend: enforces ? "bubblewrap" : "none", enforces, detail: "As recorded.", limits: [] },
    ...(view ? { views: async () => ({ kind: "unprivileged" }) } : {}),
  };
}

/**
 * The recorded report, because the disk has changed since. The parts of a shell text are parsed again, for rules that
 * name commands, and each recorded effect goes to the part that mentions it.
 */
function withRecordedEffects(report: EffectReport, effects: readonly Effect[]): EffectReport {
  const { parts } = report;
  if (parts === undefined || parts.length === 0) return { ...report, effects };
  const byOwner = Map.groupBy(effects, (effect) => parts.find((part) => speaksOf(part, effect)) ?? parts[0]);
  return { ...report, effects, parts: parts.map((part) => ({ ...part, effects: byOwner.get(part) ?? [] })) };
}

function speaksOf(part: EffectPart, effect: Effect): boolean {
  if (isFileEffect(effect)) return part.text.includes(effect.path.written);
  switch (effect.op) {
    case "exec":
      return effect.argv.length > 0
        ? effect.argv.join(" ") === part.words?.join(" ")
        : part.text.includes(effect.program);
    case "connect":
      return part.text.includes(effect.host);
    default:
      return part.effects.some((own) => own.op === effect.op);
  }
}

/** An imported log may name anything. */
const serverToolName = /^mcp_(?:[a-z0-9_]{1,60}|_[A-Za-z0-9_-]{1,59})$/;

/**
 * A server's tool, reconstructed from a recorded call: judging again starts no server, and another policy may not
 * configure it. `undefined` for a call to no server.
 */
function recordedServerTool(
  name: string,
  { decision, effects, source }: Pick<EventData<"permission.decided">, "decision" | "effects" | "source">,
): Tool | undefined {
  if (!serverToolName.test(name) || !effects.some(({ op }) => op === "call")) return undefined;
  const tool: Tool = defineTool<unknown>({
    name,
    version: "1",
    description: `${name}, as recorded`,
    family: "other",
    risks: ["execute", "network"],
    ownership: "mcp",
    input: { "~standard": { version: 1, vendor: "gauntlet", validate: (value) => ({ value }) } },
    jsonSchema: {},
    schemaHash: "",
    requiresWorkspace: false,
    // Its server had changed the approved description.
    alwaysAsk: decision === "ask" && source === "tool_limit",
    effects: () => ({ effects }),
    run: async () => ({ ok: false, failure: { code: "tool_failed", message: "A recorded call does not run." } }),
  });
  return { ...tool, source: "mcp" };
}
