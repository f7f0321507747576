import path from "node:path";
import { clip } from "../../base/text.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventData, EventDraft } from "../../contract/events/index.ts";
import type { ModelMessage } from "../../contract/model.ts";
import type { SessionState } from "../../contract/state.ts";
import { type SessionReader, unreadable } from "../../contract/store.ts";
import { messageTokens } from "./estimate-tokens.ts";
import type { Transcript } from "./transcript.ts";

/** Turns that stay as they are, at most. */
const mostTurns = 6;

export interface Kept {
  /** Events up to here are shown only through the summary. */
  readonly upTo: number;
  /** Index of the first message that stays. */
  readonly from: number;
  readonly tokens: number;
}

/**
 * The last turns that fit into `tokens`, and one in any case unless `tokens` is 0. `undefined` when nothing would
 * be left out. Calls and their results stay together.
 */
export function chooseKept(
  { messages, starts }: Pick<Transcript, "messages" | "starts">,
  room: { readonly tokens: number },
): Kept | undefined {
  let from = messages.length;
  let kept = 0;
  let turns = 0;
  for (let at = messages.length - 1; at > 0 && turns < mostTurns && room.tokens > 0; ) {
    const first = firstOf(starts, at);
    const tokens = sum(messages.slice(first, at + 1));
    if (turns > 0 && kept + tokens > room.tokens) break;
    if (messages[first]?.role === "assistant") turns += 1;
    kept += tokens;
    from = first;
    at = first - 1;
  }
  const upTo = (starts[from] ?? Number.POSITIVE_INFINITY) - 1;
  const last = Math.min(upTo, lastStart(starts));
  // What is left out must be more than what stands in front of every history.
  const dropped = messages.slice(1, from).filter((_, index) => (starts[index + 1] ?? 0) > 0);
  return dropped.length < 2 ? undefined : { upTo: last, from, tokens: kept };
}

function firstOf(starts: readonly number[], at: number): number {
  let first = at;
  while (first > 1 && starts[first - 1] === starts[at]) first -= 1;
  return first;
}

function lastStart(starts: readonly number[]): number {
  return starts.at(-1) ?? 0;
}

function sum(messages: readonly ModelMessage[]): number {
  return messages.reduce((total, message) => total + messageTokens(message), 0);
}

export interface LeftOut {
  readonly summary: string;
  readonly forgotten: readonly EventDraft[];
}

/** What takes the place of the events up to `upTo`, of which those from `from` on are in no summary yet. */
export function leaveOut(
  log: Pick<SessionReader, "events">,
  state: SessionState,
  range: { readonly from: number; readonly upTo: number },
): Outcome<LeftOut> {
  try {
    return ok({ summary: summarise(log, state, range), forgotten: forgottenBy(log, state, range.upTo) });
  } catch (error) {
    return unreadable(error);
  }
}

/**
 * Files whose text is no longer in front of the model. The session must not go on as if it were: a later reading
 * would be told that nothing changed, and a change would be made from memory.
 */
function forgottenBy(
  log: Pick<SessionReader, "events">,
  { baselines }: Pick<SessionState, "baselines">,
  upTo: number,
): readonly EventDraft[] {
  const before = new Set<string>();
  const after = new Set<string>();
  for (const event of log.events({ types: ["file.read"] })) {
    if (event.type === "file.read") (event.seq <= upTo ? before : after).add(event.data.path);
  }
  // Read again later may mean only that it was unchanged.
  return [...baselines.values()]
    .filter(({ path: file, shown }) => shown === true && (before.has(file) || !after.has(file)))
    .map(({ path: file }) => ({ type: "file.forgotten", data: { path: file } }));
}

const longest = { task: 4_000, message: 1_500, words: 400, messages: 6_000, list: 40, calls: 12 };

/**
 * What stands for history that is left out: facts of the log, and the model's own words only as such. No model is
 * asked, so the same log gives the same text.
 */
