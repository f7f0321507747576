import { describe, expect, it } from "vitest";
import { appWithArchive, events, summary } from "../../../test/support/archive.ts";
import { plainSettings, run } from "../../../test/support/surface.ts";
import type { ReplayEntry, ReplayOptions } from "../../contract/app/archive.ts";
import { fail, ok } from "../../contract/codes.ts";

const app = appWithArchive();

const nothing = { live: 0, unreadable: 0, workspaceDataBytes: 0, recentBytes: 0 };

describe("gauntlet sessions", () => {
  it("list prints a table, the latest last", async () => {
    const older = { ...summary, id: "ses_0", updatedAt: "2025-12-31T00:00:00.000Z", task: "", changed: 0 };
    const ran = await run(["sessions", "list"], { app: appWithArchive({ list: () => [summary, older] }) });
    expect(ran.stdout).toBe(
      [
        "SESSION  LAST                 STATUS  INTENTS  CHANGED  EVENTS     SIZE  TASK",
        "ses_0    2025-12-31 00:00:00  idle          1                3  2.0 KiB  (1 call, no task)",
        "ses_1    2026-01-01 09:00:00  idle          1        2       3  2.0 KiB  Fix the tests",
        "",
      ].join("\n"),
    );
  });

  it("list leaves out those in which nothing happened, and says so", async () => {
    const empty = { ...summary, id: "ses_empty", task: "", intents: 0 };
    const damaged = { ...empty, id: "ses_damaged", status: "damaged" };
    const app = appWithArchive({ list: () => [empty, damaged, summary] });
    const ids = async (...flags: readonly string[]) => {
      const { stdout, stderr } = await run(["sessions", "list", ...flags], { app });
      return [...(stdout.match(/ses_\w+/g) ?? []), stderr];
    };
    expect(await ids()).toEqual([
      "ses_damaged",
      "ses_1",
      "1 session without a task or call omitted; --all shows them\n",
    ]);
    expect(await ids("--all")).toEqual(["ses_empty", "ses_damaged", "ses_1", ""]);
  });

  it("list is of this directory, unless all are wanted; a program gets them all", async () => {
    const task = `${"long ".repeat(20)}\u001b[2J`;
    const other = { ...summary, id: "ses_9", updatedAt: "2026-01-02T00:00:00.000Z", workspace: "/there", task };
    const mixed = appWithArchive({ list: () => [summary, other] });
    const here = await run(["sessions", "list"], { app: mixed });
    expect([here.stdout.includes("ses_1"), here.stdout.includes("ses_9")]).toEqual([true, false]);
    expect(here.stderr).toBe("1 session in other directories; --all shows them\n");
    const all = await run(["sessions", "list", "--all"], { app: mixed });
    expect(all.stdout.split("\n").map((row) => row.split(/ {2,}/).slice(-2))).toEqual([
      ["TASK", "WORKSPACE"],
      ["Fix the tests", "/here"],
      [`${"long ".repeat(9)}lo…`, "/there"],
      [""],
    ]);
    expect(JSON.parse((await run(["sessions", "list", "--json"], { app: mixed })).stdout)).toEqual([summary, other]);
    const none = await run(["sessions", "list"], { app: appWithArchive({ list: () => [other] }) });
    expect([none.stdout, none.stderr]).toEqual([
      "",
      "no session in this directory yet\n1 session in other directories; --all shows them\n",
    ]);
  });

  const many = Array.from({ length: 23 }, (_, index) => ({
    ...summary,
    id: `ses_a${String(index).padStart(2, "0")}`,
    updatedAt: `2026-01-${String(index + 1).padStart(2, "0")}T00:00:00.000Z`,
  }));

  it("list shows the latest ones, and how many more there are", async () => {
    const crowded = appWithArchive({ list: () => many });
    const ran = await run(["sessions", "list"], { app: crowded });
    expect([ran.stdout.split("\n").length, ran.stdout.includes("ses_a02"), ran.stdout.includes("ses_a03")]).toEqual([
      22,
      false,
      true,
    ]);
    expect(ran.stderr).toBe("3 earlier sessions not shown; --limit 23 shows all\n");
    const one = await run(["sessions", "list", "--limit", "1", "--json"], { app: crowded });
    expect(JSON.parse(one.stdout)).toEqual([many.at(-1)]);
    expect(JSON.parse((await run(["sessions", "list", "--json"], { app: crowded })).stdout)).toHaveLength(23);
  });

  it("list is cut where the terminal ends", async () => {
    const far = appWithArchive({ list: () => [{ ...summary, task: "far ".repeat(40) }] });
    const ran = await run(["sessions", "list"], { app: far, columns: 90 });
    expect(ran.stdout.split("\n")[1]).toHaveLength(90);
    const narrow = await run(["sessions", "list"], { app: far, columns: 60 });
    expect(narrow.stdout.split("\n")[0]).toBe("SESSION  LAST                 TASK");
    expect(narrow.stdout.split("\n")[1]).toHaveLength(60);
  });

  it.each([
    ["latest", "ses_a22"],
    ["ses_a07", "ses_a07"],
    ["a07", "ses_a07"],
    ["ses_a1", undefined],
    ["ses_x", "ses_x"],
  ])("takes %s for a session", async (reference, expected) => {
    const asked: (string | undefined)[] = [];
    const crowded = appWithArchive({
      list: () => many,
      export: (id) => {
        asked.push(id);
        return ok([]);
      },
    });
    const ran = await run(["sessions", "export", reference], { app: crowded });
    expect([asked[0], ran.code]).toEqual([expected, expected === undefined ? 2 : 0]);
    if (expected === undefined) {
      expect(ran.stderr).toBe(
        "gauntlet: ses_a1 matches 10 sessions.\nChoose one, latest first: " +
          "ses_a19 (2026-01-20 00:00:00, Fix the tests); ses_a18 (2026-01-19 00:00:00, Fix the tests); " +
          "ses_a17 (2026-01-18 00:00:00, Fix the tests); ses_a16 (2026-01-17 00:00:00, Fix the tests); " +
          "ses_a15 (2026-01-16 00:00:00, Fix the tests), and 5 earlier ones.\n",
      );
    }
  });

  it("list --json prints the summaries", async () => {
    expect(JSON.parse((await run(["sessions", "list", "--json"], { app })).stdout)).toEqual([summary]);
  });

  it("show prints a line for each call and where it stands", async () => {
    const ran = await run(["sessions", "show", "ses_1"], { app });
    expect(ran.stdout.split("\n")).toEqual([
      "ses_1  idle",
      "task          Fix the tests",
      "workspace     /here",
      "from          2026-01-01 08:00:00",
      "to            2026-01-01 09:00:00",
      "size          3 events, 1 intent, 2.0 KiB",
      "head          abc",
      "08:00:03.000 ✓ bash         bash done  ok  allow by mode  7 ms  evt_1",
      "state         idle, mode default, at event 3",
      "directory     /here/sub",
      "calls         1 proposed, 1 observed, 0 refused, 0 failed",
      "granted       Bash(npm test) (req_1)",
      "waits for     req_2: Run a command",
      "job           job_1: sleep 9",
      "changed       /here/a",
      "changed       /here/b (deleted)",
      "",
    ]);
  });

  it("show names the MCP clients that called, each once, and none of them disturbs it", async () => {
    const served = JSON.parse(JSON.stringify(events[1]));
    served.data.origin = { source: "mcp", client: "inspector\u001b[2J" };
    const archive = appWithArchive({ events: () => ok([served, served]) });
    expect((await run(["sessions", "show", "ses_1"], { app: archive })).stdout.split("\n")).toContain(
      "called by     MCP client inspector\\u{1b}[2J",
    );
  });

  it("says beside the answer what there is to know about the store", async () => {
    const ran = await run(["sessions", "list"], { app: { ...app, notices: () => ["The index was begun anew."] } });
    expect([ran.code, ran.stderr]).toEqual([0, "notice: The index was begun anew.\n"]);
    expect(ran.stdout).toContain("Fix the tests");
  });

  it("list and show say of what was imported that it was", async () => {
    const app = appWithArchive({ list: () => [{ ...summary, imported: true }] });
    expect((await run(["sessions", "list"], { app })).stdout).toContain("imported: Fix the tests\n");
    expect((await run(["sessions", "show", "ses_1"], { app })).stdout).toContain("ses_1  idle, imported\n");
  });

  it("show --json prints maps as objects", async () => {
    const shown = JSON.parse((await run(["sessions", "show", "ses_1", "--json"], { app })).stdout);
    expect(shown.state.changedFiles).toEqual({ "/here/a": "h", "/here/b": null });
    expect(shown.summary).toEqual(summary);
  });

  it("events prints a timeline that no event can disturb", async () => {
    const ran = await run(["sessions", "events", "ses_1"], { app });
    expect(ran.stdout.split("\n")).toEqual([
      "    1  08:00:01.000  session.created             /here, mode default, sandbox none (nothing enforced)",
      `    2  08:00:02.000  tool_intent.proposed        a  bash {"command":"printf '\\u001b[2J'\\n"}`,
      "    3  08:00:03.000  tool.observed               a  ok: It was done.",
      "",
    ]);
  });

  it("events says of a call in which sandbox it ran, unless a server does it", async () => {
    const data = {
      invocationId: "inv_1",
      tool: "mcp__web__echo",
      effects: [{ op: "call", server: "web", tool: "echo" }],
      confinement: "The server web does it.",
    };
    const lines = async (more: object) => {
      const started = { ...events[0], type: "tool_invocation.started", data: { ...data, ...more } } as never;
      const { stdout } = await run(["sessions", "events", "ses_1"], {
        app: appWithArchive({ events: () => ok([started]) }),
      });
      return stdout.split("  ").at(-1);
    };
    const sandbox = { backend: "bubblewrap", enforces: true };
    expect(await lines({})).toBe("mcp__web__echo: call echo of web\n");
    expect(await lines({ sandbox })).toBe("mcp__web__echo in bubblewrap: call echo of web\n");
  });

  it("events says of a background command why what it changed is not on record", async () => {
    const data = { jobId: "job_1", state: "ended", exitCode: 0, unrecorded: "a bug" };
    const ended = { ...events[0], type: "job.ended", data } as never;
    const { stdout } = await run(["sessions", "events", "ses_1"], {
      app: appWithArchive({ events: () => ok([ended]) }),
    });
    expect(stdout).toContain("job_1  ended, exit code 0; what it changed is not on record: a bug");
  });

  it("events --json streams the events, from and of which type was asked", async () => {
    const lines = async (...flags: string[]) =>
      (await run(["sessions", "events", "ses_1", "--json", ...flags], { app })).stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    expect(await lines()).toEqual(events);
    expect(await lines("--from", "2", "--type", "tool.observed", "--type", "session.created")).toEqual([events[2]]);
  });

  it.each(["events", "replay"])("%s shows what does not hold, says so beside it, and exits 1", async (name) => {
    const problems = [{ seq: 2, problem: "its bytes do not match its hash: it was changed." }];
    const changed = appWithArchive({
      verify: (session = "") => ok([{ session, imported: false, ok: false, events: 3, head: "abc", problems }]),
    });
    const replay = () => ok([]);
    const ran = await run(["sessions", name, "ses_1"], { app: { ...changed, replay } });
    expect([ran.code, ran.stdout !== "", ran.stderr]).toEqual([
      1,
      name === "events",
      "The log is damaged: event 2: its bytes do not match its hash: it was changed. Do not rely on it. Run gauntlet audit verify ses_1.\n",
    ]);
  });

  it("events says that there is no such type", async () => {
    const ran = await run(["sessions", "events", "ses_1", "--type", "tool.observd"], { app });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toBe("gauntlet: There is no event type tool.observd.\nDid you mean tool.observed?\n");
  });

  it("shows events of a type that only a newer version knows", async () => {
    const strange = JSON.parse(JSON.stringify({ ...events[0], type: "moon.landed", data: { at: "sea" } }));
    const newer = appWithArchive({ events: () => ok([strange]) });
    expect((await run(["sessions", "events", "ses_1"], { app: newer })).stdout).toContain(
      'moon.landed                 {"at":"sea"}',
    );
  });

  describe("replay", () => {
    const asked: unknown[] = [];
    const entries: readonly ReplayEntry[] = [
      { kind: "message", from: 1, to: 1, at: "2026-01-01T08:00:00.000Z", by: "person", text: "fix\nit" },
      {
        kind: "call",
        from: 2,
        to: 7,
        at: "2026-01-01T08:00:01.000Z",
        turnId: "turn_1",
        intentId: "a",
        tool: "bash",
        input: { command: "printf '\u001b[2J'" },
        status: "denied",
        code: "user_denied",
        title: "t",
        summary: "It was denied.",
        changed: [],
        auditId: "evt_7",
      },
    ];
    const replaying = {
      ...app,
      replay: (session: string, options: ReplayOptions) => {
        asked.push([session, options]);
        return session === "ses_1" ? ok(entries.map(ok)) : fail("bad_request", "There is no such session.");
      },
    };

    it("prints what was said and done, with disguises written out", async () => {
      const ran = await run(["sessions", "replay", "ses_1"], { app: replaying });
      expect(ran.stdout.split("\n").map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual([
        "person",
        "│ fix",
        "│ it",
        "turn_1",
        expect.not.stringContaining("\u001b"),
        "It was denied.",
        "evt_7",
        "",
      ]);
      expect(asked.at(-1)).toEqual(["ses_1", { view: "conversation" }]);
    });

    it("hands the view and the turn on, and gives JSON lines", async () => {
      const words = ["sessions", "replay", "ses_1", "--view", "audit", "--turn", "turn_1", "--json"];
      const ran = await run(words, { app: replaying });
      expect(
        ran.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual(entries);
      expect(asked.at(-1)).toEqual(["ses_1", { view: "audit", turn: "turn_1" }]);
      expect((await run(["sessions", "replay", "ses_1", "--view", "dream"], { app: replaying })).code).toBe(2);
    });

    it("--step waits for the person between two entries, and for nobody where there is none", async () => {
      const alone = await run(["sessions", "replay", "ses_1", "--step"], { app: replaying });
      expect([alone.questions.length, alone.stdout.includes("It was denied.")]).toEqual([0, true]);
      const ended = await run(["sessions", "replay", "ses_1", "--step"], { app: replaying, answers: ["q"] });
      expect([ended.questions.length, ended.stdout.includes("It was denied.")]).toEqual([1, false]);
      const on = await run(["sessions", "replay", "ses_1", "--step"], { app: replaying, answers: [""] });
      expect([on.questions.length, on.stdout.includes("It was denied.")]).toEqual([1, true]);
    });

    it("says that there is no such session", async () => {
      const ran = await run(["sessions", "replay", "ses_x"], { app: replaying });
      expect([ran.code, ran.stdout]).toEqual([2, ""]);
      expect(ran.stderr).toContain("There is no such session.");
    });
  });

  it("fork names the new session, and the files that are not as they were then", async () => {
    const asked: unknown[] = [];
    const forking = appWithArchive({
      fork: (id, at) => {
        asked.push([id, at]);
        return ok({ session: "ses_2", from: id, seq: 7, changedSince: ["/here/a\nb.txt"] });
      },
    });
    const ran = await run(["sessions", "fork", "ses_1", "--at", "7"], { app: forking });
    expect([ran.code, ran.stdout]).toEqual([
      0,
      "ses_2  continues ses_1 at event 7\nFiles in the workspace are not reverted. 1 file changed after that point:\n  /here/a\\nb.txt\n",
    ]);
    await run(["sessions", "fork", "ses_1", "--at", "evt_9", "--json"], { app: forking });
    await run(["sessions", "fork", "ses_1"], { app: forking });
    expect(asked).toEqual([
      ["ses_1", 7],
      ["ses_1", "evt_9"],
      ["ses_1", undefined],
    ]);
    expect((await run(["sessions", "fork", "ses_1", "--at", "soon"], { app: forking })).code).toBe(2);
  });

  it("export writes the lines as they are", async () => {
    expect((await run(["sessions", "export", "ses_1"], { app })).stdout).toBe('{"header":1}\n{"event":1}\n');
  });

  it("export ends quietly when its reader has enough", async () => {
    const ran = await run(["sessions", "export", "ses_1"], { app, closesAfter: 1 });
    expect([ran.code, ran.stderr]).toEqual([130, ""]);
  });

  it("import reads a file, or standard input", async () => {
    const imported: string[][] = [];
    const taking = appWithArchive({
      import: (lines) => {
        imported.push([...lines]);
        return ok("ses_2");
      },
    });
    const files = { "s.jsonl": "1\n2", "-": "3" };
    const named = await run(["sessions", "import", "s.jsonl"], { app: taking, files });
    const piped = await run(["sessions", "import", "--json"], { app: taking, files });
    expect([named.stdout, piped.stdout, imported]).toEqual(["ses_2\n", '{"session":"ses_2"}\n', [["1", "2"], ["3"]]]);
    expect((await run(["sessions", "import", "absent"], { app: taking, files })).code).toBe(2);
  });

  it.each([
    [[], { maxBytes: plainSettings.limits.storeBytes, dryRun: false }],
    [["--older-than", "2d"], { olderThanMs: 172_800_000, dryRun: false }],
    [
      ["--max-size", "5MiB", "--older-than", "3h", "--dry-run"],
      { olderThanMs: 10_800_000, maxBytes: 5_242_880, dryRun: true },
    ],
  ])("prune %j asks for %j", async (flags, expected) => {
    let asked: unknown;
    const pruning = appWithArchive({
      prune: (options) => {
        asked = options;
        return ok({ removed: ["ses_1"], freedBytes: 2048, keptBytes: 10, spared: nothing });
      },
    });
    const ran = await run(["sessions", "prune", ...flags], { app: pruning });
    const verb = expected.dryRun ? "would be removed" : "removed";
    expect([asked, ran.stdout.split("\n")]).toEqual([
      expected,
      [
        "SESSION  LAST                    SIZE  TASK           WORKSPACE",
        "ses_1    2026-01-01 09:00:00  2.0 KiB  Fix the tests  /here",
        `1 session ${verb}, 2.0 KiB freed, 10 B kept`,
        "",
      ],
    ]);
  });

  it("prune says what it reaches, and why more is kept than the limit", async () => {
    const there = { ...summary, id: "ses_0", updatedAt: "2025-01-01T00:00:00.000Z", workspace: "/there", task: "" };
    const pruning = appWithArchive({
      list: () => [summary, there],
      prune: () =>
        ok({
          removed: ["ses_0", "ses_1"],
          freedBytes: 4096,
          keptBytes: 472 * 1024,
          spared: { live: 1, unreadable: 2, workspaceDataBytes: 300 * 1024, recentBytes: 1024 },
        }),
    });
    const ran = await run(["sessions", "prune", "--max-size", "300KiB", "--dry-run"], { app: pruning });
    expect(ran.stdout.split("\n")).toEqual([
      "SESSION  LAST                    SIZE  TASK               WORKSPACE",
      "ses_0    2025-01-01 00:00:00  2.0 KiB  (1 call, no task)  /there",
      "ses_1    2026-01-01 09:00:00  2.0 KiB  Fix the tests      /here",
      "2 sessions of 2 directories would be removed, 4.0 KiB freed, 472 KiB kept",
      "More than the limit of 300 KiB is kept: 300 KiB of file contents and tool lists of directories that still have a session; 1.0 KiB of output that a session may still refer to; 1 session in use; 2 sessions that cannot be read.",
      "",
    ]);
  });

  it.each(["show", "events", "export"])("%s says that there is no such session", async (name) => {
    const ran = await run(["sessions", name, "ses_x"], { app });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain("There is no such session.");
  });
});
