import path from "node:path";
import { clip } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";
import type { ModelMessage, ModelToolDescription, UsableModel } from "../../contract/model.ts";
import type { SessionState } from "../../contract/state.ts";
import { type SessionLog, type SessionReader, unreadable } from "../../contract/store.ts";
import { estimateTokens, roomFor, tokensOf } from "./estimate-tokens.ts";
import type { Transcript } from "./transcript.ts";

/** How much history stays: the last turns as far as they fit well, the last one, or nothing. */
export const keeps = ["turns", "last", "none"] as const;
export type KeptShare = (typeof keeps)[number];

export type CompactionReason = EventData<"context.compacted">["reason"];

export interface Compaction {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface CompactionPlan extends Compaction {
  readonly keep: KeptShare;
  readonly upTo: number;
  readonly messages: readonly ModelMessage[];
  readonly summary: string;
  readonly forgotten: readonly EventDraft[];
}

export interface WantedCompaction {
  readonly reason: CompactionReason;
  readonly model: UsableModel;
  readonly among: readonly KeptShare[];
}

interface PlannerParts {
  readonly log: Pick<SessionLog, "events" | "state">;
  readonly transcript: Transcript;
  readonly tools: () => readonly ModelToolDescription[];
  readonly size: () => number;
}

const worthwhile = 0.9;

/** Plans the smallest compaction that gains enough. Fails if none does. */
export function createCompactionPlanner({ log, transcript, tools, size }: PlannerParts) {
  let looked: { readonly messages: readonly ModelMessage[]; readonly size: number } | undefined;

  /**
   * Planning reads the whole session. After a plan without a result (nothing to gain, or refused by a hook) the next
   * one waits until there is that much more to gain.
   */
  function isTooSoon(now: number): boolean {
    return looked?.messages === transcript.messages && now >= looked.size && now < looked.size / worthwhile;
  }

  function planKeeping(keep: KeptShare, room: number): Outcome<CompactionPlan> {
    const { messages, starts, summarised } = transcript;
    const menu = estimateTokens(JSON.stringify(tools()));
    const tokensBefore = menu + tokensOf(messages);
    const kept = chooseKept(transcript, { tokens: { turns: room / 5, last: 1, none: 0 }[keep] });
    if (kept === undefined) return nothingOlder;
    const isTooMuch = (tokens: number) => tokens > tokensBefore * worthwhile;
    const staying = menu + tokensOf(messages.filter((_, index) => starts[index] === 0)) + kept.tokens;
    // The summary only adds to it, so the log is not read to make one.
    if (isTooMuch(staying)) return nothingOlder;
    const { upTo } = kept;
    try {
      const summary = summarise(log, log.state, { from: summarised + 1, upTo });
      const tokensAfter = staying + estimateTokens(summary);
      if (isTooMuch(tokensAfter)) return nothingOlder;
      const forgotten = forgottenBy(log, log.state, upTo);
      return ok({ summary, forgotten, keep, upTo, messages, tokensBefore, tokensAfter });
    } catch (error) {
      return unreadable(error);
    }
  }

  return ({ reason, model, among }: WantedCompaction): Outcome<CompactionPlan> => {
    if (reason === "pressure") {
      const now = size();
      if (isTooSoon(now)) return nothingOlder;
      looked = { messages: transcript.messages, size: now };
    }
    for (const keep of among) {
      const plan = planKeeping(keep, roomFor(model.profile));
      if (plan.ok || plan.failure.code === "log_unavailable") return plan;
    }
    return nothingOlder;
  };
}

export const nothingOlder = fail("runtime_precondition_failed", "There is no older history to compact.");

const mostTurns = 6;

interface KeptHistory {
  readonly upTo: number;
  readonly from: number;
  readonly tokens: number;
}

/** * The last turns that fit into `tokens`, and at least one unless `tokens` is 0. `undefined` when nothing would be
 * left out. Calls and their results stay together.
 */
export function chooseKept(
  { messages, starts }: Pick<Transcript, "messages" | "starts">,
  room: { readonly tokens: number },
): KeptHistory | undefined {
  let from = messages.length;
  let kept = 0;
  let turns = 0;
  for (let at = messages.length - 1; at > 0 && turns < mostTurns && room.tokens > 0; at = from - 1) {
    let first = at;
    while (first > 1 && starts[first - 1] === starts[at]) first -= 1;
    const tokens = tokensOf(messages.slice(first, at + 1));
    if (turns > 0 && kept + tokens > room.tokens) break;
    if (messages[first]?.role === "assistant") turns += 1;
    kept += tokens;
    from = first;
  }
  const upTo = Math.min((starts[from] ?? Number.POSITIVE_INFINITY) - 1, starts.at(-1) ?? 0);
  // The fixed messages at the start of every history are not worth a compaction.
  const dropped = messages.slice(1, from).filter((_, index) => (starts[index + 1] ?? 0) > 0);
  return dropped.length < 2 ? undefined : { upTo, from, tokens: kept };
}

type EventSource = Pick<SessionReader, "events">;

/**
 * * Files whose text the model no longer sees. Otherwise a later read would report "unchanged", and the model would
 * edit * from memory.
 */
function forgottenBy(log: EventSource, { baselines }: SessionState, upTo: number): readonly EventDraft[] {
  const before = new Set<string>();
  const after = new Set<string>();
  for (const event of log.events({ types: ["file.read"] })) {
    if (event.type === "file.read") (event.seq <= upTo ? before : after).add(event.data.path);
  }
  // A later read may only have reported "unchanged".
  return [...baselines.values()]
    .filter(({ path: file, shown }) => shown === true && (before.has(file) || !after.has(file)))
    .map(({ path: file }) => ({ type: "file.forgotten", data: { path: file } }));
}

const longest = { task: 4_000, message: 1_500, words: 400, messages: 6_000, list: 40, item: 200, calls: 12, said: 4 };

/** Facts from the log, and the model's own text marked as such. No model is asked: the same log gives the same text. */
export function summarise(
  log: EventSource,
  state: SessionState,
  range: { readonly from: number; readonly upTo: number },
): string {
  const shown = (file: string) =>
    file.startsWith(`${state.workspace}/`) ? path.relative(state.workspace, file) : file;
  const { messages, calls, words } = collect(log, range);
  const checks = [...state.verifications.values()].map(({ kinds, command, passed, afterChange }) => {
    const outdated = afterChange < state.lastChange ? ", before the last change" : "";
    return `${kinds.join(", ")}: ${clip(command, longest.item)} ${passed ? "passed" : "failed"}${outdated}`;
  });
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["The task", state.run === null ? [] : [clip(state.run.goal, longest.task)]],
    ["User messages, oldest first", messages],
    [
      "Files changed so far",
      [...state.changedFiles].map(([file, hash]) => `${shown(file)}${hash === null ? " (gone)" : ""}`),
    ],
    [
      "Your todo list",
      state.plan.map(({ content, status }) => `${status.replace("_", " ")}: ${clip(content, longest.item)}`),
    ],
    ["Latest checks", checks],
    [
      "Commands still running",
      [...state.openJobs.values()].map(({ jobId, command }) => `${jobId}: ${clip(command, longest.item)}`),
    ],
    ["Files read", [...state.baselines.keys()].map(shown)],
    ["Last omitted calls", calls],
    ["Your last text then (a claim, not a fact)", words],
  ];
  return [
    "Older history was compacted. Summary from the log:",
    ...sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : [`${title}:`, ...lastOnes(lines)])),
    "Read files again before you rely on their content.",
  ].join("\n");
}

