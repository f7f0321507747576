import { describe, expect, test } from "vitest";
import { typedAt } from "../../../test/support/keyboard.tsx";
import { npmTestRequest } from "../../../test/support/surface.ts";
import type { PermissionAnswer, PermissionRequest } from "../../contract/verdict.ts";
import { missingChoices } from "./answer-keys.ts";
import { PermissionDialog } from "./permission-dialog.tsx";

const request: PermissionRequest = {
  ...npmTestRequest,
  prompt: {
    ...npmTestRequest.prompt,
    action: "npm test\u001b[2J",
    suggestedRules: ["Bash(npm test)"],
    savesTo: "/home/me/.gauntlet/rules.json",
  },
};

const [up, down, enter, esc] = ["\u001b[A", "\u001b[B", "\r", "\u001b"];

interface Opened {
  readonly unreadMs?: number;
  readonly follows?: boolean;
  readonly rows?: number;
  readonly asked?: PermissionRequest;
}

function open({ unreadMs = 0, follows = false, rows = 40, asked = request }: Opened = {}) {
  const answers: PermissionAnswer[] = [];
  const typed: string[] = [];
  const screen = typedAt((keyboard) => (
    <PermissionDialog
      {...keyboard}
      request={asked}
      more={1}
      colour={false}
      columns={80}
      rows={rows}
      isActive
      follows={follows}
      unreadMs={unreadMs}
      onAnswer={(answer) => answers.push(answer)}
      onTyped={(text) => typed.push(text)}
    />
  ));
  /** One after another, each when the one before it shows. */
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      const seen = () => screen.frames.length + answers.length + typed.length;
      const before = seen();
      screen.stdin.write(key);
      await expect.poll(seen).toBeGreaterThan(before);
    }
  };
  return { screen, answers, typed, press };
}

