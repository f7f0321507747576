import { withoutSecrets } from "../../base/secret-span.ts";
import type { ContextUse } from "../../contract/app/agent.ts";
import type { Door, RecordedInput } from "../../contract/app/door.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { ContextDecision } from "../../contract/events/run.ts";
import {
  type Effort,
  type ModelMessage,
  type ModelRef,
  type ModelToolDescription,
  modelName,
  type TokenUsage,
  type UsableModel,
} from "../../contract/model.ts";
import { toolSearchName } from "../../contract/tool.ts";
import { describedTool } from "../../registry/registry.ts";
import { searchableNames, withNames } from "../../registry/searchable-names.ts";
import { type SessionParts, visibilityContext } from "../../session/parts.ts";
import {
  type Compaction,
  type CompactionPlan,
  type CompactionReason,
  createCompactionPlanner,
  keeps,
  nothingOlder,
  type WantedCompaction,
} from "./compaction.ts";
import { createTokenMeter, type Pressure, pressureOf, roomFor } from "./estimate-tokens.ts";
import { endedJobsNote, type StandingMark, standingText } from "./notes.ts";
import { type TakenPiped, takePiped } from "./piped-data.ts";
import { environmentFacts, readInstructions, skillNames } from "./standing-texts.ts";
import type { Transcript } from "./transcript.ts";

export type { CompactionPlan, TakenPiped, WantedCompaction };
export { keeps };

/** What a model is about to be sent, on record. */
export interface Projection {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolDescription[];
  readonly pressure: Pressure;
}

/** Decides what of a session a model is shown. The loop asks, and looks into nothing by itself. */
export interface ContextPolicy {
  /** Texts about the place and from the project that the model has not been shown as they are now. */
  standing(): Promise<readonly EventDraft[]>;
  /** Keeps what was piped in with a message, and says what of it this model is shown. */
  piped(text: string, model: UsableModel): Promise<Outcome<TakenPiped>>;
  /** What happened since the model was asked last and no call brings: on record once, before it is asked again. */
  news(): readonly EventDraft[];
  /** Of the next request to this model. */
  pressure(model: UsableModel): Pressure;
  /** How full it is, for who only looks: a call that still waits for its answer stays open. */
  use(model: UsableModel): ContextUse;
  /** Records the exact input of a turn. After it nothing of that input changes. */
  project(turn: { readonly turnId: string; readonly model: UsableModel }): Outcome<Projection>;
  /** What the provider counted for the input that was projected last. Gives the share that the next one begins with. */
  counted(usage: TokenUsage, model: UsableModel): number;
  /** What of the older history would go. Nothing has changed yet. Fails when nothing would be gained. */
  planCompaction(wanted: WantedCompaction): Outcome<CompactionPlan>;
  /** Older history is replaced by its facts. Fails when that happened since it was planned. */
  compact(reason: CompactionReason, plan: CompactionPlan): Outcome<Compaction>;
}

export interface ContextParts
  extends Pick<
    SessionParts,
    | "log"
    | "registry"
    | "sandbox"
    | "settings"
    | "metadata"
    | "files"
    | "home"
    | "clock"
    | "redact"
    | "redactValue"
    | "skills"
    | "jobs"
    | "contextTokens"
    | "artifacts"
    | "stateDirectory"
  > {
  readonly door: Door;
  readonly transcript: Transcript;
  readonly platform: string;
  readonly readText: (file: string) => string | undefined;
}

