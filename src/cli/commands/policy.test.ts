import { describe, expect, it } from "vitest";
import { run } from "../../../test/support/surface.ts";
import type { PolicyAdmin, PolicyCheck, PolicyTrial } from "../../contract/app/policy.ts";
import type { ListedSkill } from "../../contract/app/skill.ts";
import { fail, ok } from "../../contract/codes.ts";

function desk(given: Partial<PolicyAdmin>): PolicyAdmin {
  const absent = () => {
    throw new Error("This test did not expect that to be asked.");
  };
  return { check: absent, try: absent, trust: absent, ...given };
}

describe("gauntlet policy check", () => {
  const problems: PolicyCheck["problems"] = [
    {
      level: "error",
      message: "it cannot match",
      line: 3,
      column: 7,
      field: "permissions.deny[0]",
      rule: "Write(\u202Ex)",
      action: "deny",
    },
    { level: "warning", message: "unknown key", field: "permissions.denny", line: 1, column: 2 },
  ];
  const check = (checked: PolicyCheck) => {
    const asked: unknown[] = [];
    const policy = desk({
      check: async (...args) => {
        asked.push(args);
        return ok(checked);
      },
    });
    return { asked, app: { policy } };
  };

  it("names every problem with its place", async () => {
    const { asked, app } = check({ file: "/here/p.json", ok: false, rules: 2, problems });
    const ran = await run(["policy", "check", "p.json", "--project"], { app });
    expect([ran.code, ran.stdout.split("\n"), asked]).toEqual([
      1,
      [
        "/here/p.json:3:7: error: deny Write(\\u{202e}x): it cannot match",
        "/here/p.json:1:2: warning: permissions.denny: unknown key",
        "✗ /here/p.json: 2 rules, 1 error, 1 warning",
        "",
      ],
      [["/here/p.json", { project: true }]],
    ]);
  });

  it.each([
    [true, 0],
    [false, 1],
  ])("as JSON, errors are the exit code: ok %s", async (fine, code) => {
    const checked = { file: "/here/p.json", ok: fine, rules: 2, problems: fine ? [] : problems };
    const ran = await run(["policy", "check", "p.json", "--json"], { app: check(checked).app });
    expect([ran.code, JSON.parse(ran.stdout), ran.stderr]).toEqual([code, checked, ""]);
  });

  it("exits 2 for a file that cannot be read", async () => {
    const app = { policy: desk({ check: async () => fail("bad_request", "There is no file.") }) };
    expect((await run(["policy", "check", "p.json"], { app })).code).toBe(2);
  });
});

