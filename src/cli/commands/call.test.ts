import { describe, expect, it } from "vitest";
import type { DoorOptions } from "../../contract/app.ts";
import { fail, ok } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import type { PermissionAnswer } from "../../contract/verdict.ts";
import { appWithDoor, observationOf, plainSettings, requestOf, run } from "../surface.fixture.ts";

const denied: Partial<Observation> = {
  ok: false,
  status: "denied",
  phase: "permission",
  code: "approval_unavailable",
  summary: "Nobody could be asked.",
  recovery: "Run with someone who can answer, or add the suggested rule.",
  permission: {
    decision: "ask",
    reason: "it runs project code",
    source: "mode",
    risk: "R3",
    suggestedRule: "Bash(npm test)",
  },
};

describe("gauntlet call", () => {
  it("prints the user face on stdout and everything else on stderr", async () => {
    const uses: string[] = [];
    const ran = await run(["call", "read", '{"path":"a"}'], { app: appWithDoor({ uses }) });
    expect(ran).toEqual({
      code: 0,
      stdout: 'read {"path":"a"}\n',
      stderr: "✓ read done (7 ms)\nsession ses_1  audit evt_1\n",
      questions: [],
      apps: ["/here"],
    });
    expect(uses).toEqual(['open {"allow":[],"deny":[],"addDirectories":[]}', "call read", "close"]);
  });

  it("prints the Observation and nothing else with --json", async () => {
    const ran = await run(["call", "read", "{}", "--json"], { app: appWithDoor({}) });
    expect(JSON.parse(ran.stdout)).toEqual(observationOf({ tool: "read", input: {} }));
  });

  it("hands every flag to the door", async () => {
    const uses: string[] = [];
    const argv = [
      "call",
      "read",
      "--session",
      "ses_9",
      "--mode",
      "plan",
      "--allow",
      "A",
      "--allow",
      "B",
      "--deny",
      "C",
    ];
    const ran = await run([...argv, "--add-dir", "../x", "--cwd", "sub"], { app: appWithDoor({ uses }) });
    expect(ran.apps).toEqual(["/here/sub"]);
    expect(uses[0]).toBe(
      'open {"session":"ses_9","mode":"plan","allow":["A","B"],"deny":["C"],"addDirectories":["/x"]}',
    );
  });

  it("reads the input from standard input, and then cannot ask through it", async () => {
    let options: DoorOptions | undefined;
    const app = appWithDoor({
      call: async (intent, given) => {
        options = given;
        return observationOf(intent);
      },
    });
    const ran = await run(["call", "write", "-"], { app, stdin: ['{"pa', 'th":"é"}'], answers: ["y"] });
    expect([ran.code, ran.stdout, options?.ask]).toEqual([0, 'write {"path":"é"}\n', undefined]);
  });

  it("calls broken JSON a usage mistake before anything starts", async () => {
    const ran = await run(["call", "read", "{path:1}"]);
    expect([ran.code, ran.stdout, ran.apps]).toEqual([2, "", []]);
    expect(ran.stderr).toContain("the input of read cannot be read");
  });

  it.each([
    ["policy_denied", "denied", 3],
    ["user_denied", "denied", 3],
    ["approval_unavailable", "denied", 4],
    ["unknown_tool", "error", 2],
    ["schema_invalid", "error", 2],
    ["command_failed", "error", 1],
    ["stale_file_baseline", "error", 1],
  ] as const)("ends %s (%s) with exit code %i", async (code, status, expected) => {
    const app = appWithDoor({ call: async (intent) => observationOf(intent, { ok: false, code, status }) });
    expect((await run(["call", "bash", "{}"], { app })).code).toBe(expected);
  });

  it("says why it was not done, and which rule would have done it", async () => {
    const app = appWithDoor({ call: async (intent) => observationOf(intent, denied) });
    const ran = await run(["call", "bash", '{"command":"npm test"}'], { app });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toBe(
      [
        "⊘ bash done: approval_unavailable (7 ms)",
        "why           Nobody could be asked.",
        "ask           it runs project code (risk R3, by mode)",
        "to allow it   --allow 'Bash(npm test)'",
        'or settings   {"permissions":{"allow":["Bash(npm test)"]}}',
        "then          Run with someone who can answer, or add the suggested rule.",
        "session ses_1  audit evt_1",
        "",
      ].join("\n"),
    );
  });

  it("is loud when nothing enforced the boundaries", async () => {
    const app = appWithDoor({
      call: async (intent) => observationOf(intent, { sandbox: { backend: "none", enforces: false } }),
    });
    expect((await run(["call", "bash", "{}"], { app })).stderr).toContain("warning: no sandbox enforced");
  });

  it("never lets output drive the terminal", async () => {
    const app = appWithDoor({ call: async (intent) => observationOf(intent, { user: { text: "a\u001b[2Jb\rc\n" } }) });
    expect((await run(["call", "bash", "{}"], { app })).stdout).toBe("a\\u{1b}[2Jb\\u{d}c\n");
  });

  it("fails closed on settings that cannot be relied on", async () => {
    const failure = fail("bad_request", "settings.json:1:2: unknown key");
    const ran = await run(["call", "read", "{}", "--json"], { app: { settings: () => failure } });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("settings.json:1:2: unknown key");
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, code: "bad_request" });
  });

  it("tells what a project file wanted and did not get", async () => {
    const app = {
      ...appWithDoor({}),
      settings: () => ok({ ...plainSettings, notices: [".gauntlet/settings.json: not used: mode"] }),
    };
    expect((await run(["call", "read", "{}"], { app })).stderr).toContain(
      "notice: .gauntlet/settings.json: not used: mode",
    );
  });

  it("interrupts the door on a signal and ends with 130", async () => {
    const uses: string[] = [];
    let interrupt = () => {};
    let cancel = () => {};
    const app = appWithDoor({
      uses,
      call: (intent) =>
        new Promise((resolve) => {
          cancel = () => resolve(observationOf(intent, { ok: false, code: "cancelled", status: "error" }));
          interrupt();
        }),
      interrupt: () => cancel(),
    });
    const ran = await run(["call", "bash", "{}"], {
      app,
      onStart: (send) => {
        interrupt = send;
      },
    });
    expect([ran.code, uses.slice(1)]).toEqual([130, ["call bash", "interrupt", "close"]]);
  });
});

