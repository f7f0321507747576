import path from "node:path";
import { clip, mentionsIn } from "../../base/text.ts";
import type { MessageOptions } from "../../contract/app/agent.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";
import type { IntentInput } from "../../contract/intent.ts";
import { userPromptSubmit } from "../../gate/hooks/occasion.ts";
import type { SessionParts } from "../../session/parts.ts";
import type { TakenPiped } from "../context/context-policy.ts";
import { hookNotes } from "../context/notes.ts";
import { currentModel, cutShort, type LoopParts, type Run, type RunEnd, unrecordable } from "./run.ts";

export interface Message {
  readonly text: string;
  readonly readMentions: boolean;
  readonly calls: NonNullable<MessageOptions["calls"]>;
  readonly piped: string;
}

const longestGoal = 4_000;

/** Puts a run and its message on record. What came with the message is kept before. */
export async function beginRun(parts: LoopParts, run: Run, { text, piped }: Message): Promise<RunEnd | undefined> {
  if (piped === "") return record(parts, run, { text });
  const taken = await parts.context.piped(piped, currentModel(parts, run));
  if (!taken.ok) return unrecordable(taken.failure);
  const ended = await record(parts, run, { text, piped: taken.value });
  const { bytes, lines, omittedBytes } = taken.value.shown;
  if (ended === undefined) parts.notify({ kind: "piped", bytes, lines, omittedBytes });
  return ended;
}

interface RecordedMessage {
  readonly text: string;
  readonly piped?: TakenPiped;
}

/** The goal first; then, unless a hook refuses, the message and its notes. */
async function record(parts: LoopParts, run: Run, message: RecordedMessage): Promise<RunEnd | undefined> {
  const { session, context } = parts;
  const { log, hooks } = session;
  const started = [...abandonedRun(log.state.run), startedEvent(parts, run, message.text)];
  const said = messageEvents(parts, message);
  if (hooks === undefined) {
    const stored = log.append([...started, ...(await context.standing()), ...said]);
    return stored.ok ? undefined : unrecordable(stored.failure);
  }
  const opened = log.append(started);
  if (!opened.ok) return unrecordable(opened.failure);
  const answer = await hooks.tell(userPromptSubmit(message.text, message.piped?.shown.text));
  if (run.signal.aborted) return cutShort(run);
  if (answer.stop !== undefined) return { stop: "hook_stopped", detail: answer.stop };
  if (answer.decision === "deny") return { stop: "hook_stopped", detail: answer.reason };
  const stored = log.append([
    ...(await context.standing()),
    ...hookNotes([...parts.opening(), ...(answer.remarks ?? [])]),
    ...said,
  ]);
  return stored.ok ? undefined : unrecordable(stored.failure);
}

function messageEvents({ by }: LoopParts, { text, piped }: RecordedMessage): readonly EventDraft[] {
  const message: EventData<"user.message"> = { text, by };
  if (piped === undefined) return [{ type: "user.message", data: message }];
  return [
    { type: "artifact.stored", data: { artifact: piped.artifact } },
    { type: "user.message", data: { ...message, piped: piped.shown } },
  ];
}

function abandonedRun(open: { readonly runId: string; readonly turns: number } | null): readonly EventDraft[] {
  if (open === null) return [];
  const { runId, turns } = open;
  return [{ type: "run.ended", data: { runId, stop: "interrupted", detail: "Its process ended.", turns } }];
}

function startedEvent(parts: LoopParts, run: Run, goal: string): EventDraft {
  const { ref, baseUrl } = currentModel(parts, run);
  const { provider, id } = ref;
  return {
    type: "run.started",
    data: {
      runId: run.id,
      goal: clip(goal, longestGoal),
      model: { provider, id },
      baseUrl,
      chosen: run.chain.reason,
      limits: run.limits,
    },
  };
}

const mostMentions = 20;

/** Existing paths that a message mentions, as calls: files are read, directories listed. */
export function mentionedReads(
  { places: { metadata }, log }: Pick<SessionParts, "places" | "log">,
  message: string,
): readonly Pick<IntentInput, "tool" | "input">[] {
  const { workspace } = log.state;
  const kindOf = (name: string) => {
    try {
      return metadata.lstat(path.resolve(workspace, name))?.kind;
    } catch {
      // Too long for a name, or in a closed directory.
      return undefined;
    }
  };
  const found = new Map<string, "read" | "list">();
  for (const names of mentionsIn(message)) {
    const name = names.find((one) => kindOf(one) !== undefined);
    if (name !== undefined) found.set(name, kindOf(name) === "directory" ? "list" : "read");
    if (found.size === mostMentions) break;
  }
  return [...found].map(([name, tool]) => ({ tool, input: { path: name } }));
}