describe("the permission dialog", () => {
  test("shows what would happen, what remembering covers, and no control characters", () => {
    const { screen } = open();
    const frame = screen.lastFrame() ?? "";
    for (const words of [
      "Run npm test?",
      "npm test\\u{1b}[2J",
      "R3: it runs project code",
      "bubblewrap",
      "❯ n  No",
      "Yes, and for this session: Bash(npm test)",
      "Yes, always: Bash(npm test) (in …/.gauntlet/rules.json)",
      "1 more after this",
    ]) {
      expect(frame).toContain(words);
    }
  });

  test.each<[string, readonly string[], PermissionAnswer]>([
    ["Enter alone is no", [enter], { request: "req_1", answer: "deny", by: "person at the terminal" }],
    ["Esc is no", [esc], { request: "req_1", answer: "deny", by: "person at the terminal" }],
    ["y", ["y"], { request: "req_1", answer: "allow", remember: "once", by: "person at the terminal" }],
    [
      "down twice and Enter",
      [down, down, enter],
      { request: "req_1", answer: "allow", remember: "session", by: "person at the terminal" },
    ],
    [
      "a and Enter",
      ["a", enter],
      { request: "req_1", answer: "allow", remember: "always", by: "person at the terminal" },
    ],
    [
      "3 and Enter",
      ["3", enter],
      { request: "req_1", answer: "allow", remember: "session", by: "person at the terminal" },
    ],
    [
      "up to the last, a reason, Enter",
      [up, enter, "use pnpm", enter],
      { request: "req_1", answer: "deny", message: "use pnpm", by: "person at the terminal" },
    ],
  ])("%s", async (_name, keys, answer) => {
    const { answers, press } = open();
    await press(...keys);
    expect(answers).toEqual([answer]);
  });

  test("a directory outside the workspace is opened for the session or not at all, and never by one key", async () => {
    const asked = { ...request, prompt: { ...request.prompt, suggestedRules: ["Edit(//out)"], opens: true } } as const;
    const { screen, answers, press } = open({ asked });
    await press("y");
    expect(screen.lastFrame()).toMatch(/❯ s {2}Yes, and for this session: Edit\(\/\/out\)/);
    expect([screen.lastFrame()?.includes("Yes, once"), answers]).toEqual([false, []]);
    await press(enter);
    expect(answers).toMatchObject([{ answer: "allow", remember: "session" }]);
  });

  test("what would hold for longer is only chosen by its letter, and says that Enter agrees", async () => {
    const { screen, answers, press } = open();
    await press("s", "a");
    expect(screen.lastFrame()).toMatch(/❯ a {2}Yes, always[\s\S]*Enter confirms/);
    await press("s");
    expect([screen.lastFrame()?.includes("❯ s"), answers]).toEqual([true, []]);
  });

  test("letters that are no answers are the beginning of a message, and so is what comes with them", async () => {
    const { screen, answers, typed, press } = open();
    await press("o", "y", "a");
    screen.stdin.write(enter);
    await press("ok also");
    expect([answers, typed]).toEqual([[], ["o", "y", "a", "ok also"]]);
  });

  test.each<[string, string, { readonly answers: readonly string[]; readonly typed: readonly string[] }]>([
    ["a letter with Enter", "a\r", { answers: [], typed: ["a"] }],
    ["a word", "yes\r", { answers: [], typed: ["yes"] }],
    ["a letter behind Tab", "\ty", { answers: [], typed: ["y"] }],
    ["columns", "2\tAnn\r", { answers: [], typed: ["2", "Ann"] }],
    ["lines that are not marked as pasted", "y\rn\r", { answers: [], typed: ["y\rn\r"] }],
    ["a line in front of a control key", "y\n\u000b", { answers: [], typed: ["y", "\n"] }],
    ["Enter, held down", "\r\r\r", { answers: ["deny"], typed: [] }],
  ])("of what comes in one read, %s is a message unless it is keys alone", async (_name, read, expected) => {
    const { screen, answers, typed } = open();
    screen.stdin.write(read);
    await expect
      .poll(() => ({ answers: answers.map(({ answer, remember }) => remember ?? answer), typed }))
      .toEqual(expected);
  });

  test("Enter agrees to nothing that a key in the same read has chosen", async () => {
    const { screen, answers, press } = open();
    await press("\t\t\u001b[A\r");
    await expect.poll(() => screen.lastFrame()).toContain("❯ y  Yes, once");
    expect(answers).toEqual([]);
    await press(enter);
    expect(answers).toMatchObject([{ answer: "allow", remember: "once" }]);
  });

  test("what is typed before the question could be read is no answer, and is not lost", async () => {
    const early = open({ unreadMs: 2 ** 29 });
    const other = open();
    for (const key of ["y", "a", enter]) early.screen.stdin.write(key);
    await other.press("y");
    expect([early.answers, early.typed, other.answers.length]).toEqual([[], ["y", "a"], 1]);
  });

  test("behind another one, a key that comes too early was meant for that", async () => {
    const early = open({ unreadMs: 2 ** 29, follows: true });
    const other = open();
    early.screen.stdin.write("y");
    await other.press("y");
    expect([early.answers, early.typed]).toEqual([[], []]);
  });

  test("the reason for a no says its keys, and is there again after a look at the answers", async () => {
    const { screen, answers, press } = open();
    await press("d", "use pn");
    expect(screen.lastFrame()).toMatch(/Enter: .* · Esc: /);
    await press(esc, "d", "pm", enter);
    expect(answers).toMatchObject([{ answer: "deny", message: "use pnpm" }]);
  });

  test("says that a yes agrees to the new words where a server's tool is another one than was agreed to", async () => {
    const prompt = {
      ...request.prompt,
      title: "Allow mcp__docs__add?",
      diff: "--- agreed/add\n+++ now/add\n@@ -1 +1 @@",
    };
    const { screen, answers, press } = open({ asked: { ...request, tool: "mcp__docs__add", prompt } });
    const frame = screen.lastFrame();
    expect(frame).toContain("? Allow mcp__docs__add? Its definition changed since you approved it.");
    expect(frame).toContain("y  Yes, once, and approve the new definition");
    await press("y");
    expect(answers).toMatchObject([{ answer: "allow", remember: "once" }]);
    expect(open({ asked: { ...request, tool: "write", prompt } }).screen.lastFrame()).not.toContain("new words");
  });

  test("offers no words to the model where a person asked for it, and no model can", () => {
    expect(open({ asked: { ...request, tool: "mcp_prompts_get" } }).screen.lastFrame()).not.toMatch(/ d {2}No/);
    expect(open().screen.lastFrame()).toMatch(/ d {2}No/);
  });

  test("says why nothing but once is offered", () => {
    const { suggestedRules: _, savesTo: __, ...bare } = request.prompt;
    const unsaved = { ...bare, suggestedRules: ["Bash(npm test)"] };
    const missing = [bare, unsaved, request.prompt].map((prompt) => missingChoices({ ...request, prompt }));
    expect(new Set(missing).size).toBe(3);
    expect(missing[2]).toBe("");
    expect(open({ asked: { ...request, prompt: bare } }).screen.lastFrame()).toContain(missing[0]);
  });
});

