import { chmodSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { IntentInput } from "../../../src/contract/intent.ts";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { must } from "./must.ts";
import { treeOf } from "./tree.ts";

const names = ["a", "b", "d/a", "d/b", "d/e/c", "n", "d/n", "x/y"] as const;
const folders = ["d", "d/e", "x", "n"] as const;
const name = fc.constantFrom(...names);
const word = fc.constantFrom("one", "two", "three");

/** Whatever a command may do to a tree. One that fails has done half of it, which is as good. */
const step = fc.oneof(
  fc
    .record({ file: name, text: word })
    .map(({ file, text }) => `mkdir -p "$(dirname ${file})"; echo ${text} > ${file}`),
  fc.record({ file: name, text: word }).map(({ file, text }) => `echo ${text} >> ${file}`),
  name.map((file) => `rm -rf ${file}`),
  fc.constantFrom(...folders).map((folder) => `rm -rf ${folder}`),
  fc.constantFrom(...folders).map((folder) => `mkdir -p ${folder}`),
  fc.record({ from: name, to: name }).map(({ from, to }) => `mv ${from} ${to}`),
  fc.record({ from: fc.constantFrom(...folders), to: name }).map(({ from, to }) => `mv ${from} ${to}`),
  fc.record({ file: name, to: name }).map(({ file, to }) => `ln -sfn ${to} ${file}`),
  fc
    .record({ file: name, mode: fc.constantFrom("600", "755", "644") })
    .map(({ file, mode }) => `chmod ${mode} ${file}`),
  fc.record({ from: name, to: name }).map(({ from, to }) => `cp -r ${from} ${to}`),
);

const command = fc
  .array(step, { minLength: 1, maxLength: 4 })
  .map((steps): IntentInput => ({ tool: "bash", input: { command: `{ ${steps.join("; ")}; } 2>/dev/null; true` } }));
const tool = fc.oneof(
  name.map((file): IntentInput => ({ tool: "delete", input: { path: file } })),
  fc.constantFrom(...folders).map((folder): IntentInput => ({ tool: "delete", input: { path: folder } })),
  fc.record({ from: name, to: name }).map((input): IntentInput => ({ tool: "move", input })),
);

function project() {
  const workspace = makeWorkspace({ a: "A\n", b: "B\n", "d/a": "DA\n", "d/b": "DB\n", "d/e/c": "DEC\n" });
  chmodSync(workspace.path("b"), 0o755);
  symlinkSync("../a", workspace.path("d/link"));
  return workspace;
}

/** Directories that a file tool makes on the way to a target are not on record. */
function withoutEmpty(tree: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const used = Object.keys(tree).filter((file) => !tree[file]?.startsWith("directory"));
  const entries = Object.entries(tree).filter(
    ([file, text]) => !text.startsWith("directory") || used.some((one) => one.startsWith(`${file}/`)),
  );
  return Object.fromEntries(entries);
}

test("commands in any order, taken back all at once or one by one, leave the tree that was there", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 4 }), fc.boolean(), async (calls, atOnce) => {
      const workspace = project();
      const before = treeOf(workspace.root);
      const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
      for (const call of calls) await gauntlet.call(call);
      const wishes = atOnce ? [calls.length] : calls.map(() => 1);
      for (const last of wishes) {
        const report = await gauntlet.undo({ last, dryRun: false, force: false });
        // Some of the commands changed nothing.
        if (!report.ok) break;
        expect([report.value.outcome, report.value.conflicts, report.value.failure]).toEqual(["done", [], undefined]);
      }
      expect(treeOf(workspace.root)).toEqual(before);
      await gauntlet.close();
    }),
    { numRuns: 12 },
  );
});

test("with moves and deletions of the file tools between them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(command, tool), { minLength: 2, maxLength: 5 }), takenBackWithTools),
    { numRuns: 12 },
  );
});

const bash = (command: string): IntentInput => ({ tool: "bash", input: { command } });
const remove = (path: string): IntentInput => ({ tool: "delete", input: { path } });

test.each<[string, IntentInput[]]>([
  [
    "a file that was moved twice and lay in a directory that was deleted",
    [bash("mv d/e d/n; rm -rf a"), bash("mv d/n a; mkdir -p d"), remove("d"), remove("a")],
  ],
  [
    "a file that was moved to where another one was before",
    [bash("rm d/b; echo one >> a"), bash("mv d/e/c d/b; chmod 600 a")],
  ],
  ["two files that changed places", [bash("mv a t; mv b a; mv t b"), bash("mv a d/a")]],
  ["a file that got other permissions before it was moved", [bash("chmod 600 b"), bash("mv b n")]],
  ["a file that was moved and copied back", [bash("mv d/a d/n"), bash("cp -r d/n d/a")]],
  [
    "a directory where a tool has made one of the same name on its way",
    [remove("d"), { tool: "move", input: { from: "a", to: "d/e/c" } }, bash("mv d a")],
  ],
])("%s", (_name, calls) => takenBackWithTools(calls));

async function takenBackWithTools(calls: readonly IntentInput[]): Promise<void> {
  const workspace = project();
  const before = withoutEmpty(treeOf(workspace.root));
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  for (const call of calls) await gauntlet.call(call);
  const report = await gauntlet.undo({ last: calls.length, dryRun: false, force: false });
  if (report.ok) {
    const { outcome, conflicts, failure } = must(report);
    expect([outcome, conflicts, failure]).toEqual(["done", [], undefined]);
  }
  expect(withoutEmpty(treeOf(workspace.root))).toEqual(before);
  await gauntlet.close();
}
