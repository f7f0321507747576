import { withoutSecrets } from "../../base/secret-span.ts";
import type { ContextUse } from "../../contract/app/agent.ts";
import type { Door, RecordedInput } from "../../contract/app/door.ts";
import type { ArtifactRef } from "../../contract/artifact.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { ContextDecision, PipedData } from "../../contract/events/run.ts";
import {
  type Effort,
  type ModelMessage,
  type ModelProfile,
  type ModelRef,
  type ModelToolDescription,
  modelName,
  type TokenUsage,
  type UsableModel,
} from "../../contract/model.ts";
import { toolSearchName } from "../../contract/tool.ts";
import { createSpool } from "../../execution/spool.ts";
import { boundContent } from "../../observation/bound-content.ts";
import { createCleaner } from "../../observation/shown-text.ts";
import { searchableNames, withNames } from "../../registry/deferral.ts";
import { describedTool } from "../../registry/registry.ts";
import type { SessionParts } from "../../session/parts.ts";
import { privatePaths } from "../../session/paths.ts";
import { visibilityContext } from "../../session/question.ts";
import {
  type Compaction,
  type CompactionPlan,
  type CompactionReason,
  createCompactionPlanner,
  keeps,
  nothingOlder,
  type WantedCompaction,
} from "./compaction.ts";
import { bytesOf, createTokenMeter, type Pressure, pressureOf, roomFor } from "./estimate-tokens.ts";
import { endedJobsNote, type StandingMark, standingText } from "./notes.ts";
import { standardInput } from "./present-observation.ts";
import { environmentFacts, readInstructions, skillNames } from "./standing-texts.ts";
import type { Transcript } from "./transcript.ts";

export type { CompactionPlan, WantedCompaction };
export { keeps };

export interface Projection {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolDescription[];
  readonly pressure: Pressure;
}

export interface TakenPiped {
  readonly shown: PipedData;
  readonly artifact: ArtifactRef;
}

/** Decides which part of a session a model sees. */
export interface ContextPolicy {
  standing(): Promise<readonly EventDraft[]>;
  /** Stores the piped input of a message, and returns the part that this model sees. */
  piped(text: string, model: UsableModel): Promise<Outcome<TakenPiped>>;
  /** Events since the last request that no call reports: recorded once, before the next request. */
  news(): readonly EventDraft[];
  pressure(model: UsableModel): Pressure;
  use(model: UsableModel): ContextUse;
  /** Records the exact input of a turn. The input must not change afterwards. */
  project(turn: { readonly turnId: string; readonly model: UsableModel }): Outcome<Projection>;
  /**
   * Takes the provider's token count of the last input. Returns the share of the context that the next one starts with.
   */
  counted(usage: TokenUsage, model: UsableModel): number;
  /** The older history that a compaction would drop. Changes nothing yet. Fails if nothing would be gained. */
  planCompaction(wanted: WantedCompaction): Outcome<CompactionPlan>;
  /** Replaces older history by its facts. Fails if it was replaced since the plan. */
  compact(reason: CompactionReason, plan: CompactionPlan): Outcome<Compaction>;
}

interface ContextParts
  extends Pick<SessionParts, "log" | "settings" | "tools" | "places" | "execution" | "storage" | "runtime"> {
  readonly door: Door;
  readonly transcript: Transcript;
  readonly platform: string;
  readonly readText: (file: string) => string | undefined;
}

const compactionReasons = {
  pressure: "the history is close to the model's context limit",
  context_length: "the provider refused the input as too long",
  asked: "requested by the user",
} as const;

export function createContextPolicy(parts: ContextParts): ContextPolicy {
  const { door, log, settings, transcript } = parts;
  const meter = createTokenMeter();
  const recorder = createInputRecorder();
  const tools = createToolDescriptions(parts);
  const size = () => meter.estimate(transcript.messages, tools());
  const plan = createCompactionPlanner({ log, transcript, tools, size });
  const pressure = ({ profile }: UsableModel) => pressureOf(size(), profile, settings.context.compactAt);
  let about: readonly ContextDecision[] = [];
  let history: readonly ContextDecision[] = [{ what: "history", decision: "include", reason: "it fits" }];
  let decided = "";

  function newDecisions(): readonly ContextDecision[] | undefined {
    const decisions = [...about, ...history];
    const text = JSON.stringify(decisions);
    if (text === decided) return undefined;
    decided = text;
    return decisions;
  }

  function changed(mark: StandingMark, text: string): readonly EventDraft[] {
    const draft = standingText(mark, text);
    const before = transcript.standing(mark);
    const isSame = before === undefined ? text === "" : parts.storage.redact(draft.data.text) === before;
    return isSame ? [] : [draft];
  }

  return {
    piped: (text, { profile }) => takePiped(parts, text, profile),
    async standing() {
      const { state } = log;
      const instructions = await readInstructions({ ...parts, state, cap: settings.context.instructionBytes });
      const skills = await skillNames(parts.tools.skills, door.explain);
      about = [...instructions.decisions, ...skills.decisions];
      return [
        ...changed("session-environment", environmentFacts({ ...parts, state })),
        ...changed("project-instructions", instructions.text),
        ...changed("available-skills", skills.text),
      ];
    },
    news: () => endedJobsNote(transcript.endedJobs, (id) => parts.execution.jobs.get(id) !== undefined),
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
      const modelInput = recorder.added({ model: model.ref, tools: offered, messages, effort: settings.models.effort });
      const tokens = { estimate: now.estimate, pressure: round(now.share) };
      const projected = door.projectContext({ turnId, modelInput, decisions: newDecisions(), tokens });
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
      const data = { reason, upTo, summary, tokensBefore, tokensAfter };
      const stored = log.append([{ type: "context.compacted", data }, ...forgotten]);
      if (!stored.ok) return stored;
      history = [
        { what: `events up to ${upTo}`, decision: "summarise", reason: compactionReasons[reason] },
        { what: "large outputs among them", decision: "reference", reason: "they are kept as artifacts" },
        { what: `events after ${upTo}`, decision: "include", reason: "the latest turns are unchanged" },
      ];
      return ok({ tokensBefore, tokensAfter });
    },
  };
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}

