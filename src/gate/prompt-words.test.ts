import { expect, test } from "vitest";
import { gateFor, type Layered, questionOf } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { Effect, EffectReport } from "../contract/effect.ts";
import { shownChange } from "./prompt.ts";

/** The prompt for a call in which `change` stands in the place of what the analysis says. */
async function promptOf(
  call: string,
  change: { report?: Partial<EffectReport>; input?: unknown } = {},
  layers?: Layered,
) {
  const fixture = makeFixture({ "a.txt": "x" });
  const asked = await questionOf(fixture, call);
  const { command: _command, parts: _parts, ...bare } = asked.report;
  const report = change.report === undefined ? asked.report : { ...bare, ...change.report };
  const checked = "input" in change ? { ...asked.checked, input: change.input } : asked.checked;
  const question = { ...asked, checked, report, assessment: fixture.assess(report) };
  const gate = gateFor(fixture, layers);
  return { fixture, prompt: gate.prompt(question, await gate.judge(question)) };
}

const path = (written: string, resolved: string) => ({ written, resolved, kind: "file" as const });

test.each<[Effect, string]>([
  [{ op: "connect", host: "example.com" }, "connects to example.com"],
  [{ op: "connect", host: "example.com", port: 8080 }, "connects to example.com:8080"],
  [{ op: "call", server: "docs", tool: "search" }, "calls search of the server docs"],
  [{ op: "delegate", profile: "explore" }, "delegates work to explore"],
  [{ op: "session", what: "todos" }, "changes the session: todos"],
  [{ op: "unknown", why: "frob is new" }, "could not be analysed: frob is new"],
  [{ op: "exec", program: "npm", argv: [] }, "runs npm, which may do anything that the sandbox permits"],
  [{ op: "read", path: path("/w/a", "/w/a"), scope: "file" }, "reads /w/a"],
  [{ op: "read", path: path("a", "/w/a"), scope: "file" }, "reads /w/a"],
  [{ op: "list", path: path("w", "/w/a"), scope: "tree" }, "lists /w/a and everything below it (written as w)"],
  [{ op: "write", path: path("b", "/w/ab"), scope: "file" }, "writes /w/ab (written as b)"],
  [{ op: "delete", path: path("x", "/w/y"), scope: "file" }, "deletes /w/y (written as x)"],
])("%j is said as %j", async (effect, line) => {
  const { prompt } = await promptOf("read a.txt", { report: { effects: [effect, effect] } });
  expect(prompt.effects).toEqual([line]);
});

test("that nothing is touched is said too", async () => {
  expect((await promptOf("read a.txt", { report: { effects: [] } })).prompt).toMatchObject({
    title: "Allow read?",
    effects: ["touches nothing"],
  });
});

test.each<[unknown, string]>([
  ["text", 'read "text"'],
  [null, "read null"],
  [7, "read 7"],
  [{ path: "a.txt", limit: 5 }, "read\npath: a.txt\nlimit: 5"],
  [{ text: "one\ntwo", list: ["a"] }, 'read\ntext:\n  one\n  two\nlist: ["a"]'],
])("the input %j is shown as %j", async (input, action) => {
  expect((await promptOf("read a.txt", { input })).prompt.action).toBe(action);
});

test("each part of a command says how it fared", async () => {
  const layers: Layered = { user: { allow: ["Bash(npm test)"], ask: ["Bash(npm publish)"] } };
  const { prompt } = await promptOf("bash npm test && ls && npm publish && git reset --hard", {}, layers);
  expect(prompt.title).toBe("Run this command?");
  expect(prompt.parts).toEqual([
    "npm test: allowed by Bash(npm test)",
    "ls: needs no approval",
    "npm publish: needs approval, npm publish fetches from registry.npmjs.org and runs what it gets",
    "git reset --hard: refused, git reset throws away all changes that are not committed",
  ]);
  expect((await promptOf("bash npm test")).prompt).not.toHaveProperty("parts");
});

test.each([
  [155, `echo ${"x".repeat(155)}: needs no approval`],
  [156, `echo ${"x".repeat(75)} ⟨1 characters⟩ ${"x".repeat(80)}: needs no approval`],
  [300, `echo ${"x".repeat(75)} ⟨145 characters⟩ ${"x".repeat(80)}: needs no approval`],
])("a part with a word of %i letters is shown by its ends", async (length, line) => {
  const { prompt } = await promptOf(`bash echo ${"x".repeat(length)} && npm test`);
  expect(prompt.parts?.[0]).toBe(line);
});

test("a diff is shown up to its last line that fits", () => {
  const line = "x".repeat(1023);
  const fits = Array.from({ length: 256 }, () => line).join("\n");
  expect(shownChange(fits)).toBe(fits);
  expect(shownChange(`${fits}\ny`)).toBe(
    `${fits}\n⟨1 of 257 lines left out: more than 256 KiB. The input itself is complete.⟩`,
  );
});
