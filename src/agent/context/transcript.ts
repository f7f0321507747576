import type { Event, EventData } from "../../contract/events/index.ts";
import type { PipedData } from "../../contract/events/run.ts";
import type { AssistantPart, ModelMessage, ModelRef, ToolResultPart } from "../../contract/model.ts";
import type { SessionReader } from "../../contract/store.ts";
import { delimited, withoutMarks } from "./delimit.ts";
import { createEndedJobs, type EndedJob, standingKind } from "./notes.ts";
import { neverRan, presentObservation, presentPiped } from "./present-observation.ts";

/** The model's messages, projected from the log and from nothing else. */
export interface Transcript {
  /** Append-only; entries never change. A compaction makes another array. */
  readonly messages: readonly ModelMessage[];
  /** The first event of each message; a call and its result have the same one. */
  readonly starts: readonly number[];
  fold(event: Event): void;
  /** Gives every call a result: a call without one was interrupted. The log records the same at its next event. */
  settle(): void;
  standing(kind: string): string | undefined;
  /** Background commands whose end the model has not seen yet, oldest first. */
  readonly endedJobs: readonly EndedJob[];
  /** The last event that is shown only through a summary; 0 when there is none. */
  readonly summarised: number;
}

export interface TranscriptParts {
  readonly system: string;
  /** The proposed input of a call whose event holds only part of it. `undefined` if it is gone. */
  readonly original: (artifact: string) => unknown;
}

type SpokenPart = { readonly part: AssistantPart; readonly afterCalls: number };

interface TranscriptCall {
  readonly intentId: string;
  readonly part: Extract<AssistantPart, { type: "call" }>;
  result?: ToolResultPart;
}

interface TranscriptTurn {
  readonly turnId: string;
  readonly seq: number;
  readonly by: ModelRef;
  readonly said: SpokenPart[];
  readonly calls: TranscriptCall[];
}

/** The events of a transcript: handling an unlisted one below does not compile. */
const told = [
  "user.message",
  "run.ended",
  "undo.done",
  "context.projected",
  "context.compacted",
  "model.started",
  "model.text",
  "model.reasoning",
  "tool_intent.proposed",
  "tool.observed",
  "job.started",
  "job.ended",
] as const;
type ToldEvent = Extract<Event, { type: (typeof told)[number] }>;

function isTold(event: Event): event is ToldEvent {
  return told.some((type) => type === event.type);
}

export function createTranscript({ system, original }: TranscriptParts): Transcript {
  const standing = new Map<string, { readonly message: ModelMessage; readonly text: string; readonly seq: number }>();
  let messages: ModelMessage[] = [{ role: "system", text: system }];
  let starts: number[] = [0];
  let summarised = 0;
  let turn: TranscriptTurn | undefined;
  const jobs = createEndedJobs();

  function push(message: ModelMessage, start: number): void {
    messages.push(message);
    starts.push(start);
  }

  function settle(): void {
    if (turn === undefined) return;
    const { by, said, calls, seq } = turn;
    turn = undefined;
    const parts = inOrder(said, calls);
    if (parts.length > 0) push({ role: "assistant", parts, by }, seq);
    if (calls.length > 0) push({ role: "tool", results: calls.map(resultOf) }, seq);
  }

  function startOver({ upTo, summary }: EventData<"context.compacted">): void {
    summarised = upTo;
    const kept = starts.findIndex((start) => start > upTo);
    const later = kept < 0 ? messages.length : kept;
    const before = [...standing.values()].filter(({ seq }) => seq <= upTo);
    messages = [
      { role: "system", text: system },
      ...before.map(({ message }) => message),
      userText(delimited("history-summary", summary)),
      ...messages.slice(later),
    ];
    starts = [0, ...before.map(() => 0), upTo, ...starts.slice(later)];
  }

  function begin(turnId: string, seq: number, by: ModelRef): void {
    settle();
    turn = { turnId, seq, by, said: [], calls: [] };
  }

  function foldTurn(event: ToldEvent): void {
    if (turn === undefined) return;
    switch (event.type) {
      case "model.text":
      case "model.reasoning": {
        const { turnId, afterCalls = 0, ...said } = event.data;
        const type = event.type === "model.text" ? "text" : "reasoning";
        if (turnId === turn.turnId) turn.said.push({ part: { type, ...said }, afterCalls });
        return;
      }
      case "tool_intent.proposed": {
        const { source, turnId } = event.data.origin;
        if ((source === "model" || source === "person") && turnId === turn.turnId)
          turn.calls.push(callOf(event.data, turn.calls));
        return;
      }
      case "tool.observed": {
        const { intentId, observation } = event.data;
        const call = turn.calls.find((one) => one.intentId === intentId);
        if (call !== undefined) call.result = observed(call, presentObservation(observation), observation.ok);
        return;
      }
    }
  }

  function callOf(data: EventData<"tool_intent.proposed">, before: readonly TranscriptCall[]): TranscriptCall {
    const { intentId, tool, origin } = data;
    const { callId: written = "", keepsake } = origin.provider ?? {};
    // Results of two calls with the same id in one turn would be ambiguous.
    const isTaken = written === "" || before.some(({ part }) => part.callId === written);
    const callId = isTaken ? intentId : written;
    const whole = data.original === undefined ? undefined : original(data.original);
    const input = whole === undefined ? data.input : whole;
    return { intentId, part: { type: "call", callId, tool, input, ...(keepsake !== undefined && { keepsake }) } };
  }

  return {
    get messages() {
      return messages;
    },
    get starts() {
      return starts;
    },
    get summarised() {
      return summarised;
    },
    settle,
    standing: (kind) => standing.get(kind)?.text,
    get endedJobs() {
      return jobs.untold();
    },
    fold(event) {
      if (!isTold(event)) return;
      jobs.fold(event);
      switch (event.type) {
        case "user.message": {
          settle();
          const { text, by, piped } = event.data;
          // Text that a message includes, such as a file, must not imitate the runtime.
          const message = userText(by === "runtime" ? text : withoutMarks(text));
          const kind = by === "runtime" ? standingKind(text) : undefined;
          if (kind !== undefined) standing.set(kind, { message, text, seq: event.seq });
          push(message, event.seq);
          if (piped !== undefined) for (const one of pipedMessages(event.id, piped)) push(one, event.seq);
          return;
        }
        case "context.projected":
          if (event.data.turnId !== undefined) settle();
          return;
        case "run.ended":
          settle();
          if (event.data.stop === "interrupted") push(userText(interruptedHere), event.seq);
          return;
        case "undo.done":
          settle();
          push(userText(tookBack), event.seq);
          return;
        case "context.compacted":
          settle();
          startOver(event.data);
          return;
        case "model.started":
          return begin(event.data.turnId, event.seq, event.data.model);
        case "tool_intent.proposed": {
          // Files that a user mentions are read for the user, as a separate turn after the message.
          const { source, turnId } = event.data.origin;
          if (source === "person" && turnId !== undefined && turn?.turnId !== turnId)
            begin(turnId, event.seq, theRuntime);
          return foldTurn(event);
        }
        default:
          foldTurn(event);
      }
    },
  };
}

