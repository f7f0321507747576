import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { Observation } from "../../contract/observation.ts";
import { createTranscript, foldLog } from "./transcript.ts";

const model = { provider: "p", id: "m" };

type Move =
  | { readonly kind: "message"; readonly by: "person" | "runtime" }
  | { readonly kind: "piped" }
  | { readonly kind: "standing"; readonly mark: string }
  | { readonly kind: "turn"; readonly calls: number; readonly said: boolean }
  | { readonly kind: "observe"; readonly which: number }
  | { readonly kind: "projected" | "ended" | "undone" }
  | { readonly kind: "compacted"; readonly share: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant("message" as const), by: fc.constantFrom("person" as const, "runtime" as const) }),
  fc.record({ kind: fc.constant("piped" as const) }),
  fc.record({
    kind: fc.constant("standing" as const),
    mark: fc.constantFrom("session-environment", "project-instructions"),
  }),
  fc.record({ kind: fc.constant("turn" as const), calls: fc.nat(3), said: fc.boolean() }),
  fc.record({ kind: fc.constant("observe" as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom("projected" as const, "ended" as const, "undone" as const) }),
  fc.record({ kind: fc.constant("compacted" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

/** A log as these moves would leave it, however little sense they make. */
function logOf(moves: readonly Move[]): readonly Event[] {
  const events: Event[] = [];
  const open: string[] = [];
  const add = (draft: EventDraft) => {
    const seq = events.length + 1;
    events.push({ ...draft, seq, id: `evt_${seq}`, session: "ses_1", at: "", v: 1, prev: "", hash: "" } as Event);
  };
  for (const [index, one] of moves.entries()) {
    const turnId = `turn_${index}`;
    switch (one.kind) {
      case "message":
        add({ type: "user.message", data: { text: `said ${index}`, by: one.by } });
        break;
      case "piped": {
        const piped = { text: `data ${index}`, bytes: 9, lines: 1, omittedBytes: 0, artifact: `art_${index}` };
        add({ type: "user.message", data: { text: `said ${index}`, by: "person", piped } });
        break;
      }
      case "standing":
        add({ type: "user.message", data: { text: `<${one.mark}>\n${index}\n</${one.mark}>`, by: "runtime" } });
        break;
      case "turn":
        add({ type: "model.started", data: { turnId, model } });
        if (one.said) add({ type: "model.text", data: { turnId, text: `text ${index}` } });
        for (let call = 0; call < one.calls; call++) {
          const intentId = `int_${index}_${call}`;
          open.push(intentId);
          const origin = { source: "model" as const, turnId, provider: { name: "p", model: "m", callId: `c${call}` } };
          add({
            type: "tool_intent.proposed",
            data: { intentId, tool: "read", input: { index }, origin, createdAt: "", menuHash: "" },
          });
        }
        break;
      case "observe": {
        const [intentId] = open.splice(one.which % Math.max(1, open.length), 1);
        if (intentId !== undefined)
          add({ type: "tool.observed", data: { intentId, observation: observationOf(intentId) } });
        break;
      }
      case "projected":
        add({ type: "context.projected", data: { turnId, menuHash: "" } });
        break;
      case "undone":
        add({ type: "undo.done", data: { undoId: `und_${index}`, calls: [], outcome: "done", extent: "complete" } });
        break;
      case "ended":
        add({ type: "run.ended", data: { runId: "run_1", stop: index % 2 === 0 ? "done" : "interrupted", turns: 1 } });
        break;
      case "compacted": {
        const before = lastUpTo(events);
        const upTo = Math.max(before, Math.floor(events.length * one.share));
        if (upTo > 0)
          add({
            type: "context.compacted",
            data: { reason: "asked", upTo, summary: `summary ${index}`, tokensBefore: 2, tokensAfter: 1 },
          });
      }
    }
  }
  return events;
}

function lastUpTo(events: readonly Event[]): number {
  return events.reduce((upTo, event) => (event.type === "context.compacted" ? event.data.upTo : upTo), 0);
}

function observationOf(intentId: string): Observation {
  return {
    intentId,
    tool: "read",
    ok: true,
    status: "ok",
    phase: "execute",
    code: "ok",
    title: "Read",
    summary: `result of ${intentId}`,
    model: { content: [], truncated: false, omittedBytes: 0 },
    user: { text: "" },
    effects: { happened: "done", declared: [], seen: [] },
    artifacts: [],
    metrics: { startedAt: "", endedAt: "", durationMs: 0, outputBytes: 0 },
    retryable: false,
    sandbox: { backend: "none", enforces: false },
    auditId: `evt_${intentId}`,
  };
}

const parts = { system: "system", original: () => undefined };

/** As a reader of the store gives them. */
function reader(events: readonly Event[]) {
  return {
    events: ({ from = 1, types }: { readonly from?: number; readonly types?: readonly string[] } = {}) =>
      events.filter((event) => event.seq >= from && (types === undefined || types.includes(event.type))),
  };
}

describe("the transcript", () => {
  test("folded event by event is what it is folded from the whole log, or from its last compaction on", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const events = logOf(moves);
        const live = createTranscript(parts);
        for (const event of events) live.fold(event);
        const later = createTranscript(parts);
        foldLog(later, reader(events));
        live.settle();
        later.settle();
        expect(later.messages).toEqual(live.messages);
        expect(later.starts).toEqual(live.starts);
      }),
      { numRuns: 300 },
    );
  });

  test("only grows between compactions, and every call has its one result", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const transcript = createTranscript(parts);
        let before = transcript.messages;
        let copy = [...before];
        for (const event of logOf(moves)) {
          transcript.fold(event);
          if (event.type === "context.compacted") expect(transcript.messages).not.toBe(before);
          else {
            expect(transcript.messages).toBe(before);
            expect(copy.every((message, index) => transcript.messages[index] === message)).toBe(true);
          }
          before = transcript.messages;
          copy = [...before];
          expect(transcript.starts).toHaveLength(before.length);
        }
        transcript.settle();
        transcript.messages.forEach((message, index) => {
          const next = transcript.messages[index + 1];
          const calls =
            message.role === "assistant"
              ? message.parts.flatMap((part) => (part.type === "call" ? [part.callId] : []))
              : [];
          const results = next?.role === "tool" ? next.results.map(({ callId }) => callId) : [];
          if (message.role === "assistant") expect(results).toEqual(calls);
          else if (message.role !== "tool") expect(results).toEqual([]);
        });
      }),
      { numRuns: 300 },
    );
  });
});