describe("a person at the terminal", () => {
  const rows: readonly [string, readonly string[], PermissionAnswer | "unavailable"][] = [
    ["yes", ["y"], { request: "req_1", by: "person at the terminal", answer: "allow", remember: "once" }],
    [
      "for this session",
      ["s"],
      { request: "req_1", by: "person at the terminal", answer: "allow", remember: "session" },
    ],
    ["no", ["N"], { request: "req_1", by: "person at the terminal", answer: "deny" }],
    [
      "no, with a message",
      ["d", " use make "],
      { request: "req_1", by: "person at the terminal", answer: "deny", message: "use make" },
    ],
    [
      "something else first",
      ["", "yess", "allow", "y"],
      { request: "req_1", by: "person at the terminal", answer: "allow", remember: "once" },
    ],
    ["the end of the input", [], "unavailable"],
    ["the end of the input in the middle", ["d"], "unavailable"],
  ];

  it.each(rows)("is asked and says %s", async (_name, answers, expected) => {
    let answer: unknown;
    const app = appWithDoor({
      call: async (intent, options) => {
        answer = await options.ask?.(requestOf("req_1"), new AbortController().signal);
        return observationOf(intent);
      },
    });
    await run(["call", "bash", "{}"], { app, answers });
    expect(answer).toEqual(expected);
  });

  it("sees everything that a yes would cover", async () => {
    const app = appWithDoor({
      call: async (intent, options) => {
        const request = requestOf("req_1");
        await options.ask?.(
          { ...request, prompt: { ...request.prompt, action: "npm test\u202E", diff: "@@\n-old\n+new" } },
          new AbortController().signal,
        );
        return observationOf(intent);
      },
    });
    const ran = await run(["call", "bash", "{}"], { app, answers: ["y"] });
    expect(ran.stderr.split("\n").slice(0, 13)).toEqual([
      "",
      "? Run a command",
      "  npm test\\u{202e}",
      "@@",
      "-old",
      "+new",
      "risk          R3: it runs project code",
      "touches       run npm test",
      "sandbox       bubblewrap, no network",
      "output        100000 characters",
      "it says       to see whether it works",
      "session rule  Bash(npm test)",
      "✓ bash done (7 ms)",
    ]);
    expect(ran.stdout).toBe("bash {}\n");
  });

  it("is asked one question at a time, and cannot grant a session what has no rule", async () => {
    const answers: unknown[] = [];
    const app = appWithDoor({
      call: async (intent, options) => {
        const signal = new AbortController().signal;
        const second = requestOf("req_2");
        const { suggestedRule: _, ...prompt } = second.prompt;
        answers.push(
          ...(await Promise.all([
            options.ask?.(requestOf("req_1"), signal),
            options.ask?.({ ...second, prompt }, signal),
          ])),
        );
        return observationOf(intent);
      },
    });
    const ran = await run(["call", "bash", "{}"], { app, answers: ["s", "s", "n"] });
    expect(answers).toMatchObject([
      { request: "req_1", answer: "allow", remember: "session" },
      { request: "req_2", answer: "deny" },
    ]);
    expect(ran.questions).toHaveLength(3);
  });

  it("is not asked when nobody is there", async () => {
    let options: DoorOptions | undefined;
    const app = appWithDoor({
      call: async (intent, given) => {
        options = given;
        return observationOf(intent);
      },
    });
    await run(["call", "bash", "{}"], { app });
    expect(options?.ask).toBeUndefined();
  });
});
