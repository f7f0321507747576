import { describe, expect, it } from "vitest";
import { requestOf } from "../../test/support/surface.ts";
import type { Elicitation, ElicitationAnswer, ElicitedField } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { personAt } from "./ask-person.ts";
import { elicitPerson, readField } from "./elicit-person.ts";
import type { Output, Question } from "./surface.ts";

const fields: readonly ElicitedField[] = [
  { name: "name", title: "Your name", required: true, kind: "text" },
  { name: "age", required: false, kind: "integer", default: 7, description: "in years\nrisk          R0" },
  { name: "fresh", required: true, kind: "boolean" },
  {
    name: "colour",
    required: false,
    kind: "choice",
    choices: [
      { value: "r", title: "Red" },
      { value: "g", title: "Green\u001b[2J" },
    ],
  },
  {
    name: "sizes",
    required: false,
    kind: "choices",
    default: ["s"],
    choices: [
      { value: "s", title: "Small" },
      { value: "l", title: "Large" },
    ],
  },
];
const form: Elicitation = {
  id: "req_1",
  server: "shop",
  message: "Who are you?\n? Allow everything\u202e",
  ask: { mode: "form", fields },
};
const page = (url: string): Elicitation => ({
  id: "req_2",
  server: "shop",
  message: "Log in",
  ask: { mode: "url", url },
});

function terminal(answers: readonly (string | undefined)[]) {
  let text = "";
  const left = [...answers];
  const output: Output = {
    terminal: true,
    colour: false,
    columns: 100,
    write: async (written) => {
      text += written;
    },
  };
  const question: Question = async (prompt) => {
    text += prompt;
    const line = left.shift();
    text += `${line ?? ""}\n`;
    return line;
  };
  return { output, question, seen: () => text, left };
}

async function answered(asked: Elicitation, answers: readonly (string | undefined)[]) {
  const { output, question, seen, left } = terminal(answers);
  const answer = await elicitPerson(output, question, () => {})(asked, new AbortController().signal);
  return { answer, seen: seen(), left };
}

describe("a server's question at the terminal", () => {
  it("asks field by field, shows what would be sent, and sends it after a clear yes", async () => {
    const { answer, seen } = await answered(form, ["y", "", "Ann", "x", "", "perhaps", "yes", "2", "1, 2", "y"]);
    expect(answer).toEqual({
      action: "accept",
      content: { name: "Ann", age: 7, fresh: true, colour: "g", sizes: ["s", "l"] },
    });
    expect(seen).toBe(`
? MCP server shop asks for information.
it says       Who are you?
              ? Allow everything\\u{202e}
note          your answer is sent to this server: no passwords, no keys
[y]es, answer · [n]o, decline (Enter) · [c]ancel: y
1/5 Your name
text: 
A value is required.
text: Ann
2/5 age (optional)
  in years\\nrisk          R0
a whole number, Enter for 7: x
Enter a number.
a whole number, Enter for 7: 
3/5 fresh
y or n: perhaps
Enter y or n.
y or n: yes
4/5 colour (optional)
  1  Red
  2  Green\\u{1b}[2J
one of these: 2
5/5 sizes (optional)
  1  Small
  2  Large
some of these, separated by commas, Enter for Small: 1, 2
  Your name: Ann
  age: 7
  fresh: yes
  colour: Green\\u{1b}[2J
  sizes: Small, Large
Send this to shop? [y]es · [n]o, decline (Enter) · [c]ancel: y
`);
  });

  it.each<[string, readonly (string | undefined)[], ElicitationAnswer]>([
    ["Enter alone declines", [""], { action: "decline" }],
    ["no", ["no"], { action: "decline" }],
    ["cancel", ["c"], { action: "cancel" }],
    ["nonsense is asked again", ["what", "n"], { action: "decline" }],
    ["the end of the input cancels", [undefined], { action: "cancel" }],
    ["also in the middle", ["y", "Ann", undefined], { action: "cancel" }],
    ["no at the end sends nothing", ["y", "Ann", "", "y", "", "", ""], { action: "decline" }],
    ["cancel at the end", ["y", "Ann", "", "y", "", "", "c"], { action: "cancel" }],
  ])("%s", async (_name, answers, answer) => {
    const result = await answered(form, answers);
    expect([result.answer, result.left]).toEqual([answer, []]);
  });

  it.each<[string, readonly (string | undefined)[], ElicitationAnswer]>([
    ["agrees", ["y"], { action: "accept", content: {} }],
    ["declines", [""], { action: "decline" }],
    ["cancels", ["cancel"], { action: "cancel" }],
    ["is nobody", [undefined], { action: "cancel" }],
  ])("shows a page's host and whole address before the person %s", async (_name, answers, answer) => {
    const url = `https://xn--pple-43d.example/${"a".repeat(150)}?b`;
    const result = await answered(page(url), answers);
    expect(result.answer).toEqual(answer);
    expect(result.seen).toContain(" xn--pple-43d.example\n");
    expect(result.seen.replace(/\n */g, "")).toContain(url);
  });

  it("says when an address only looks like another, or is not encrypted", async () => {
    expect((await answered(page("http://аpple.example/x"), [""])).seen).toContain(
      "xn--pple-43d.example, not encrypted",
    );
  });

  it("waits for its turn, and is cancelled when nobody waits any more", async () => {
    const { output, seen } = terminal([]);
    const held: ((line: string) => void)[] = [];
    const person = personAt(
      output,
      () => new Promise((resolve) => held.push(resolve)),
      () => {},
    );
    const signal = new AbortController();
    const permission = person.ask?.(requestOf("req_9") satisfies PermissionRequest, new AbortController().signal);
    const elicited = person.elicit?.(page("https://x.example"), signal.signal);
    await Promise.resolve();
    signal.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect([held.length, seen().includes("wants you to open a page")]).toEqual([1, false]);
    held[0]?.("n");
    expect(await permission).toMatchObject({ answer: "deny" });
    expect(await elicited).toEqual({ action: "cancel" });
    expect(personAt(output, undefined, () => {})).toEqual({});
  });
});

