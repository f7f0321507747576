import { describe, expect, it } from "vitest";
import { appWithArchive, summary } from "../../../test/support/archive.ts";
import { run } from "../../../test/support/surface.ts";
import type { UndoOptions, UndoReport } from "../../contract/app/undo.ts";
import { fail, ok } from "../../contract/codes.ts";
import { dateText } from "../render/table.ts";

const report: UndoReport = {
  session: "ses_1",
  outcome: "done",
  blocked: false,
  undoId: "und_1",
  calls: [{ invocationId: "inv_1", intentId: "a", tool: "bash", title: "sed -i s/a/b/ x\u001b[2J" }],
  extent: "partial",
  steps: [
    { path: "/here/x", action: "restore" },
    { path: "/here/y", action: "move_back", from: "/state/trash/y" },
    { path: "/here/big", action: "nothing", note: "its content was not kept: it was too large" },
  ],
  left: [],
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
  it("says how many of the wanted calls there were", async () => {
    const { app } = appWith();
    const headline = async (last: string) => (await run(["undo", "--last", last], { app })).stdout.split("  ")[0];
    expect([await headline("3"), await headline("1")]).toEqual([
      "Undid 1 of 3 calls in part",
      "Undid one call in part",
    ]);
  });

  it("says what happened to which path, and what stays", async () => {
    const { app } = appWith();
    const ran = await run(["undo"], { app });
    expect([ran.code, ran.stdout]).toEqual([
      0,
      [
        "Undid one call in part  session ses_1",
        `  of ${dateText(summary.createdAt)}: Fix the tests`,
        "  bash sed -i s/a/b/ x\\u{1b}[2J",
        "restored      x",
        "moved back    y  (from /state/trash/y)",
        "stays         big  (its content was not kept: it was too large)",
        "Only files are put back.",
        "To revert this: gauntlet undo --call und_1",
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

  it("ends with 1 when it was refused, says what is in the way, and what it would have done", async () => {
    const conflicts = [{ path: "/here/x", kind: "changed_since", detail: "it was changed since" }] as const;
    const { app } = appWith({ outcome: "refused", blocked: true, conflicts });
    const ran = await run(["undo"], { app });
    expect([ran.code, ran.stdout.split("\n").filter((line) => !/^ {2}/.test(line))]).toEqual([
      1,
      [
        "Did not undo one call  session ses_1",
        "would restore          x",
        "would move back        y  (from /state/trash/y)",
        "stays                  big  (its content was not kept: it was too large)",
        "conflict               x: it was changed since",
        "Only files are put back.",
        "Nothing was changed.",
        "--force overwrites the conflicting files and keeps what it replaces.",
        "",
      ],
    ]);
    const planned = await run(["undo", "--dry-run"], {
      app: appWith({ outcome: "planned", blocked: true, conflicts, extent: "complete" }).app,
    });
    expect([planned.code, planned.stdout.split("  ")[0], planned.stdout.includes("would restore")]).toEqual([
      0,
      "Would not undo one call",
      true,
    ]);
  });

  it("lists what direct commands changed", async () => {
    const left = [{ path: "/here/mine.txt", change: "modified", invocationId: "inv_1" }] as const;
    const { app } = appWith({ left, steps: [{ path: "/here/x", action: "restore" }] });
    expect((await run(["undo"], { app })).stdout.split("\n").slice(3)).toEqual([
      "restored      x",
      "stays         mine.txt  (modified while it ran: sed -i s/a/b/ x\\u{1b}[2J)",
      "Only files are put back.",
      "To revert this: gauntlet undo --call und_1",
      "",
    ]);
    const only = { outcome: "refused", blocked: true, extent: "none", steps: [], left } as const;
    const refused = await run(["undo"], { app: appWith(only).app });
    expect([refused.code, refused.stdout.split("  ")[0]]).toEqual([1, "Did not undo one call"]);
    expect(refused.stdout).toContain("gauntlet undo --session");
    const more = await run(["undo"], { app: appWith({ ...only, earlier: 2 }).app });
    expect(more.stdout).toContain("gauntlet undo --last 2, or --session");
    const many = Array.from({ length: 25 }, (_, at) => ({ ...left[0], path: `/here/${at}` }));
    expect((await run(["undo"], { app: appWith({ left: many }).app })).stdout).toContain("and 5 more");
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
