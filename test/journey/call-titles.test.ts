import { expect, test } from "vitest";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const replacement = { old_string: "one", new_string: "two" };
const patch = "--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+c\n";

test.each<[tool: string, input: Record<string, unknown>, title: string, asked: string | undefined]>([
  ["edit", { path: "a.txt", ...replacement }, "Edit a.txt", "Edit a.txt"],
  ["multi_edit", { path: "a.txt", edits: [replacement] }, "Edit a.txt", "Edit a.txt"],
  ["write", { path: "b.txt", content: "hello\n" }, "Write b.txt", "Write b.txt"],
  ["patch", { patch }, "Patch c.txt", "Patch c.txt"],
  ["move", { from: "a.txt", to: "d.txt" }, "Move a.txt to d.txt", "Move a.txt to d.txt"],
  ["delete", { path: "a.txt" }, "Delete a.txt", "Delete a.txt"],
  ["list", {}, "List .", undefined],
  ["grep", { pattern: "one", path: "a.txt" }, "Grep one in a.txt", undefined],
  ["glob", { pattern: "*.txt" }, "Glob *.txt", undefined],
  // What a model says of its command is no part of the question.
  ["bash", { command: "rm a.txt", description: "harmless" }, "rm a.txt (harmless)", undefined],
])("a call of %s has one title when it is asked about, starts and has ended", async (tool, input, title, asked) => {
  const onAsk = agreeable();
  const started: string[] = [];
  const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "one\n" }), {
    onAsk,
    onNotice(notice) {
      if (notice.kind === "started") started.push(notice.title);
    },
  });
  await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
  const observation = await gauntlet.call({ tool, input });
  expect({ started, ended: observation.title, asked: onAsk.asked[0]?.prompt.call }).toEqual({
    started: ["Read a.txt", title],
    ended: title,
    asked,
  });
});

test("the title in a question is one line that hides nothing", async () => {
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(makeWorkspace(), { onAsk });
  await gauntlet.call({ tool: "write", input: { path: "b\u202e\n.txt", content: "x\n" } });
  expect(onAsk.asked.map(({ prompt }) => prompt.call)).toEqual(["Write b\\u{202e}\\n.txt"]);
});