function collect(log: EventSource, { from, upTo }: { readonly from: number; readonly upTo: number }) {
  const messages: string[] = [];
  for (const event of log.events({ types: ["user.message"] })) {
    if (event.seq > upTo) break;
    if (event.type === "user.message" && event.data.by !== "runtime") messages.push(describeMessage(event.data));
  }
  const calls: string[] = [];
  const words: string[] = [];
  for (const event of log.events({ from, types: ["tool.observed", "model.text"] })) {
    if (event.seq > upTo) break;
    if (event.type === "model.text") words.push(clip(oneLine(event.data.text), longest.words));
    else if (event.type === "tool.observed") calls.push(describeCall(event.data));
    if (words.length > longest.said) words.shift();
    if (calls.length > longest.calls) calls.shift();
  }
  let left = longest.messages;
  const older = messages.findLastIndex(({ length }) => {
    left -= length;
    return left < 0;
  });
  return { messages: messages.slice(older + 1), calls, words };
}

function describeMessage({ text, piped }: EventData<"user.message">): string {
  const words = clip(text, longest.message);
  return piped === undefined ? words : `${words} (with ${piped.bytes} bytes piped in, kept as ${piped.artifact})`;
}

function describeCall({ observation: { title, code, artifacts } }: EventData<"tool.observed">): string {
  const output = artifacts.find(({ kind }) => kind === "command_output" || kind === "tool_output");
  return `${title}: ${code}${output === undefined ? "" : `, output kept as ${output.id}`}`;
}

function lastOnes(lines: readonly string[]): readonly string[] {
  const left = lines.length - longest.list;
  const listed = lines.slice(-longest.list).map((line) => `- ${oneLine(line)}`);
  return left > 0 ? [`- and ${left} earlier ones`, ...listed] : listed;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
