import { expect, test } from "vitest";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField } from "../../contract/server/server.ts";
import { createElicitations } from "./elicitations.ts";

const signal = new AbortController().signal;
const form: Omit<Elicitation, "id" | "server"> = { message: "Who?\u001b[2J", ask: { mode: "form", fields: [] } };

function desk(options: {
  readonly elicit?: (question: Elicitation) => Promise<ElicitationAnswer>;
  readonly busy?: boolean;
  readonly failing?: () => boolean;
}) {
  const records: EventDraft[] = [];
  const unasked: string[] = [];
  let count = 0;
  const ask = createElicitations({
    server: "it",
    elicit: options.elicit,
    mayAsk: () => options.busy ?? true,
    unasked: (reason) => void unasked.push(reason),
    redact: (text) => text.replaceAll("hunter2hunter2", "[redacted]"),
    ids: {
      next(prefix) {
        if (options.failing?.()) throw new Error("out of ids");
        return `${prefix}_${++count}`;
      },
    },
    record: (drafts) => {
      records.push(...drafts);
      return true;
    },
  });
  return { ask, records, unasked };
}

test("what the server says cannot hide anything, and a login's link is recorded without its secret", async () => {
  const { ask, records } = desk({ elicit: async () => ({ action: "decline" }) });
  await ask(form, signal);
  await ask({ message: "Log in", ask: { mode: "url", url: "https://a.example/in?code=secret#x" } }, signal);
  expect(records.map(({ data }) => data)).toEqual([
    { server: "it", elicitation: "req_1", message: "Who?\\u{1b}[2J", mode: "form", fields: [] },
    { elicitation: "req_1", action: "decline" },
    { server: "it", elicitation: "req_2", message: "Log in", mode: "url", url: "https://a.example/in" },
    { elicitation: "req_2", action: "decline" },
  ]);
});

test("nobody is asked by a server of which nothing is asked", async () => {
  const { ask, records } = desk({ busy: false, elicit: async () => ({ action: "accept", content: {} }) });
  expect(await ask(form, signal)).toEqual({ action: "decline" });
  expect(records).toEqual([]);
});

test.each(["javascript:alert(1)", "file:///etc/passwd", "https://a b", "data:text/html,x"])(
  "%s is no page to send a person to",
  async (url) => {
    const { ask } = desk({ elicit: async () => ({ action: "accept", content: {} }) });
    expect(await ask({ message: "Look", ask: { mode: "url", url } }, signal)).toEqual({ action: "decline" });
  },
);

test("questions come one after another, and too many of them are declined", async () => {
  let open = 0;
  let most = 0;
  const { ask } = desk({
    elicit: async () => {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      return { action: "accept", content: {} };
    },
  });
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(form, signal)));
  expect(answers.map(({ action }) => action)).toEqual(["accept", "accept", "accept", "accept", "decline", "decline"]);
  expect(most).toBe(1);
});

test("a question that came to nothing by a fault of ours keeps no later one from being asked", async () => {
  let failures = 1;
  const answer: ElicitationAnswer = { action: "accept", content: {} };
  const { ask } = desk({ elicit: async () => answer, failing: () => failures-- > 0 });
  expect(await Promise.allSettled([ask(form, signal), ask(form, signal)])).toEqual([
    { status: "rejected", reason: new Error("out of ids") },
    { status: "fulfilled", value: answer },
  ]);
  expect(await ask(form, signal)).toEqual(answer);
});

test("a question of a call that was given up ends with it", async () => {
  const given = new AbortController();
  const { ask, records } = desk({ elicit: () => new Promise(() => {}) });
  const answer = ask(form, given.signal);
  await Promise.resolve();
  given.abort();
  expect(await answer).toEqual({ action: "cancel" });
  expect(records.at(-1)).toMatchObject({ data: { action: "cancel" } });
});

test("why nobody was asked is told to our side, and only that it was declined to the server", async () => {
  const reason = "The client cannot\u001b[2J open pages.";
  const { ask, unasked } = desk({ elicit: async () => ({ action: "decline", reason }) });
  expect(await ask(form, signal)).toEqual({ action: "decline" });
  expect(await desk({}).ask(form, signal)).toEqual({ action: "decline" });
  expect(unasked).toEqual(["The client cannot open pages."]);
  const alone = desk({});
  await alone.ask(form, signal);
  expect(alone.unasked).toEqual(["A question of the server it was declined: no user can be asked."]);
});