describe("gauntlet policy try", () => {
  const trial = (change: Partial<PolicyTrial>): PolicyTrial => ({
    session: "ses_1",
    seq: 7,
    intentId: "a",
    tool: "bash",
    input: { command: "npm\u001b test" },
    mode: "default",
    before: { decision: "ask", risk: "R3", reason: "runs npm", source: "mode" },
    after: { decision: "deny", risk: "R3", reason: "denied", source: "user", rule: "Bash(npm:*)" },
    changed: true,
    notes: ["The recorded input is redacted."],
    ...change,
  });
  const same = trial({ seq: 9, changed: false, after: trial({}).before, notes: [] });

  function trying(ranges: unknown[] = []) {
    async function* trials() {
      yield trial({});
      yield same;
    }
    const policy = desk({
      try: (_file, range) => {
        ranges.push(range);
        return ok(trials());
      },
    });
    return { policy };
  }

  it("lists what would change, and counts the rest", async () => {
    const ran = await run(["policy", "try", "p.json"], { app: trying() });
    expect([ran.code, ran.stdout.split("\n"), ran.stderr]).toEqual([
      0,
      [
        'ask → deny  bash {"command":"npm\\u001b test"}  ses_1 #7',
        "    was mode: runs npm",
        "    now rule Bash(npm:*): denied",
        "    The recorded input is redacted.",
        "2 recorded verdicts judged again, 1 would change: 0 to allow, 0 to ask, 1 to deny.",
        "",
      ],
      "Hooks were skipped. Nothing was run.\n",
    ]);
  });

  it("gives a program one line each, and the counts last", async () => {
    const lines = async (...flags: readonly string[]) => {
      const ran = await run(["policy", "try", "p.json", "--json", ...flags], { app: trying() });
      return ran.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    const summary = {
      summary: { judged: 2, changed: 1, toAllow: 0, toAsk: 0, toDeny: 1, otherwise: 0, unreadable: 0 },
    };
    expect(await lines()).toEqual([trial({}), summary]);
    expect(await lines("--all")).toEqual([trial({}), same, summary]);
  });

  it("tells what is not because of the policy, and does not count it as its doing", async () => {
    async function* trials() {
      yield trial({ otherwise: "a hook had decided, and hooks were skipped", notes: [] });
    }
    const ran = await run(["policy", "try", "p.json"], { app: { policy: desk({ try: () => ok(trials()) }) } });
    expect(ran.stdout.split("\n").slice(3)).toEqual([
      "    not because of this policy: a hook had decided, and hooks were skipped",
      "1 recorded verdict judged again, 0 would change: 0 to allow, 0 to ask, 0 to deny.",
      "1 more differ, but not because of this policy.",
      "",
    ]);
  });

  it("goes over the sessions that are named", async () => {
    const ranges: unknown[] = [];
    await run(["policy", "try", "p.json", "--limit", "3"], { app: trying(ranges) });
    expect(ranges).toEqual([{ limit: 3 }]);
  });

  it("says which sessions it could not read, and does not end well", async () => {
    async function* trials() {
      yield { session: "ses_2", problem: "damaged" };
      yield trial({});
    }
    const ran = await run(["policy", "try", "p.json"], { app: { policy: desk({ try: () => ok(trials()) }) } });
    expect([ran.code, ran.stderr.split("\n")[0]]).toEqual([1, "not read: ses_2: damaged"]);
    expect(ran.stdout).toContain("1 recorded verdict judged again");
  });

  it("exits 2 for a policy that cannot be used", async () => {
    const app = { policy: desk({ try: () => fail("bad_request", "Broken.") }) };
    expect((await run(["policy", "try", "p.json"], { app })).code).toBe(2);
  });
});

describe("gauntlet trust", () => {
  const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
  const items = [
    { kind: "hook", origin: "/here/.claude/settings.json", text: "Stop: ./x.sh", hash: hash("a"), trusted: false },
    { kind: "allow_rule", origin: "/here/.claude/settings.json", text: "Bash(make)", hash: hash("b"), trusted: true },
    {
      kind: "allow_rule",
      origin: "/here/.claude/settings.json",
      text: "Bash(npm:*)",
      hash: hash("c"),
      trusted: false,
      refused: "too broad",
    },
  ] as const;
  const absent = [hash("e")];

  function trusting(changes: unknown[] = []) {
    const policy = desk({
      trust: (change) => {
        if (change !== undefined) changes.push(change);
        return ok({ file: "/state/trust.json", items, absent });
      },
    });
    return { app: { policy }, changes };
  }

  it("lists item by item, and asks nobody where nobody is", async () => {
    const { app, changes } = trusting();
    const ran = await run(["trust"], { app });
    expect([ran.code, ran.stdout.split("\n"), ran.questions, changes]).toEqual([
      0,
      [
        "[not trusted] hook  Stop: ./x.sh",
        `              ${hash("a")}`,
        "              in /here/.claude/settings.json",
        "[trusted]     allow rule  Bash(make)",
        `              ${hash("b")}`,
        "              in /here/.claude/settings.json",
        "[not trusted] allow rule  Bash(npm:*)",
        `              ${hash("c")}`,
        "              in /here/.claude/settings.json",
        "              can never be trusted: too broad",
        "[trusted]     no longer in the project",
        `              ${hash("e")}`,
        "Trusted items are stored in /state/trust.json.",
        "Trust one of them: gauntlet trust --accept aaaaaaaa",
        "",
      ],
      [],
      [],
    ]);
  });

  it("breaks no hash and no path where the terminal ends", async () => {
    const rows = (await run(["trust"], { app: trusting().app, columns: 80 })).stdout.split("\n");
    expect(rows.slice(0, 3)).toEqual([
      "[not trusted] hook  Stop: ./x.sh",
      `         ${hash("a")}`,
      "              in /here/.claude/settings.json",
    ]);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
  });

  it("says what changed of what was trusted", async () => {
    const origin = "/here/.mcp.json";
    const report = {
      file: "/state/trust.json",
      items: [
        {
          kind: "mcp_server",
          text: "notes: ./x",
          origin,
          hash: hash("a"),
          notCovered: "More.",
          trusted: false,
        } as const,
      ],
      absent: [hash("e")],
      names: { [hash("e")]: "mcp server notes: ./x" },
      changed: [{ hash: hash("a"), formerly: [hash("e")], detail: "it changed since it was trusted (x)" }],
    };
    const ran = await run(["trust"], { app: { policy: desk({ trust: () => ok(report) }) } });
    expect(ran.stdout.split("\n")).toEqual([
      "[not trusted] MCP server  notes: ./x",
      `              ${hash("a")}`,
      `              in ${origin}`,
      "              More.",
      "              it changed since it was trusted (x)",
      "[trusted]     MCP server notes: ./x, changed in the project since",
      `              ${hash("e")}`,
      "Trusted items are stored in /state/trust.json.",
      "Trust one of them: gauntlet trust --accept aaaaaaaa",
      "",
    ]);
  });

  it("names what is gone by what it was called", async () => {
    const report = {
      file: "/state/trust.json",
      items: [],
      absent: [hash("e")],
      names: { [hash("e")]: "mcp server notes" },
    };
    const ran = await run(["trust"], { app: { policy: desk({ trust: () => ok(report) }) }, answers: ["y"] });
    expect([ran.stdout.split("\n"), ran.questions]).toEqual([
      [
        "[trusted]     MCP server notes, no longer in the project",
        `              ${hash("e")}`,
        "Trusted items are stored in /state/trust.json.",
        "",
      ],
      [],
    ]);
  });

  it("is asked for skills with scripts that a session reads, and of no others", async () => {
    const place = (name: string) => `/here/.claude/skills/${name}`;
    const item = (name: string, digit: string) =>
      ({ kind: "skill", text: name, origin: `${place(name)}/SKILL.md`, hash: hash(digit), trusted: false }) as const;
    const skill = (name: string, scripts: readonly string[]): ListedSkill => ({
      name,
      description: "d",
      origin: "project",
      directory: place(name),
      hash: hash("f"),
      trusted: false,
      files: scripts,
      scripts,
      warnings: [],
    });
    const wanted = [item("release", "a"), item("moved", "d")];
    const report = {
      file: "/state/trust.json",
      items: [item("words", "b"), ...wanted, item("broken", "c"), { ...item("old", "e"), trusted: true }],
      absent: [],
    };
    const survey = {
      skills: [
        skill("release", ["run.sh"]),
        skill("words", []),
        { ...skill("moved", ["run.sh"]), changed: true as const },
      ],
      unread: [{ directory: place("broken"), why: "SKILL.md has no description." }],
    };
    const app = {
      policy: desk({ trust: () => ok(report) }),
      skills: {
        survey: async () => ok(survey),
        search: async () => ok([]),
        read: async () => fail("bad_request", "none"),
      },
    };
    const ran = await run(["trust"], { app, answers: ["n", "n"] });
    expect([ran.stdout, ran.stderr]).toEqual([
      `[trusted]     skill  old
              ${hash("e")}
              in ${place("old")}/SKILL.md
Trusted items are stored in /state/trust.json.
`,
      `[not trusted] skill  release
              ${hash("a")}
              in ${place("release")}/SKILL.md
Not trusted: its scripts do not run.
[not trusted] skill  moved
              ${hash("d")}
              in ${place("moved")}/SKILL.md
              it changed since it was trusted
Not trusted: its scripts do not run.
`,
    ]);
    const json = JSON.parse((await run(["trust", "--json"], { app })).stdout);
    expect(json).toEqual({
      ...report,
      items: [wanted[0], { ...wanted[1], changed: true }, { ...item("old", "e"), trusted: true }],
    });
  });

  it.each([
    [["y"], [{ accept: [hash("a")] }]],
    [["YES"], [{ accept: [hash("a")] }]],
    [[""], []],
    [["n"], []],
    [["sure"], []],
    [[], []],
  ])(
    "on a terminal %j is taken for what it says, and only what can be trusted is asked for",
    async (answers, expected) => {
      const { app, changes } = trusting();
      const ran = await run(["trust"], { app, answers });
      expect([ran.code, ran.questions, changes]).toEqual([0, ["Trust this item? [y]es, [N]o: "], expected]);
    },
  );

  it("takes hashes by their beginning, and asks nothing then", async () => {
    const { app, changes } = trusting();
    const ran = await run(["trust", "--accept", "aaaa", "--revoke", hash("b"), "--json"], { app, answers: ["y"] });
    expect([ran.code, JSON.parse(ran.stdout), ran.questions, changes]).toEqual([
      0,
      { file: "/state/trust.json", items, absent },
      [],
      [{ accept: [hash("a")], revoke: [hash("b")] }],
    ]);
  });

  it("says from when on what was accepted counts", async () => {
    const { app } = trusting();
    const { stdout } = await run(["trust", "--accept", "aaaa"], { app });
    expect(stdout.replace(/\s+/g, " ")).toContain("from the next session");
  });

  it("revokes what is no longer in the project, and never accepts it", async () => {
    const { app, changes } = trusting();
    const revoked = await run(["trust", "--revoke", "eeee"], { app });
    expect([revoked.code, revoked.stdout.includes("from the next session on")]).toEqual([0, false]);
    expect(changes).toEqual([{ accept: [], revoke: [hash("e")] }]);
    expect((await run(["trust", "--accept", "eeee"], { app })).code).toBe(2);
  });

  it.each([
    ["a", "is too short"],
    ["dddd", "matches no item"],
    ["", "is too short"],
  ])("does not guess at %j", async (prefix, words) => {
    const { app, changes } = trusting();
    const ran = await run(["trust", "--accept", prefix], { app });
    expect([ran.code, changes]).toEqual([2, []]);
    expect(ran.stderr).toContain(words);
  });

  it("shows a server line by line, where it is listed and where it is asked for, and says what became of it", async () => {
    const server = {
      kind: "mcp_server",
      origin: "/here/.mcp.json",
      text: "docs: x (network: a.example; may write: out)",
      lines: ["docs: x", "network: a.example", "may write: out\u001b[2J"],
      hash: hash("a"),
      trusted: false,
    } as const;
    const trust = () => ok({ file: "/state/trust.json", items: [server], absent: [] });
    const shown = `[not trusted] MCP server  docs: x
              network: a.example
              may write: out\\u{1b}[2J
              ${hash("a")}
              in /here/.mcp.json
`;
    const app = { policy: desk({ trust }) };
    const listed = await run(["trust"], { app });
    expect(listed.stdout).toBe(
      `${shown}Trusted items are stored in /state/trust.json.\nTrust one of them: gauntlet trust --accept aaaaaaaa\n`,
    );
    const refused = await run(["trust"], { app, answers: ["n"] });
    expect([refused.stdout, refused.stderr]).toEqual(["", `${shown}Not trusted: it has no effect.\n`]);
    const accepted = await run(["trust"], { app, answers: ["y"] });
    const words = "Trusted from the next session (/new starts one). Any change ends it.\n";
    expect([accepted.stdout, accepted.stderr]).toEqual(["", `${shown}${words}`]);
  });

  it("says that there is nothing", async () => {
    const app = { policy: desk({ trust: () => ok({ file: "/state/trust.json", items: [], absent: [] }) }) };
    expect((await run(["trust"], { app })).stdout).toBe("This project has no settings that need trust.\n");
  });
});
