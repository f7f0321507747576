import { expect, test } from "vitest";
import type { AuditAnswer } from "../../contract/app/archive.ts";
import { fail, ok } from "../../contract/codes.ts";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { Observation } from "../../contract/observation.ts";
import { replayView } from "./conversation.ts";

const at = "2026-01-01T00:00:00.000Z";
const input = (turnId: string): EventDraft => ({
  type: "context.projected",
  data: { turnId, menuHash: "m", modelInput: { hash: turnId, artifact: "sha256-x", bytes: 3, total: 5 } },
});
const proposed = (intentId: string, turnId: string): EventDraft => ({
  type: "tool_intent.proposed",
  data: { intentId, tool: "read", input: {}, origin: { source: "model", turnId }, createdAt: at, menuHash: "m" },
});
const observed = (intentId: string): EventDraft => ({
  type: "tool.observed",
  data: { intentId, observation: { intentId } as Observation },
});

const drafts: readonly EventDraft[] = [
  input("turn_1"),
  proposed("a", "turn_1"),
  proposed("b", "turn_1"),
  observed("b"),
  observed("a"),
  { type: "context.projected", data: { menuHash: "m" } },
  input("turn_2"),
  proposed("c", "turn_2"),
];
const events = drafts.map((draft, index) => {
  const seq = index + 1;
  return { ...draft, seq, id: `evt_${seq}`, session: "ses_1", at, v: 1, prev: "", hash: "" } as Event;
});

const answerOf = (reference: string): AuditAnswer => ({
  session: "ses_1",
  imported: false,
  alsoIn: [],
  intentId: reference,
  observation: {} as Observation,
  chain: [],
  questions: [],
});
const archive: Parameters<typeof replayView>[0] = {
  events: (id, range) =>
    id === "ses_1"
      ? ok(events.filter(({ type }) => range?.types?.includes(type) ?? true))
      : fail("bad_request", "There is no such session."),
  modelInput: (_, turnId) => (turnId === "turn_1" ? ok("bytes") : fail("file_not_found", "It was pruned.")),
  why: (reference) => ok(answerOf(reference)),
};

function entriesOf(options: Parameters<typeof replayView>[2]) {
  const view = replayView(archive, "ses_1", options);
  return view.ok ? [...view.value] : [];
}

test("the exact input of each turn; one that cannot be read is a failure among them", () => {
  expect(entriesOf({ view: "input" })).toEqual([
    ok({ kind: "input", from: 1, to: 1, at, turnId: "turn_1", text: "bytes", bytes: 5 }),
    fail("file_not_found", "It was pruned."),
  ]);
});

test("how each observation came about, with the events from its proposal to its end", () => {
  expect(entriesOf({ view: "audit" })).toEqual([
    ok({ kind: "audit", from: 3, to: 4, at, turnId: "turn_1", answer: answerOf("ses_1/b") }),
    ok({ kind: "audit", from: 2, to: 5, at, turnId: "turn_1", answer: answerOf("ses_1/a") }),
  ]);
});

test("only one turn, and that it is not there is said", () => {
  const turns = entriesOf({ view: "conversation", turn: "turn_2" }).map((entry) => entry.ok && entry.value.from);
  expect(turns).toEqual([8]);
  expect(entriesOf({ view: "audit", turn: "turn_2" })).toMatchObject([{ ok: false }]);
  expect(replayView(archive, "ses_x", { view: "input" })).toMatchObject({ ok: false });
});