test("no secret of the server's is shown, and a form that cannot do without one is declined", async () => {
  const questions: Elicitation[] = [];
  const { ask, unasked } = desk({
    elicit: async (question) => {
      questions.push(question);
      return { action: "cancel" };
    },
  });
  const secret = "hunter2hunter2";
  const name = { name: "name", required: true, kind: "text" } as const;
  const words = { ...name, title: `not ${secret}`, description: `like ${secret}` };
  await ask({ message: `${"x".repeat(1_990)}${secret}`, ask: { mode: "form", fields: [words] } }, signal);
  const choice = { ...name, kind: "choice", choices: [{ value: secret, title: "it" }] } as const;
  for (const field of [{ ...name, name: secret }, { ...name, default: secret }, choice]) {
    expect(await ask({ message: "Who?", ask: { mode: "form", fields: [field] } }, signal)).toEqual({
      action: "decline",
    });
  }
  expect(questions).toMatchObject([
    {
      message: `${"x".repeat(1_990)}[redacted]`,
      ask: { fields: [{ ...name, title: "not [redacted]", description: "like [redacted]" }] },
    },
  ]);
  expect(unasked).toEqual(Array(3).fill("A question of the server it was declined: it contains a secret."));
});

test.each<Partial<ElicitedField>>([
  { name: "pw\u001b]0;x\u0007" },
  { default: "b\u202ec" },
  { kind: "choice", choices: [{ value: "b\u0007", title: "b" }] },
  { kind: "choices", default: ["b", "\u001b"] },
])("a form that contains invisible characters in what is handed on as it is, is declined: %j", async (odd) => {
  const { ask, unasked } = desk({ elicit: async () => ({ action: "accept", content: {} }) });
  const field: ElicitedField = { name: "a", required: true, kind: "text", ...odd };
  expect(await ask({ message: "Who?", ask: { mode: "form", fields: [field] } }, signal)).toEqual({ action: "decline" });
  expect(unasked).toHaveLength(1);
});

test("an answer that does not fit the form is none, and our side is told why", async () => {
  const fields = [{ name: "b", required: true, kind: "text" }] as const;
  const { ask, records, unasked } = desk({ elicit: async () => ({ action: "accept", content: { a: { b: 1 } } }) });
  expect(await ask({ message: "Who?", ask: { mode: "form", fields } }, signal)).toEqual({ action: "cancel" });
  expect(records.at(-1)?.data).toEqual({ elicitation: "req_1", action: "cancel" });
  expect(unasked).toEqual([
    "The answer to a question of the server it is invalid and was not sent. b: A value is required.",
  ]);
});

test("an address is handed on as it is spelled everywhere, and one that nobody can read to its end is not", async () => {
  const asked: Elicitation["ask"][] = [];
  const { ask, unasked } = desk({
    elicit: async (question) => {
      asked.push(question.ask);
      return { action: "accept", content: { left: "over" } };
    },
  });
  const page = (url: string) => ask({ message: "Look", ask: { mode: "url", url } }, signal);
  expect(await page("https://x.example/a[1]?q=a|b^c")).toEqual({ action: "accept", content: {} });
  expect(await page(`https://x.example/${"a".repeat(2_000)}`)).toEqual({ action: "decline" });
  expect(asked).toEqual([{ mode: "url", url: "https://x.example/a%5B1%5D?q=a%7Cb%5Ec" }]);
  expect(unasked).toEqual(["A question of the server it was declined: it is too long."]);
});

test("a form that must be answered beyond what anybody is shown is declined", async () => {
  const fields = Array.from({ length: 33 }, (_, n) => ({ name: `f${n}`, required: n === 32, kind: "text" }) as const);
  const { ask, unasked } = desk({ elicit: async () => ({ action: "accept", content: {} }) });
  expect(await ask({ message: "Who?", ask: { mode: "form", fields } }, signal)).toEqual({ action: "decline" });
  expect(unasked).toEqual(["A question of the server it was declined: it is too long."]);
});
