import type { Event, EventData } from "../../contract/events/index.ts";
import type { PipedData } from "../../contract/events/run.ts";
import type { AssistantPart, ModelMessage, ModelRef, ToolResultPart } from "../../contract/model.ts";
import type { SessionReader } from "../../contract/store.ts";
import { delimited, withoutMarks } from "./delimit.ts";
import { createEndedJobs, type EndedJob, standingKind } from "./notes.ts";
import { neverRan, presentObservation, presentPiped } from "./present-observation.ts";

/** What a model is shown, as a projection of the log: nothing else goes into it. */
export interface Transcript {
  /** Appended to only, and its entries never change. After a compaction it is another array. */
  readonly messages: readonly ModelMessage[];
  /** For each message the event that it starts with; a call and its result start with the same one. */
  readonly starts: readonly number[];
  fold(event: Event): void;
  /** Every call gets its result now: whatever has none was interrupted. The log says the same at its next event. */
  settle(): void;
  standing(kind: string): string | undefined;
  /** Background commands whose end the model has not been told yet, oldest first. */
  readonly endedJobs: readonly EndedJob[];
  /** The last event that is shown only through a summary; 0 when there is none. */
  readonly summarised: number;
}

export interface TranscriptParts {
  readonly system: string;
  /** The input of a call as it was proposed, where the event holds less. `undefined` when it is gone. */
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

/** The events that a transcript is made of: one that is not listed here does not compile below. */
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
    // With the same id twice in one turn the results could not be told apart.
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
          // Text that a message passes on, such as a file, must not pass for words of the runtime.
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
          // Files that a user mentions are read in the user's name, like a turn of its own behind the message.
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

const interruptedHere = delimited("runtime-note", "The run was interrupted here, before you had finished.");

const tookBack = delimited(
  "runtime-note",
  "The person took back changes that earlier calls had made. Read a file again before you rely on what it holds.",
);

/** The whole log, or what a compaction left of it and the texts that stand through every one. */
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

/** In the role of tools, where data belongs: as if it had been read as an artifact. */
function pipedMessages(callId: string, piped: PipedData): readonly ModelMessage[] {
  const tool = "read_artifact";
  return [
    { role: "assistant", parts: [{ type: "call", callId, tool, input: { id: piped.artifact } }], by: theRuntime },
    { role: "tool", results: [{ callId, tool, ok: true, text: presentPiped(piped) }] },
  ];
}

/** Not a provider: no keepsakes belong to it, and its ids are ours. */
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