export function summarise(
  log: Pick<SessionReader, "events">,
  state: SessionState,
  range: { readonly from: number; readonly upTo: number },
): string {
  const shown = (file: string) =>
    file.startsWith(`${state.workspace}/`) ? path.relative(state.workspace, file) : file;
  const facts = collect(log, range);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["The task", state.run === null ? [] : [clip(state.run.goal, longest.task)]],
    ["What the person said, oldest first", facts.messages],
    [
      "Files changed so far",
      [...state.changedFiles].map(([file, hash]) => `${shown(file)}${hash === null ? " (gone)" : ""}`),
    ],
    [
      "Your list of steps",
      state.plan.map(({ content, status }) => `${status.replace("_", " ")}: ${clip(content, 200)}`),
    ],
    ["Latest checks", [...state.verifications.values()].map((check) => describeCheck(check, state))],
    ["Commands still running", [...state.openJobs.values()].map((job) => `${job.jobId}: ${clip(job.command, 200)}`)],
    ["Files read", [...state.baselines.keys()].map(shown)],
    ["Last calls that are left out", facts.calls],
    ["What you said then (a claim, not a fact)", facts.words],
  ];
  return [
    "Older history was left out. This is what the record says of it:",
    ...sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : [`${title}:`, ...lastOnes(lines)])),
    "Read files again before you rely on what they held.",
  ].join("\n");
}

function describeCheck(
  check: { kinds: readonly string[]; command: string; passed: boolean; afterChange: number },
  { lastChange }: SessionState,
) {
  const outdated = check.afterChange < lastChange ? ", before the last change" : "";
  return `${check.kinds.join(", ")}: ${clip(check.command, 200)} ${check.passed ? "passed" : "failed"}${outdated}`;
}

interface Collected {
  readonly messages: readonly string[];
  readonly calls: readonly string[];
  readonly words: readonly string[];
}

function collect(
  log: Pick<SessionReader, "events">,
  { from, upTo }: { readonly from: number; readonly upTo: number },
): Collected {
  const messages: string[] = [];
  for (const event of log.events({ types: ["user.message"] })) {
    if (event.seq > upTo) break;
    if (event.type === "user.message" && event.data.by !== "runtime") messages.push(describeMessage(event.data));
  }
  const calls: string[] = [];
  const words: string[] = [];
  for (const event of log.events({ from, types: ["tool.observed", "model.text"] })) {
    if (event.seq > upTo) break;
    if (event.type === "model.text") keepLast(words, clip(oneLine(event.data.text), longest.words), 4);
    else if (event.type === "tool.observed") keepLast(calls, describeCall(event), longest.calls);
  }
  return { messages: lastChars(messages, longest.messages), calls, words };
}

function describeMessage({ text, piped }: EventData<"user.message">): string {
  const words = clip(text, longest.message);
  return piped === undefined ? words : `${words} (with ${piped.bytes} bytes piped in, kept as ${piped.artifact})`;
}

function describeCall({ data: { observation } }: Extract<Event, { type: "tool.observed" }>): string {
  const { title, code, artifacts } = observation;
  const output = artifacts.find(({ kind }) => kind === "command_output" || kind === "tool_output");
  return `${title}: ${code}${output === undefined ? "" : `, output kept as ${output.id}`}`;
}

function keepLast(list: string[], item: string, most: number): void {
  list.push(item);
  if (list.length > most) list.shift();
}

function lastChars(list: readonly string[], chars: number): readonly string[] {
  let first = list.length;
  for (let left = chars; first > 0; first--) {
    left -= list[first - 1]?.length ?? 0;
    if (left < 0) break;
  }
  return list.slice(first);
}

function lastOnes(lines: readonly string[]): readonly string[] {
  const left = lines.length - longest.list;
  const listed = lines.slice(-longest.list).map((line) => `- ${oneLine(line)}`);
  return left > 0 ? [`- and ${left} before these`, ...listed] : listed;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