export function createContextPolicy(parts: ContextParts): ContextPolicy {
  const { door, log, settings, transcript } = parts;
  const meter = createTokenMeter();
  const recorder = createInputRecorder();
  const tools = createToolDescriptions(parts);
  const plan = createCompactionPlanner({ log, transcript, tools, size });
  const effort: Effort | undefined = settings.models.effort;
  let about: readonly ContextDecision[] = [];
  let history: readonly ContextDecision[] = [{ what: "history", decision: "include", reason: "it fits" }];
  let decided = "";

  function size(): number {
    return meter.estimate(transcript.messages, tools());
  }

  function pressure({ profile }: UsableModel): Pressure {
    return pressureOf(size(), profile, settings.context.compactAt);
  }

  /** Only where they are others than before. */
  function newDecisions(): { readonly decisions?: readonly ContextDecision[] } {
    const decisions = [...about, ...history];
    const text = JSON.stringify(decisions);
    if (text === decided) return {};
    decided = text;
    return { decisions };
  }

  function changed(mark: StandingMark, text: string): readonly EventDraft[] {
    const draft = standingText(mark, text);
    const before = transcript.standing(mark);
    const unsaid = text === "" && before === undefined;
    return unsaid || parts.redact(draft.data.text) === before ? [] : [draft];
  }

  return {
    piped: (text, { profile }) => takePiped(parts, text, profile),
    async standing() {
      const { state } = log;
      const cap = settings.context.instructionBytes;
      const instructions = await readInstructions({ ...parts, state, cap, explain: door.explain });
      const skills = await skillNames(parts.skills, door.explain);
      about = [...instructions.decisions, ...skills.decisions];
      const environment = environmentFacts({
        state,
        sandbox: parts.sandbox.description,
        platform: parts.platform,
        now: parts.clock.now(),
        readText: parts.readText,
      });
      return [
        ...changed("session-environment", environment),
        ...changed("project-instructions", instructions.text),
        ...changed("available-skills", skills.text),
      ];
    },
    news() {
      return endedJobsNote(transcript.endedJobs, (id) => parts.jobs.get(id) !== undefined);
    },
    pressure(model) {
      transcript.settle();
      return pressure(model);
    },
    use: (model) => ({
      tokens: pressure(model).estimate,
      limit: roomFor(model.profile),
      assumed: model.profile.contextAssumed ?? false,
    }),
    project({ turnId, model }) {
      transcript.settle();
      const { messages } = transcript;
      const offered = tools();
      const now = pressure(model);
      const exact = { model: model.ref, tools: offered, messages, ...(effort === undefined ? {} : { effort }) };
      const projected = door.projectContext({
        turnId,
        modelInput: recorder.added(exact),
        ...newDecisions(),
        tokens: { estimate: now.estimate, pressure: round(now.share) },
      });
      if (!projected.ok) return projected;
      if (projected.value.input !== undefined) recorder.recorded(projected.value.input);
      return ok({ messages, tools: offered, pressure: now });
    },
    counted({ inputTokens, outputTokens }, { profile }) {
      meter.counted(inputTokens);
      return round((inputTokens + outputTokens) / roomFor(profile));
    },
    planCompaction(wanted) {
      transcript.settle();
      return plan(wanted);
    },
    compact(reason, { messages, upTo, summary, forgotten, tokensBefore, tokensAfter }) {
      if (messages !== transcript.messages) return nothingOlder;
      const stored = log.append([
        { type: "context.compacted", data: { reason, upTo, summary, tokensBefore, tokensAfter } },
        ...forgotten,
      ]);
      if (!stored.ok) return stored;
      history = [
        { what: `events up to ${upTo}`, decision: "summarise", reason: compactionReasons[reason] },
        { what: "large outputs among them", decision: "reference", reason: "they are kept as artifacts" },
        { what: `events after ${upTo}`, decision: "include", reason: "the latest turns stay as they are" },
      ];
      return ok({ tokensBefore, tokensAfter });
    },
  };
}

const compactionReasons = {
  pressure: "the history came near to the model's limit",
  context_length: "the provider refused the input as too long",
  asked: "a person asked for it",
} as const;

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}

/** The same array for as long as the menu is the same: whoever translates it may remember that. */
export function createToolDescriptions(
  session: Pick<SessionParts, "registry" | "log" | "sandbox" | "settings" | "contextTokens" | "redact" | "redactValue">,
) {
  let known: { readonly hash: string; readonly tools: readonly ModelToolDescription[] } | undefined;
  return (): readonly ModelToolDescription[] => {
    session.registry.refresh();
    const visibility = visibilityContext(session);
    const hash = session.registry.menuHash(visibility);
    if (known?.hash === hash) return known.tools;
    const shown = session.registry.shown(visibility);
    const loaded = shown.filter((one) => one.loaded);
    const tools = loaded.flatMap(({ tool }) => {
      const described = describedTool(tool, visibility);
      if (described.name === toolSearchName) return withNames(described, session.redact(searchableNames(shown)));
      return tool.source === "builtin" ? described : (withoutSecrets(described, session.redactValue) ?? []);
    });
    known = { hash, tools };
    return tools;
  };
}

export interface ExactInput {
  readonly model: ModelRef;
  readonly effort?: Effort;
  readonly tools: readonly ModelToolDescription[];
  readonly messages: readonly ModelMessage[];
}

/**
 * The exact input as JSON lines, of which each turn adds its own: a line with the model, its options and the tools
 * wherever they change, and a line for every message. The last such line and all messages are what was sent.
 */
export interface InputRecorder {
  added(input: ExactInput): { readonly added: string; readonly continues?: RecordedInput };
  recorded(input: RecordedInput): void;
}

export function createInputRecorder(): InputRecorder {
  let messages: readonly ModelMessage[] | undefined;
  let tools: readonly ModelToolDescription[] | undefined;
  let length = 0;
  let header = "";
  let last: RecordedInput | undefined;

  return {
    added(input) {
      if (input.messages !== messages) {
        ({ messages } = input);
        length = 0;
        header = "";
        last = undefined;
      }
      const lines: string[] = [];
      const options = `${modelName(input.model)} ${input.effort ?? ""}`;
      if (options !== header || input.tools !== tools) {
        header = options;
        ({ tools } = input);
        const { model, effort } = input;
        lines.push(JSON.stringify({ model: modelName(model), ...(effort === undefined ? {} : { effort }), tools }));
      }
      for (; length < input.messages.length; length++) lines.push(JSON.stringify(input.messages[length]));
      return {
        added: lines.length === 0 ? "" : `${lines.join("\n")}\n`,
        ...(last === undefined ? {} : { continues: last }),
      };
    },
    recorded(input) {
      last = input;
    },
  };
}
