import { describe, expect, test } from "vitest";
import type { QuestionOrigin } from "../contract/app/policy.ts";
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

function from(origin: Partial<QuestionOrigin> = {}): QuestionOrigin {
  return { session: "ses_1", redact: (value) => value, ...origin };
}

function box() {
  let stored: string | undefined;
  let aside: string | undefined;
  let now = start;
  const text = {
    read: () => ok(stored),
    update(
      change: (before: string | undefined) => Outcome<string>,
      isSound: (before: string) => boolean,
    ): Outcome<void> {
      if (stored !== undefined && !isSound(stored)) [aside, stored] = [stored, undefined];
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
    spoil: (spoiled: string) => {
      stored = spoiled;
    },
    stored: () => stored ?? "",
    aside: () => aside,
  };
}

const yes = { request: "req_1", answer: "allow", by: "test" } as const;

test("a question is kept under its first name until a person answers, and the answer is used once", () => {
  const { unanswered } = box();
  expect(unanswered().take(request(), from())).toEqual(ok({ waitsAs: "req_1" }));
  expect(unanswered().take(request({ id: "req_2", intentId: "int_2" }), from())).toEqual(ok({ waitsAs: "req_1" }));
  expect(unanswered().list()).toEqual(ok([request()]));
  expect(unanswered().answer(yes)).toEqual(ok(request()));
  expect(unanswered().list()).toEqual(ok([]));
  expect(unanswered().answer(yes)).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  expect(unanswered().take(request({ id: "req_3" }), from())).toEqual(ok({ answer: { ...yes, request: "req_3" } }));
  expect(unanswered().take(request({ id: "req_4" }), from())).toEqual(ok({ waitsAs: "req_4" }));
});

test.each([
  ["another input", { digest: "d2" }],
  ["another tool", { tool: "delete" }],
  ["another place", { cwd: "/elsewhere" }],
  ["another thing shown", { action: "rm b.txt" }],
])("an answer does not stand for %s", (_what, change) => {
  const { unanswered } = box();
  unanswered().take(request(), from());
  unanswered().answer(yes);
  expect(unanswered().take(request({ ...change, id: "req_2" }), from())).toEqual(ok({ waitsAs: "req_2" }));
});

test("questions and answers run out", () => {
  const { unanswered, pass } = box();
  unanswered().take(request(), from());
  unanswered().answer(yes);
  pass(60_001);
  expect(
    unanswered().take(request({ id: "req_2", expiresAt: new Date(start + 120_000).toISOString() }), from()),
  ).toEqual(ok({ waitsAs: "req_2" }));
  pass(60_000);
  expect(unanswered().list()).toEqual(ok([]));
  expect(unanswered().answer({ ...yes, request: "req_2" })).toMatchObject({ ok: false });
});

test("only so many are kept, and none that nobody would read", () => {
  const { unanswered } = box();
  for (let index = 0; index < 60; index++)
    unanswered().take(request({ id: `req_${index}`, digest: `d${index}` }), from());
  const kept = unanswered().list();
  expect(kept.ok && kept.value.map(({ id }) => id)).toEqual(
    Array.from({ length: 50 }, (_, index) => `req_${index + 10}`),
  );
  expect(unanswered().take(request({ digest: "long", action: "x".repeat(20_000) }), from())).toMatchObject({
    ok: false,
  });
  expect(unanswered().take(request({ digest: "wide", action: "€".repeat(7_400) }), from())).toMatchObject({
    ok: false,
  });
});

test("what is kept stays short enough to be read again, however much is asked", () => {
  const { unanswered, stored } = box();
  for (let index = 0; index < 60; index++) {
    const asked = request({ id: `req_${index}`, digest: `d${index}`, action: `${"€".repeat(5_000)}\u0001` });
    expect(unanswered().take(asked, from({ client: "€".repeat(2_000) }))).toEqual(ok({ waitsAs: `req_${index}` }));
  }
  expect(Buffer.byteLength(stored())).toBeLessThan(800 * 1024);
  const kept = unanswered().list();
  expect(kept.ok && kept.value.at(-1)?.id).toBe("req_59");
});

test("questions of others do not push out what a person has answered", () => {
  const { unanswered } = box();
  unanswered().take(request(), from());
  unanswered().answer(yes);
  for (let index = 2; index < 80; index++)
    unanswered().take(request({ id: `req_${index}`, digest: `d${index}` }), from());
  expect(unanswered().take(request({ id: "req_80" }), from())).toEqual(ok({ answer: { ...yes, request: "req_80" } }));
});

test.each([
  ["no JSON", "not JSON"],
  ["no list of questions", '[{"question":"q"}]'],
])("what cannot be read (%s) agrees to nothing, is put aside and holds nobody up", (_what, spoiled) => {
  for (const first of ["list", "take", "answer"] as const) {
    const { unanswered, spoil, aside } = box();
    spoil(spoiled);
    const waiting = unanswered();
    const done = {
      list: () => waiting.list(),
      take: () => waiting.take(request(), from()),
      answer: () => waiting.answer(yes),
    };
    expect(done[first]()).toMatchObject(
      {
        list: ok([]),
        take: ok({ waitsAs: "req_1" }),
        answer: { ok: false, failure: { code: "bad_request" } },
      }[first],
    );
    expect(aside()).toBe(spoiled);
    expect(waiting.take(request(), from())).toEqual(ok({ waitsAs: "req_1" }));
  }
});

test("secrets are neither kept nor shown, and the answer is still for exactly the call that was made", () => {
  const { unanswered, stored } = box();
  const redact = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll("hush-hush", "[redacted]"));
  const asked = request({ action: "echo hush-hush" });
  expect(unanswered().take(asked, from({ redact }))).toEqual(ok({ waitsAs: "req_1" }));
  expect(stored()).not.toContain("hush-hush");
  expect(unanswered().list()).toEqual(ok([request({ action: "echo [redacted]" })]));
  expect(unanswered().answer(yes)).toEqual(ok(request({ action: "echo [redacted]" })));
  const shownAlike = request({ id: "req_2", action: "echo [redacted]" });
  expect(unanswered().take(shownAlike, from({ redact }))).toEqual(ok({ waitsAs: "req_2" }));
  expect(unanswered().take({ ...asked, id: "req_3" }, from({ redact }))).toEqual(
    ok({ answer: { ...yes, request: "req_3" } }),
  );
});

