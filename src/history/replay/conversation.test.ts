import { expect, test } from "vitest";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { Observation } from "../../contract/observation.ts";
import { conversation } from "./conversation.ts";

const at = "2026-01-01T00:00:00.000Z";

function events(...drafts: readonly EventDraft[]): readonly Event[] {
  return drafts.map((draft, index) => {
    const envelope = { seq: index + 1, id: `evt_${index + 1}`, session: "ses_1", at, v: 1, prev: "", hash: "" };
    return { ...envelope, ...draft, id: envelope.id } as Event;
  });
}

function proposed(intentId: string, tool: string): EventDraft {
  const origin = { source: "model", turnId: "turn_1" } as const;
  const data = { intentId, tool, input: { path: "a" }, origin, createdAt: at, menuHash: "" };
  return { type: "tool_intent.proposed", data };
}

function observed(intentId: string, facts: Partial<Observation>): EventDraft {
  const observation = { intentId, ok: true, status: "ok", code: "ok", title: "t", summary: "s", ...facts };
  return { type: "tool.observed", data: { intentId, observation: observation as Observation } };
}

test("turns, calls with their decisions and changes, denials and checks, each with the events it stands for", () => {
  const log = events(
    { type: "user.message", data: { text: "fix it", by: "person" } },
    { type: "model.text", data: { turnId: "turn_1", text: "I look." } },
    proposed("a", "edit"),
    proposed("b", "bash"),
    {
      type: "permission.answered",
      data: { requestId: "req_1", intentId: "b", digest: "", answer: "deny", by: "ann", message: "no" },
    },
    observed("b", { ok: false, status: "denied", code: "user_denied", summary: "denied", auditId: "evt_6" }),
    {
      type: "file.changed",
      data: { invocationId: "inv_of_nobody", path: "/w/x", change: "created", seenBy: "tool" },
    },
    observed("a", { title: "Edit a", summary: "done", auditId: "evt_8" }),
    { type: "provider.fallback_selected", data: fallback },
    proposed("c", "read"),
  );
  expect([...conversation(log)]).toEqual([
    { kind: "message", from: 1, to: 1, at, by: "person", text: "fix it" },
    { kind: "answer", from: 2, to: 2, at, turnId: "turn_1", text: "I look." },
    {
      kind: "call",
      from: 4,
      to: 6,
      at,
      turnId: "turn_1",
      intentId: "b",
      tool: "bash",
      input: { path: "a" },
      status: "denied",
      code: "user_denied",
      title: "t",
      summary: "denied",
      answered: { answer: "deny", by: "ann", message: "no" },
      changed: [],
      auditId: "evt_6",
    },
    {
      kind: "call",
      from: 3,
      to: 8,
      at,
      turnId: "turn_1",
      intentId: "a",
      tool: "edit",
      input: { path: "a" },
      status: "ok",
      code: "ok",
      title: "Edit a",
      summary: "done",
      changed: [],
      auditId: "evt_8",
    },
    { kind: "note", from: 9, to: 9, at, turnId: "turn_1", about: "model", text: "q/two takes over: it is down" },
    {
      kind: "call",
      from: 10,
      to: 10,
      at,
      turnId: "turn_1",
      intentId: "c",
      tool: "read",
      input: { path: "a" },
      status: "open",
      title: "read",
      summary: "Still running.",
      changed: [],
    },
  ]);
});

const fallback = {
  turnId: "turn_1",
  from: { provider: "p", id: "one" },
  to: { provider: "q", id: "two" },
  reason: "it is down",
};
