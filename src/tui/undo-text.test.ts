import { expect, test } from "vitest";
import type { UndoReport } from "../contract/app/undo.ts";
import { readUndo, undoText } from "./command-texts.ts";

test.each([
  ["", { last: 1, dryRun: true, force: false }],
  ["yes", { last: 1, dryRun: false, force: false }],
  ["2 yes", { last: 2, dryRun: false, force: false }],
  ["0 please", { last: 1, dryRun: true, force: false }],
])("/undo %s", (argument, expected) => {
  expect(readUndo(argument)).toEqual(expected);
});

const report: UndoReport = {
  session: "ses_1",
  outcome: "planned",
  blocked: false,
  calls: [{ invocationId: "inv_1", tool: "bash", title: "sed -i s/a/b/ x" }],
  extent: "complete",
  steps: [{ path: "/w/x", action: "restore" }],
  left: [],
  conflicts: [],
  never: [],
};
const left = [{ path: "/w/mine", change: "modified", invocationId: "inv_1" }] as const;
const conflicts = [{ path: "/w/x", kind: "changed_since", detail: "it was changed since" }] as const;

test.each<[Partial<UndoReport>, string, readonly string[]]>([
  [{}, "plain", ["Type /undo yes to revert (complete): sed -i s/a/b/ x", "  restore  /w/x"]],
  [
    { extent: "partial", left },
    "plain",
    [
      "Type /undo yes to revert (partial): sed -i s/a/b/ x",
      "  restore  /w/x",
      "  unchanged  /w/mine  (modified while a direct command ran)",
    ],
  ],
  [
    { extent: "none", blocked: true, steps: [], left },
    "bad",
    [
      "A direct command cannot be reverted: sed -i s/a/b/ x",
      "  unchanged  /w/mine  (modified while a direct command ran)",
      "  /undo 2 includes the previous call.",
    ],
  ],
  [
    { outcome: "refused", blocked: true, conflicts },
    "bad",
    [
      "Not reverted: other changes would be lost. To revert anyway: gauntlet undo --force",
      "  would restore  /w/x",
      "  /w/x: it was changed since",
    ],
  ],
  [{ outcome: "done" }, "good", ["Reverted (complete): sed -i s/a/b/ x", "  restore  /w/x"]],
])("what is told of %j", (change, tone, lines) => {
  expect(undoText({ ...report, ...change })).toEqual([tone, lines.join("\n")]);
});
