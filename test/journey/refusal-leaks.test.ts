import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/contract/observation.ts";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const read = (file: string) => ({ tool: "read", input: { path: file } });
const edit = (from: string, to: string, file: string) => ({
  tool: "edit",
  input: { path: file, old_string: from, new_string: to },
});

describe("a refusal tells nothing about what was not read", () => {
  const content = "swordfish-4711\n";
  const places: readonly [string, (workspace: Workspace) => string][] = [
    ["an unread file", (workspace) => workspace.write("unread.txt", content)],
    ["a secret", (workspace) => workspace.write(".env", content)],
    ["a file outside", (workspace) => written(path.join(path.dirname(workspace.root), "outside.txt"), content)],
    ["a file of the home directory", (workspace) => written(path.join(workspace.home, "notes.txt"), content)],
  ];
  const attempts: readonly [string, (file: string, text: string) => { tool: string; input: object }][] = [
    ["edit", (file, text) => edit(text, "x", file)],
    [
      "multi_edit",
      (file, text) => ({ tool: "multi_edit", input: { path: file, edits: [{ old_string: text, new_string: "x" }] } }),
    ],
    ["write", (file) => ({ tool: "write", input: { path: file, content: "x\n" } })],
    [
      "patch",
      (file, text) => ({ tool: "patch", input: { patch: `--- ${file}\n+++ ${file}\n@@ -1 +1 @@\n-${text}\n+x\n` } }),
    ],
  ];

  test.each(places.flatMap(([where, make]) => attempts.map(([tool, intent]) => ({ where, make, tool, intent }))))(
    "$tool of $where",
    async ({ make, intent }) => {
      const workspace = makeWorkspace();
      const gauntlet = await openGauntlet(workspace);
      const file = make(workspace);
      const right = await gauntlet.call(intent(file, "swordfish-4711"));
      const wrong = await gauntlet.call(intent(file, "no such text"));
      expect([right.ok, wrong.ok]).toEqual([false, false]);
      expect(faceOf(wrong)).toEqual(faceOf(right));
      expect(JSON.stringify(wrong)).not.toContain("swordfish");
      expect(readFileSync(file, "utf8")).toBe(content);
    },
  );

  test("whether a file outside or a secret exists is not told either", async () => {
    const workspace = makeWorkspace();
    const outside = path.dirname(workspace.root);
    written(path.join(outside, "there.txt"), content);
    workspace.write(".env", content);
    const gauntlet = await openGauntlet(workspace);
    const change = (file: string) => edit("a", "b", file);
    for (const [there, absent, intents] of [
      [path.join(outside, "there.txt"), path.join(outside, "gone.txt"), [read, change]],
      // Names in the workspace can be listed, and making a new file is another matter than changing one.
      [workspace.path(".env"), workspace.path(".env.local"), [read]],
    ] as const) {
      for (const intent of intents) {
        const found = faceOf(await gauntlet.call(intent(there)));
        const missed = faceOf(await gauntlet.call(intent(absent)));
        expect(replaceAll(missed, absent, there)).toEqual(found);
      }
    }
  });
});

function written(file: string, content: string): string {
  writeFileSync(file, content);
  return file;
}

/** What the model is given of it. */
function faceOf({ code, phase, title, summary, recovery, field, model }: Observation): object {
  return { code, phase, title, summary, recovery, field, content: model.content };
}

function replaceAll(value: object, from: string, to: string): unknown {
  const names: readonly [string, string][] = [
    [from, to],
    [path.basename(from), path.basename(to)],
  ];
  return JSON.parse(names.reduce((text, [one, other]) => text.replaceAll(one, other), JSON.stringify(value)));
}