describe("two sessions that ask the same", () => {
  const [one, other] = [from({ session: "ses_1" }), from({ session: "ses_2" })];

  test("have a question each, and a plain answer is for whichever asks next", () => {
    const { unanswered } = box();
    expect(unanswered().take(request(), one)).toEqual(ok({ waitsAs: "req_1" }));
    expect(unanswered().take(request({ id: "req_2" }), other)).toEqual(ok({ waitsAs: "req_2" }));
    unanswered().answer(yes);
    expect(unanswered().take(request({ id: "req_3" }), other)).toEqual(ok({ answer: { ...yes, request: "req_3" } }));
    expect(unanswered().list()).toEqual(ok([]));
    expect(unanswered().take(request({ id: "req_4" }), one)).toEqual(ok({ waitsAs: "req_4" }));
  });

  test("an answer for the session is for the one that asked", () => {
    const { unanswered } = box();
    const whole = { ...yes, remember: "session" } as const;
    unanswered().take(request(), one);
    unanswered().answer(whole);
    expect(unanswered().take(request({ id: "req_2" }), other)).toEqual(ok({ waitsAs: "req_2" }));
    expect(unanswered().take(request({ id: "req_3" }), one)).toEqual(ok({ answer: { ...whole, request: "req_3" } }));
  });
});

test("what the client says that it is stays with the question", () => {
  const { unanswered } = box();
  unanswered().take(request(), from({ client: "Some editor" }));
  unanswered().take(request({ id: "req_2" }), from({ client: "Another" }));
  expect(unanswered().list()).toEqual(ok([{ ...request(), client: "Some editor" }]));
  expect(unanswered().answer(yes)).toEqual(ok(request()));
});
