import { expect, test } from "vitest";
import { gateFor, missing, questionOf } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { CheckedQuestion } from "../contract/gate.ts";
import { shownChange } from "./prompt.ts";

async function promptOf(call: string, change: (question: CheckedQuestion) => CheckedQuestion = (question) => question) {
  const fixture = makeFixture({ "a.txt": "x", "docs/real.md": "x", ".env": "x" });
  fixture.link("alias.md", "docs/real.md");
  const gate = gateFor(fixture);
  const question = change(await questionOf(fixture, call));
  return { fixture, prompt: gate.prompt(question, await gate.judge(question)) };
}

test("a command is shown whole, with everything a person needs", async () => {
  const { fixture, prompt } = await promptOf("bash npm test && grep -rn x .");
  expect(prompt).toEqual({
    title: "Run this command?",
    action: "npm test && grep -rn x .",
    effects: [
      "runs npm, which may do anything that the sandbox permits",
      `reads ${fixture.root} and everything below it (written as .)`,
      `keeps ${fixture.path(".env")} closed (a secret)`,
    ],
    risk: "R3",
    reason: "runs npm",
    sandbox: "Commands are confined.",
    outputLimit: "At most 16000 characters and 2000 lines go to the model",
    parts: ["npm test: needs approval, npm runs code of the project", "grep -rn x .: needs no approval"],
    suggestedRules: ["Bash(npm test)"],
  });
});

test.each([
  [
    { background: true, view: false },
    { background: true, direct: true },
  ],
  [{ background: true }, { background: true, direct: false }],
  [{ view: true }, { background: false, direct: false }],
] as const)("a command with %j says whether it stays in the background and cannot be undone", async (run, said) => {
  const { view, background } = { view: undefined, background: undefined, ...run };
  const { prompt } = await promptOf("bash npm test", (question) => ({
    ...question,
    ...(view !== undefined && { view }),
    report: { ...question.report, ...(background && { background }) },
  }));
  expect({
    background: prompt.title.includes("in the background"),
    direct: prompt.title.includes("cannot be undone"),
  }).toEqual(said);
});

test("a change shows its input, and where the path leads", async () => {
  const { fixture, prompt } = await promptOf("edit alias.md", (question) => ({
    ...question,
    checked: { ...question.checked, intent: { ...question.checked.intent, reason: "because \u202e" } },
  }));
  expect(prompt.action).toBe("edit\npath: alias.md\nold_string: a\nnew_string: b");
  expect(prompt.effects).toContain(`writes ${fixture.path("docs/real.md")} (written as alias.md)`);
  expect(prompt.intentReason).toBe("because \\u{202e}");
  expect(prompt.suggestedRules).toEqual(["Edit(/docs/real.md)"]);
});

test.each([
  ["a tool with pages", "read ../outside.md", undefined, [100_000, 2_000]],
  ["a turn with little left", "read ../outside.md", 5_000, [5_000, 2_000]],
  ["a tool with a limit of its own", "bash npm test", 50_000, [16_000, 2_000]],
])("the limit that cuts is shown: %s", async (_, call, allowance, expected) => {
  const { prompt } = await promptOf(call, (question) => ({ ...question, allowance }));
  expect(prompt.outputLimit.match(/\d+/g)?.map(Number)).toEqual(expected);
});

test("nothing can be hidden in the text", async () => {
  const { prompt } = await promptOf(
    `bash echo ok${" ".repeat(200)}; evil \u001b[2K\u202e \u00a0 x${"\n".repeat(30)}rm y`,
  );
  expect(prompt.action).toBe("echo ok⟨200 blanks⟩; evil \\u{1b}[2K\\u{202e} \\u{a0} x\n⟨29 empty lines⟩\nrm y");
});

test("nothing that stands behind a label begins a line of its own", async () => {
  const { prompt } = await promptOf(
    `bash rm -rf src 'x\nrisk          R0: only prints\r\ntouches       nothing\n' && ls`,
  );
  const labelled = [prompt.reason, ...(prompt.parts ?? []), ...prompt.effects];
  expect(labelled.filter((text) => /[\r\n]/.test(text))).toEqual([]);
  expect(prompt.reason).toContain("x\\nrisk          R0: only prints");
  expect(prompt.action).toContain("'x\nrisk ");
});

test("a long part is shortened below the command, which is shown whole", async () => {
  const long = `frob ${"x".repeat(400)} end`;
  const { prompt } = await promptOf(`bash ${long}; npm test`);
  expect(prompt.action).toBe(`${long}; npm test`);
  expect(prompt.parts?.[0]).toMatch(/^frob x+ ⟨249 characters⟩ x+ end: /);
});

test("a missing sandbox is said", async () => {
  const { prompt } = await promptOf("bash npm test", (question) => ({ ...question, sandbox: missing }));
  expect(prompt.sandbox).toBe("No sandbox: Nothing confines commands.");
  expect(prompt.reason).toBe("runs npm; no sandbox: Nothing confines commands.");
});

test("a long command is shown whole", async () => {
  const command = `frob ${"x".repeat(60_000)}; rm -rf src; frob ${"y".repeat(60_000)}`;
  const { prompt } = await promptOf(`bash ${command}`);
  expect(prompt.action).toBe(command);
});

test("nothing can be hidden in a diff, and ordinary indentation stays", () => {
  const indented = `+${" ".repeat(24)}deep`;
  expect(shownChange(`@@ -1 +1 @@\n${indented}\n+a${" ".repeat(60)}b${"\t".repeat(12)}c\u001b[2K\u202e\u00a0\rd`)).toBe(
    `@@ -1 +1 @@\n${indented}\n+a⟨60 blanks⟩b⟨12 blanks⟩c\\u{1b}[2K\\u{202e}\\u{a0}\\u{d}d`,
  );
});

test("a diff is whole up to 256 KiB, and beyond that says how much is missing", () => {
  const line = `+${"é".repeat(511)}`;
  const lines = (count: number) => Array.from({ length: count }, () => line);
  expect(shownChange(lines(256).join("\n"))).toBe(lines(256).join("\n"));
  expect(shownChange(lines(260).join("\n"))).toBe(
    [...lines(256), "⟨4 of 260 lines left out: more than 256 KiB. The input itself is complete.⟩"].join("\n"),
  );
  expect(shownChange(`+${"x".repeat(300_000)}`)).toBe(
    "⟨1 of 1 lines left out: more than 256 KiB. The input itself is complete.⟩",
  );
});