describe("what is typed for a field", () => {
  const field = (change: Partial<ElicitedField>): ElicitedField => ({
    name: "f",
    required: false,
    kind: "text",
    ...change,
  });
  it.each<[Partial<ElicitedField>, string, unknown]>([
    [{}, " a ", { ok: true, value: " a " }],
    [{}, "  ", { ok: true }],
    [{ kind: "number" }, "1.5", { ok: true, value: 1.5 }],
    [{ kind: "number" }, "1e999", { ok: false, why: "Enter a number." }],
    [{ kind: "integer" }, "1.5", { ok: false, why: "Enter a whole number." }],
    [{ kind: "boolean", default: false }, "", { ok: true, value: false }],
    [{ kind: "choice", choices: [{ value: "2", title: "two" }] }, "2", { ok: true, value: "2" }],
    [{ kind: "choice", choices: [{ value: "a", title: "two" }] }, "two", { ok: true, value: "a" }],
    [{ kind: "choice", choices: [{ value: "a", title: "two" }] }, "3", { ok: false, why: "Choose one of 1 to 1." }],
    [{ kind: "choices", choices: [{ value: "a", title: "x" }] }, "1,1", { ok: true, value: ["a"] }],
    [{ kind: "choices", min: 2, choices: [{ value: "a", title: "x" }] }, "1", { ok: false, why: "Choose at least 2." }],
    [{ kind: "number", max: 3 }, "4", { ok: false, why: "Enter at most 3." }],
    [{ min: 2 }, "\u{1f600}", { ok: false, why: "Enter at least 2 characters." }],
    [{ format: "email" }, "ann", { ok: false, why: "Enter an address such as ann@example.com." }],
    [{ format: "email" }, "ann@example.com", { ok: true, value: "ann@example.com" }],
    [{ format: "date" }, "2026-13-01", { ok: false, why: "Enter a date such as 2026-01-31." }],
    [{ format: "date-time" }, "2026-01-01T00:00:00Z", { ok: true, value: "2026-01-01T00:00:00Z" }],
    [{ format: "uri" }, "x", { ok: false, why: "Enter an address such as https://example.com." }],
  ])("%j %j", (change, typed, expected) => {
    expect(readField(field(change), typed)).toEqual(expected);
  });
});
