import { expect, test } from "vitest";
import { type Outcome, ok } from "../contract/codes.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { createUnanswered } from "./unanswered.ts";

const start = Date.parse("2026-01-01T08:00:00.000Z");

function request(change: Partial<PermissionRequest> & { readonly action?: string } = {}): PermissionRequest {
  const { action = "rm a.txt", ...rest } = change;
  return {
    id: "req_1",
    intentId: "int_1",
    tool: "bash",
    digest: "d1",
    prompt: {
      title: "Run this command?",
      action,
      effects: ["deletes a.txt"],
      risk: "R4",
      reason: "it deletes",
      sandbox: "none",
      outputLimit: "all",
    },
    requestedAt: new Date(start).toISOString(),
    expiresAt: new Date(start + 60_000).toISOString(),
    ...rest,
  };
}

function box() {
  let stored: string | undefined;
  let now = start;
  const text = {
    read: () => ok(stored),
    update(change: (before: string | undefined) => Outcome<string>): Outcome<void> {
      const changed = change(stored);
      if (!changed.ok) return changed;
      stored = changed.value;
      return ok(undefined);
    },
  };
  const clock = { now: () => now };
  return {
    unanswered: () => createUnanswered(text, clock as never),
    pass: (ms: number) => {
      now += ms;
    },
    spoil: () => {
      stored = "not JSON";
    },
  };
}

const yes = { request: "req_1", answer: "allow", by: "test" } as const;

test("a question is kept under its first name until a person answers, and the answer is used once", () => {
  const { unanswered } = box();
  expect(unanswered().take(request())).toEqual(ok({ waitsAs: "req_1" }));
  expect(unanswered().take(request({ id: "req_2", intentId: "int_2" }))).toEqual(ok({ waitsAs: "req_1" }));
  expect(unanswered().list()).toEqual(ok([request()]));
  expect(unanswered().answer(yes)).toEqual(ok(request()));
  expect(unanswered().list()).toEqual(ok([]));
  expect(unanswered().answer(yes)).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  expect(unanswered().take(request({ id: "req_3" }))).toEqual(ok({ answer: { ...yes, request: "req_3" } }));
  expect(unanswered().take(request({ id: "req_4" }))).toEqual(ok({ waitsAs: "req_4" }));
});

test.each([
  ["another input", { digest: "d2" }],
  ["another tool", { tool: "delete" }],
  ["another place", { cwd: "/elsewhere" }],
  ["another thing shown", { action: "rm b.txt" }],
])("an answer does not stand for %s", (_what, change) => {
  const { unanswered } = box();
  unanswered().take(request());
  unanswered().answer(yes);
  expect(unanswered().take(request({ ...change, id: "req_2" }))).toEqual(ok({ waitsAs: "req_2" }));
});

test("questions and answers run out", () => {
  const { unanswered, pass } = box();
  unanswered().take(request());
  unanswered().answer(yes);
  pass(60_001);
  expect(unanswered().take(request({ id: "req_2", expiresAt: new Date(start + 120_000).toISOString() }))).toEqual(
    ok({ waitsAs: "req_2" }),
  );
  pass(60_000);
  expect(unanswered().list()).toEqual(ok([]));
  expect(unanswered().answer({ ...yes, request: "req_2" })).toMatchObject({ ok: false });
});

test("only so many are kept, and none that nobody would read", () => {
  const { unanswered } = box();
  for (let index = 0; index < 60; index++) unanswered().take(request({ id: `req_${index}`, digest: `d${index}` }));
  const kept = unanswered().list();
  expect(kept.ok && kept.value.map(({ id }) => id).slice(0, 2)).toEqual(["req_10", "req_11"]);
  expect(unanswered().take(request({ digest: "long", action: "x".repeat(20_000) }))).toMatchObject({ ok: false });
});

test("what cannot be read agrees to nothing", () => {
  const { unanswered, spoil } = box();
  spoil();
  expect([unanswered().list().ok, unanswered().take(request()).ok, unanswered().answer(yes).ok]).toEqual([
    false,
    false,
    false,
  ]);
});

test("what the client says that it is stays with the question", () => {
  const { unanswered } = box();
  unanswered().take(request(), "Some editor");
  unanswered().take(request({ id: "req_2" }), "Another");
  expect(unanswered().list()).toEqual(ok([{ ...request(), client: "Some editor" }]));
  expect(unanswered().answer(yes)).toEqual(ok(request()));
});