const interruptedHere = delimited("runtime-note", "The run was interrupted here.");

const tookBack = delimited(
  "runtime-note",
  "The user undid changes of earlier calls. Read a file again before you rely on its content.",
);

/** The whole log, or the part that a compaction kept and the texts that survive every compaction. */
export function foldLog(transcript: Transcript, log: Pick<SessionReader, "events">): void {
  let upTo = 0;
  for (const event of log.events({ types: ["context.compacted"] })) {
    if (event.type === "context.compacted") upTo = event.data.upTo;
  }
  for (const event of upTo === 0 ? [] : log.events({ types: ["user.message"] })) {
    if (event.seq > upTo) break;
    if (event.type === "user.message" && event.data.by === "runtime") transcript.fold(event);
  }
  for (const event of log.events({ from: upTo + 1, types: told })) transcript.fold(event);
}

/** In the tool role, because it is data: as if it had been read as an artifact. */
function pipedMessages(callId: string, piped: PipedData): readonly ModelMessage[] {
  const tool = "read_artifact";
  return [
    { role: "assistant", parts: [{ type: "call", callId, tool, input: { id: piped.artifact } }], by: theRuntime },
    { role: "tool", results: [{ callId, tool, ok: true, text: presentPiped(piped) }] },
  ];
}

/** Not a provider: it has no provider metadata, and its ids are ours. */
const theRuntime: ModelRef = { provider: "gauntlet", id: "mention" };

function inOrder(said: readonly SpokenPart[], calls: readonly TranscriptCall[]): readonly AssistantPart[] {
  if (said.every(({ afterCalls }) => afterCalls === 0)) return [...said, ...calls].map(({ part }) => part);
  const placed = calls.flatMap(({ part }, index) => [...saidAfter(said, index), part]);
  return [...placed, ...said.filter(({ afterCalls }) => afterCalls >= calls.length).map(({ part }) => part)];
}

function saidAfter(said: readonly SpokenPart[], calls: number): readonly AssistantPart[] {
  return said.filter(({ afterCalls }) => afterCalls === calls).map(({ part }) => part);
}

function userText(text: string): ModelMessage {
  return { role: "user", parts: [{ type: "text", text }] };
}

function observed({ part }: TranscriptCall, text: string, ok: boolean): ToolResultPart {
  return { callId: part.callId, tool: part.tool, ok, text };
}

function resultOf(call: TranscriptCall): ToolResultPart {
  return call.result ?? observed(call, neverRan, false);
}
