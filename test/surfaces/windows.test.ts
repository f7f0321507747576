import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { asking, openConversation, promptsOn, ready } from "../support/conversation.ts";
import { direct } from "../support/gauntlet.ts";
import { bash } from "../support/model-script.ts";

vi.setConfig({ testTimeout: 120_000 });

test("forty columns", async () => {
  const long = "a sentence that is a good deal longer than the window is wide, so that it has to go on below";
  const { terminal, send } = await openConversation(
    { "check.sh": "echo ok\n" },
    [[long, bash("sh check.sh")], ["Done."]],
    {
      columns: 40,
      rows: 24,
      settings: direct,
    },
  );
  send("please look at this rather long message that needs more than one row");
  const asked = await terminal.stands(asking);
  expect(asked).toContain("Bash(sh check.sh)");
  expect(Math.max(...asked.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
  terminal.press("y");
  await terminal.shows("Done.");
  const rest = await terminal.stands(ready);
  expect(promptsOn(rest)).toBe(1);
  expect((await terminal.transcript()).replaceAll("\n", " ")).toContain(long);
});

test("a small window shows every answer, and all of a rule before it is agreed to", async () => {
  const command = "sh check.sh first second third fourth fifth";
  const { terminal, send } = await openConversation({ "check.sh": "echo ok\n" }, [[bash(command)], ["Done."]], {
    columns: 40,
    rows: 16,
    settings: direct,
  });
  send("check");
  const asked = await terminal.stands(asking);
  // What is asked about comes first.
  expect(asked).toContain("? Run this command?");
  expect(asked).toContain("sh check.sh first");
  for (const key of ["n  No", "y  Yes, once", "s  Yes, and", "a  Yes, always", "d  No, and"]) {
    expect(asked).toContain(key);
  }
  // Its own key shows it first.
  terminal.press("s");
  const chosen = await terminal.stands("❯ s  Yes");
  expect(chosen.replace(/[\s│]+/g, "")).toContain(`Bash(${command})`.replace(/\s/g, ""));
  terminal.press("End");
  await terminal.stands("lines above: PgUp");
  terminal.press("Home");
  await terminal.stands("? Run this command?");
  terminal.press("n");
  await terminal.shows("user_denied");
});

test("in the smallest window the command is seen, and the answers are one arrow away", async () => {
  const { terminal, send } = await openConversation({ "check.sh": "echo ok\n" }, [[bash("sh check.sh")], ["Done."]], {
    columns: 40,
    rows: 12,
    settings: direct,
  });
  send("check");
  const asked = await terminal.stands(asking);
  expect(asked).toContain("? Run this command?");
  expect(asked).toContain("sh check.sh");
  expect(asked).toContain("❯ n  No");
  terminal.press("Down");
  await terminal.stands("❯ y  Yes, once");
  terminal.press("Enter");
  await terminal.shows("Done.");
});

test("a window that changes keeps one prompt and all that was said", async () => {
  const { terminal, send } = await openConversation({}, [
    [Array.from({ length: 30 }, (_, row) => `row ${row} of what was said`).join("\n")],
    ["And more."],
  ]);
  send("talk");
  await terminal.shows("row 29 of what was said");
  await terminal.stands(ready);
  for (const [typed, columns, rows] of [
    ["a", 60, 20],
    ["ab", 40, 12],
    ["abc", 120, 50],
  ] as const) {
    terminal.resize(columns, rows);
    terminal.type(typed.slice(-1));
    await terminal.stands(new RegExp(`^› ${typed} *$`, "m"));
    const prompts = async () => {
      const transcript = await terminal.transcript();
      return [transcript.match(/^› a/gm)?.length, transcript.match(/^default · /gm)?.length];
    };
    await expect.poll(prompts).toEqual([1, 1]);
  }
  terminal.press("BSpace", "BSpace", "BSpace");
  await terminal.stands(ready);
  send("more");
  const seen = await terminal.shows("And more.");
  for (let row = 0; row < 30; row++) expect(seen).toContain(`row ${row} of what was said`);
});

test("what a command changed is chosen from a list, deletions first", async () => {
  const files = { "a.txt": "one\n", "b.txt": "two\n" };
  const turns = [[bash("rm b.txt; echo more >> a.txt; echo 1 > c.txt")], ["Done."]];
  const { workspace, terminal, send } = await openConversation(files, turns, { columns: 40, rows: 18 });
  send("change");
  const asked = await terminal.stands(asking);
  expect(asked).toContain("D  b.txt");
  terminal.press("s");
  await terminal.stands("❯ [ ] D  b.txt");
  terminal.press("Space");
  await terminal.stands("❯ [x] D  b.txt");
  terminal.press("Enter");
  await terminal.shows("Done.");
  expect([existsSync(workspace.path("b.txt")), existsSync(workspace.path("c.txt")), workspace.read("a.txt")]).toEqual([
    false,
    false,
    "one\n",
  ]);
});