/** The same array while the menu is the same, so that its translation can be cached. */
function createToolDescriptions(session: Pick<ContextParts, "log" | "settings" | "tools" | "execution" | "storage">) {
  const { registry } = session.tools;
  const { redact, redactValue } = session.storage;
  let known: { readonly hash: string; readonly tools: readonly ModelToolDescription[] } | undefined;
  return (): readonly ModelToolDescription[] => {
    registry.refresh();
    const visibility = visibilityContext(session);
    const hash = registry.menuHash(visibility);
    if (known?.hash === hash) return known.tools;
    const shown = registry.shown(visibility);
    const loaded = shown.filter((one) => one.loaded);
    const tools = loaded.flatMap(({ tool }) => {
      const described = describedTool(tool, visibility);
      if (described.name === toolSearchName) return withNames(described, redact(searchableNames(shown)));
      return tool.source === "builtin" ? described : (withoutSecrets(described, redactValue) ?? []);
    });
    known = { hash, tools };
    return tools;
  };
}

const shareOfRoom = 0.5;

/**
 * All piped input is stored. Input that fits well into the model's context is shown whole; of a longer one the model
 * gets excerpts and the id of the artifact, as with the output of a command.
 */
async function takePiped(
  { settings, places, storage: { artifacts, redact } }: Pick<SessionParts, "settings" | "places" | "storage">,
  text: string,
  profile: Pick<ModelProfile, "contextTokens" | "maxOutputTokens">,
): Promise<Outcome<TakenPiped>> {
  const spool = createSpool({ artifacts, keepBytes: bytesOf(roomFor(profile) * shareOfRoom) });
  await spool.write(Buffer.from(text));
  const stream = await spool.finish();
  if (!stream.ok) return stream;
  const kept = stream.value.artifact === undefined ? artifacts.put("command_output", text) : ok(stream.value.artifact);
  if (!kept.ok) return kept;
  const artifact = kept.value;
  const bounded = boundContent([{ format: "stream", label: standardInput, stream: { ...stream.value, artifact } }], {
    limits: { maxChars: settings.limits.turnChars, maxLines: Number.POSITIVE_INFINITY },
    cleaner: createCleaner({ redact, privatePaths: privatePaths(places.stateDirectory) }),
    artifacts,
    pages: false,
  });
  const { bytes, lines } = stream.value;
  const shown = bounded.blocks.map((block) => block.text).join("\n");
  const { omittedBytes } = bounded;
  return ok({ artifact, shown: { text: shown, bytes, lines, omittedBytes, artifact: artifact.id } });
}

/**
 * The exact input as JSON lines; each turn adds its own: a line with the model, its options and the tools whenever they
 * change, and a line for every message. The last such line and all messages are the request.
 */
function createInputRecorder() {
  let messages: readonly ModelMessage[] | undefined;
  let tools: readonly ModelToolDescription[] | undefined;
  let length = 0;
  let header = "";
  let last: RecordedInput | undefined;
  return {
    added(input: {
      readonly model: ModelRef;
      readonly effort?: Effort;
      readonly tools: readonly ModelToolDescription[];
      readonly messages: readonly ModelMessage[];
    }): { readonly added: string; readonly continues?: RecordedInput } {
      const { effort } = input;
      const model = modelName(input.model);
      if (input.messages !== messages) {
        ({ messages } = input);
        length = 0;
        header = "";
        last = undefined;
      }
      const lines: string[] = [];
      const options = `${model} ${effort ?? ""}`;
      if (options !== header || input.tools !== tools) {
        header = options;
        ({ tools } = input);
        lines.push(JSON.stringify({ model, effort, tools }));
      }
      lines.push(...input.messages.slice(length).map((message) => JSON.stringify(message)));
      ({ length } = input.messages);
      return { added: lines.map((line) => `${line}\n`).join(""), continues: last };
    },
    recorded(input: RecordedInput) {
      last = input;
    },
  };
}
