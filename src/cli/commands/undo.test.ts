import { describe, expect, it } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import type { UndoOptions, UndoReport } from "../../contract/undo.ts";
import { dateText } from "../render/table.ts";
import { run } from "../surface.fixture.ts";
import { appWithArchive, summary } from "./archive.fixture.ts";

const report: UndoReport = {
  session: "ses_1",
  outcome: "done",
  undoId: "und_1",
  calls: [{ invocationId: "inv_1", intentId: "a", tool: "bash", title: "sed -i s/a/b/ x\u001b[2J" }],
  extent: "partial",
  steps: [
    { path: "/here/x", action: "restore" },
    { path: "/here/y", action: "move_back", from: "/state/trash/y" },
    { path: "/here/big", action: "nothing", note: "its content was not kept: it was too large" },
  ],
  conflicts: [],
  never: ["Only files are put back."],
};

function appWith(change: Partial<UndoReport> = {}) {
  const asked: UndoOptions[] = [];
  const app = {
    ...appWithArchive(),
    undo: async (options: UndoOptions) => {
      asked.push(options);
      return ok({ ...report, ...change });
    },
  };
  return { app, asked };
}

describe("undo", () => {
  it("says what happened to which path, and what stays", async () => {
    const { app } = appWith();
    const ran = await run(["undo"], { app });
    expect([ran.code, ran.stdout]).toEqual([
      0,
      [
        "Took back one call in part  session ses_1",
        `  of ${dateText(summary.createdAt)}: Fix the tests`,
        "  bash sed -i s/a/b/ x\\u{1b}[2J",
        "put back      x",
        "moved back    y  (from /state/trash/y)",
        "stays         big  (its content was not kept: it was too large)",
        "Only files are put back.",
        "To take this back: gauntlet undo --call und_1",
        "",
      ].join("\n"),
    ]);
  });

  it.each<[readonly string[], UndoOptions]>([
    [[], { dryRun: false, force: false }],
    [["--last", "3", "--force"], { last: 3, dryRun: false, force: true }],
    [["--call", "a", "--session", "latest"], { session: "ses_1", call: "a", dryRun: false, force: false }],
    [["--turn", "turn_1", "--dry-run"], { turn: "turn_1", dryRun: true, force: false }],
  ])("%j", async (words, expected) => {
    const { app, asked } = appWith();
    await run(["undo", ...words], { app });
    expect(asked).toEqual([expected]);
  });

  it("ends with 1 when it was refused, and says what is in the way", async () => {
    const conflicts = [{ path: "/here/x", kind: "changed_since", detail: "it was changed since" }] as const;
    const { app } = appWith({ outcome: "refused", conflicts });
    const ran = await run(["undo"], { app });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("Did not take back one call");
    expect(ran.stdout).toContain("in the way    x: it was changed since");
    expect(ran.stdout).toContain("--force");
  });

  it("gives the report as JSON, and failures too", async () => {
    const { app } = appWith();
    expect(JSON.parse((await run(["undo", "--json"], { app })).stdout)).toEqual(report);
    const failing = { ...app, undo: async () => fail("bad_request", "No such call.") };
    const ran = await run(["undo", "--call", "x", "--json"], { app: failing });
    expect([ran.code, JSON.parse(ran.stdout).message]).toEqual([2, "No such call."]);
  });

  it("does not take a number that means nothing", async () => {
    const { app, asked } = appWith();
    expect((await run(["undo", "--last", "0"], { app })).code).toBe(2);
    expect((await run(["undo", "--last", "two"], { app })).code).toBe(2);
    expect(asked).toEqual([]);
  });
});