describe("a change that is asked about", () => {
  const content = Array.from({ length: 50 }, (_, at) => `row ${at + 1}`);
  const asked: PermissionRequest = {
    ...request,
    tool: "write",
    prompt: {
      ...request.prompt,
      title: "Allow write?",
      action: `write\npath: a.txt\ncontent:\n${content.map((row) => `  ${row}`).join("\n")}`,
      effects: ["writes /here/a.txt"],
      diff: `--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,50 @@\n${content.map((row) => `+${row}`).join("\n")}`,
    },
  };
  const rowsOf = (frame = "") => content.filter((row) => frame.split("\n").some((line) => line.includes(`+${row} `)));

  test("is shown as far as there is room for it", () => {
    const tall = open({ asked, rows: 75 });
    expect(rowsOf(tall.screen.lastFrame())).toEqual(content);
    const frame = open({ asked, rows: 45 }).screen.lastFrame() ?? "";
    const leftOut = Number(/⟨(\d+) lines left out⟩/.exec(frame)?.[1]);
    expect([rowsOf(frame).length + leftOut, frame.split("\n").length > 38, frame.includes("PgDn")]).toEqual([
      50,
      true,
      false,
    ]);
  });

  test("is shown whole by v, once", async () => {
    const { screen, press } = open({ asked, rows: 90 });
    await press("v");
    expect(rowsOf(screen.lastFrame())).toEqual(content);
    expect(screen.lastFrame()?.match(/row 7\b/g)).toHaveLength(1);
    expect(screen.lastFrame()).toContain("content: ⟨50 lines, as below⟩");
  });
});

describe("what a command changed", () => {
  const names = Array.from({ length: 30 }, (_, at) => `file${at}.ts`);
  const changes = [
    { path: "/here/gone.ts", line: "D  gone.ts" },
    { path: "/here/d", line: "m  d" },
    { path: "/here/d/x.ts", line: "M  d/x.ts" },
    ...names.map((name) => ({ path: `/here/${name}`, line: `M  ${name}` })),
  ];
  const prompt = {
    ...request.prompt,
    title: "Keep what this command changed?",
    action: `npm run ${"very-".repeat(60)}long`,
    changes,
    effects: changes.map(({ line }) => line),
    diff: Array.from({ length: 60 }, (_, at) => `+row ${at}`).join("\n"),
  };
  const asked: PermissionRequest = { ...request, prompt };
  const by = "person at the terminal";
  const keep = { request: "req_1", answer: "allow", remember: "once", by } as const;

  test.each<[string, readonly string[], PermissionAnswer]>([
    ["Enter alone keeps nothing", [enter], { request: "req_1", answer: "deny", by }],
    ["a keeps all", ["a"], keep],
    ["so does y", ["y"], keep],
    ["r and Enter remember the rule for the session", ["r", enter], { ...keep, remember: "session" }],
    ["w and Enter save it", ["w", enter], { ...keep, remember: "always" }],
    ["some of it is chosen", ["s", " ", down, down, " ", enter], { ...keep, only: ["/here/gone.ts", "/here/d/x.ts"] }],
    ["a path covers what is below it", ["s", down, " ", enter], { ...keep, only: ["/here/d", "/here/d/x.ts"] }],
    [
      "what is left out below it leaves it out",
      ["s", down, " ", down, " ", up, up, " ", enter],
      { ...keep, only: ["/here/gone.ts"] },
    ],
    ["all of it is chosen", ["s", "a", enter], keep],
    ["a choice is given up", ["s", " ", esc, esc], { request: "req_1", answer: "deny", by }],
    ["a reason", ["t", "not here", enter], { request: "req_1", answer: "deny", message: "not here", by }],
  ])("%s", async (_name, keys, answer) => {
    const { answers, press } = open({ asked });
    await press(...keys);
    expect(answers).toEqual([answer]);
  });

  test("nothing is confirmed while nothing is chosen", async () => {
    const { screen, answers, press } = open({ asked });
    await press("s");
    screen.stdin.write(enter);
    await press(" ");
    expect([answers, screen.lastFrame().includes("[x] D  gone.ts")]).toEqual([[], true]);
  });

  test.each([
    // What is not in the window is only chosen by its key.
    { rows: 12, select: ["s", enter] },
    { rows: 18, select: ["s"] },
    { rows: 24, select: ["s"] },
    { rows: 60, select: ["s"] },
  ])("fits in $rows rows, deletions first", async ({ rows, select }) => {
    const { screen, press } = open({ asked, rows });
    const lines = () => screen.lastFrame().trimEnd().split("\n");
    expect(lines().length).toBeLessThanOrEqual(rows);
    if (rows >= 18) expect(screen.lastFrame()).toContain("D  gone.ts");
    await press(...select, "\u001b[F");
    expect([lines().length <= rows, screen.lastFrame().includes("❯ [ ] M  file29.ts")]).toEqual([true, true]);
  });

  test("the whole diff is one key away", async () => {
    const { screen, press } = open({ asked, rows: 140 });
    await press("d");
    expect(screen.lastFrame().match(/\+row \d+/g)).toHaveLength(60);
  });

  test("one change is kept or not, and how the command ended is shown", () => {
    const { diff: _, ...only } = { ...prompt, changes: changes.slice(0, 1), ended: "with exit code 3\n  | boom" };
    const frame = open({ asked: { ...asked, prompt: only }, rows: 60 }).screen.lastFrame();
    const shown = ["s  Select", "a  Keep it", "d  Show", "with exit code 3", "| boom"].map((text) =>
      frame.includes(text),
    );
    expect(shown).toEqual([false, true, false, true, true]);
  });
});
