import { describe, expect, it } from "vitest";
import { appWithArchive, summary } from "../../../test/support/archive.ts";
import { appWithDoor, observationOf, plainSettings, requestOf, run } from "../../../test/support/surface.ts";
import type { DoorOptions } from "../../contract/app/door.ts";
import { fail, ok } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import type { PermissionAnswer, PermissionRequest } from "../../contract/verdict.ts";

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
    suggestedRules: ["Bash(npm test)"],
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
    expect(uses).toEqual(['open {"allow":[],"deny":[],"addDirectories":[],"oneCall":true}', "call read", "close"]);
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
      "ses_0123456789abcdef0123456789abcdef",
      "--mode",
      "plan",
      "--allow",
      "A",
      "--allow",
      "B",
      "--deny",
      "C",
    ];
    const app = appWithDoor({ uses });
    const ran = await run([...argv, "--add-dir", "../x", "--cwd", "sub"], { app });
    expect(ran.apps).toEqual(["/here/sub"]);
    expect(uses[0]).toBe(
      'open {"session":"ses_0123456789abcdef0123456789abcdef","mode":"plan","allow":["A","B"],"deny":["C"],"addDirectories":["/x"],"oneCall":true}',
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
    await run(["call", "write", "-"], { app, stdin: ["{}"], terminalBeside: true });
    expect(options?.ask).toBeTypeOf("function");
  });

  it("calls broken JSON a usage mistake before anything starts", async () => {
    const ran = await run(["call", "read", "{path:1}"]);
    expect([ran.code, ran.stdout, ran.apps]).toEqual([2, "", []]);
    expect(ran.stderr).toContain("the input of read cannot be read");
    const json = await run(["call", "read", "{path:1}", "--json"]);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([2, { ok: false, code: "bad_request" }]);
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
        'or settings   {"permissions":{"allow":["Bash(npm test)"]}} in /home/ada/.gauntlet/projects/here/settings.json',
        "then          Run with someone who can answer, or add the suggested rule.",
        "session ses_1  audit evt_1",
        "",
      ].join("\n"),
    );
  });

  it("says the reason of a refusal once, and on stderr", async () => {
    const { invocationId: _, ...refused } = observationOf({ tool: "bash", input: {} }, denied);
    const app = appWithDoor({
      call: async () => ({ ...refused, summary: "It may not: it runs project code", user: { text: refused.summary } }),
    });
    const text = `${refused.summary}\n${refused.recovery}`;
    const model = { ...refused.model, content: [{ trust: "tool_output_untrusted", format: "text", text } as const] };
    const silent = appWithDoor({ call: async () => ({ ...refused, model, user: { text: refused.summary } }) });
    expect((await run(["call", "bash", "{}"], { app: silent })).stdout).toBe("");
    expect((await run(["call", "bash", "{}"], { app })).stderr).toContain("ask           risk R3, by mode\n");
  });

  it("prints what the model was given behind the user face, with labels where there are several", async () => {
    const block = (label: string, text: string) =>
      ({ trust: "tool_output_untrusted", format: "text", label, text }) as const;
    const model = { truncated: false, omittedBytes: 0 };
    const one = appWithDoor({
      call: async (intent) =>
        observationOf(intent, { model: { ...model, content: [block("file", "1\tone\n2\t\u001b[2J")] } }),
    });
    expect((await run(["call", "read", "{}"], { app: one })).stdout).toBe("read {}\n1\tone\n2\t\\u{1b}[2J\n");
    const failing = appWithDoor({
      call: async (intent) =>
        observationOf(intent, {
          ok: false,
          status: "error",
          code: "command_failed",
          summary: "It failed.",
          user: { text: "It failed." },
          permission: { decision: "ask", reason: "asks", source: "mode", risk: "R3", suggestedRules: ["Bash(x)"] },
          model: { ...model, content: [block("stdout", "out\n"), block("stderr", "err\n")] },
        }),
    });
    const ran = await run(["call", "bash", "{}"], { app: failing });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      1,
      "It failed.\n── stdout\nout\n── stderr\nerr\n",
      "✗ bash done: command_failed (7 ms)\nsession ses_1  audit evt_1\n",
    ]);
    expect((await run(["call", "bash", "{}", "--json"], { app: failing })).stderr).toContain(
      "why           It failed.",
    );
  });

  it("says once why a server could not do it, and what to do", async () => {
    const block = (text: string, label?: string) =>
      ({ trust: "tool_output_untrusted", format: "text", text, ...(label === undefined ? {} : { label }) }) as const;
    const ran = (change: Partial<Observation>) => {
      const failed = { ok: false, status: "error", ...change } as const;
      const app = appWithDoor({ call: async (intent) => observationOf(intent, failed) });
      return run(["call", "mcp__s__t", "{}"], { app });
    };
    const model = { truncated: false, omittedBytes: 0 };
    const gone = { code: "server_unavailable", summary: "It did not start.", recovery: "Look at it." } as const;
    const unavailable = await ran({
      ...gone,
      user: { text: "It did not start.\nLook at it." },
      model: { ...model, content: [block("server_unavailable: It did not start.\nLook at it.")] },
    });
    expect([unavailable.stdout, unavailable.stderr]).toEqual([
      "It did not start.\nLook at it.\n",
      "✗ mcp__s__t done: server_unavailable (7 ms)\nsession ses_1  audit evt_1\n",
    ]);
    const refused = await ran({
      code: "tool_failed",
      summary: "The server s says that t failed.",
      recovery: "Read it.",
      user: { text: "The server s says that t failed. It says: no such page" },
      model: {
        ...model,
        content: [block("tool_failed: The server s says that t failed.\nRead it."), block("no such page", "server s")],
      },
    });
    expect([refused.stdout, refused.stderr]).toEqual([
      "The server s says that t failed. It says: no such page\n",
      "✗ mcp__s__t done: tool_failed (7 ms)\nthen          Read it.\nsession ses_1  audit evt_1\n",
    ]);
  });

  it("names the session for a call that needs another one first", async () => {
    const app = appWithDoor({
      call: async (intent) =>
        observationOf(intent, { ok: false, status: "error", code: "runtime_precondition_failed" }),
    });
    expect((await run(["call", "edit", "{}"], { app })).stderr).toContain("add: --session ses_1");
  });

  it("tells a user who declined nothing that is meant for the model", async () => {
    const recovery = "Take another direction.";
    const app = appWithDoor({
      call: async (intent) => observationOf(intent, { ok: false, status: "denied", code: "user_denied", recovery }),
    });
    expect((await run(["call", "edit", "{}"], { app })).stderr).not.toContain(recovery);
  });

  it("says how to get the rest of what was cut", async () => {
    const next = { tool: "read", input: { path: "a", offset: 9 } };
    const app = appWithDoor({
      call: async (intent) => observationOf(intent, { model: { content: [], truncated: true, omittedBytes: 5, next } }),
    });
    expect((await run(["call", "read", "{}"], { app })).stderr).toContain(
      `the rest      gauntlet call read '{"path":"a","offset":9}'\n`,
    );
  });

  it("fails when a job in the background was ended with the command", async () => {
    const job = { jobId: "job_1", invocationId: "inv_1", command: "sleep 9", startedAt: "" };
    const app = appWithDoor({ state: { openJobs: new Map([["job_1", job]]) } });
    const ran = await run(["call", "bash", "{}"], { app });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("not finished: job_1 was ended with this command");
  });

  it("refuses a directory that does not exist", async () => {
    const ran = await run(["call", "read", "{}", "--add-dir", "absent"], { app: appWithDoor({}) });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain("--add-dir: /here/absent is not a directory.");
  });

  it("goes on in the latest session of the workspace, or in the one that an id begins", async () => {
    const uses: string[] = [];
    const elsewhere = { ...summary, id: "ses_2", workspace: "/there", updatedAt: "2026-02-01T00:00:00.000Z" };
    const app = { ...appWithDoor({ uses }), ...appWithArchive({ list: () => [summary, elsewhere] }) };
    for (const session of ["latest", "ses", "1"]) await run(["call", "read", "{}", "--session", session], { app });
    const opened = uses.filter((use) => use.startsWith("open")).map((use) => JSON.parse(use.slice(5)).session);
    expect(opened).toEqual(["ses_1", "ses_1", "ses_1"]);
  });

  it("is loud when nothing enforced the boundaries", async () => {
    const app = appWithDoor({
      call: async (intent) => observationOf(intent, { sandbox: { backend: "none", enforces: false } }),
    });
    expect((await run(["call", "bash", "{}"], { app })).stderr).toContain("warning: no sandbox");
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
    ["for always", ["a"], { request: "req_1", by: "person at the terminal", answer: "allow", remember: "always" }],
    ["nothing but Enter", [""], { request: "req_1", by: "person at the terminal", answer: "deny" }],
    ["no", ["N"], { request: "req_1", by: "person at the terminal", answer: "deny" }],
    [
      "no, with a message",
      ["d", " use make "],
      { request: "req_1", by: "person at the terminal", answer: "deny", message: "use make" },
    ],
    [
      "something else first",
      ["yess", "allow", "y"],
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
          {
            ...request,
            prompt: {
              ...request.prompt,
              action: "npm test\u202E && make",
              parts: ["npm test: needs agreement", "make: needs agreement"],
              suggestedRules: ["Bash(npm test)", "Bash(make)"],
              diff: "@@\n-old\n+new",
            },
          },
          new AbortController().signal,
        );
        return observationOf(intent);
      },
    });
    const ran = await run(["call", "bash", "{}"], { app, answers: ["y"] });
    expect(ran.stderr.split("\n").slice(0, 17)).toEqual([
      "",
      "? Run a command",
      "  npm test\\u{202e} && make",
      "  @@",
      "  -old",
      "  +new",
      "risk          R3: it runs project code",
      "part          npm test: needs agreement",
      "part          make: needs agreement",
      "touches       run npm test",
      "sandbox       bubblewrap, no network",
      "output        100000 characters",
      "it says       to see whether it works",
      "rule          Bash(npm test)",
      "rule          Bash(make)",
      "always to     /state/settings.json",
      "✓ bash done (7 ms)",
    ]);
    expect(ran.stdout).toBe("bash {}\n");
  });

  async function asked(change: Partial<PermissionRequest["prompt"]>, answers: readonly string[], columns?: number) {
    const request = requestOf("req_1");
    const app = appWithDoor({
      call: async (intent, options) => {
        const prompt = { ...request.prompt, ...change };
        await options.ask?.({ ...request, tool: "edit", prompt }, new AbortController().signal);
        return observationOf(intent);
      },
    });
    return run(["call", "edit", "{}"], { app, answers, ...(columns === undefined ? {} : { columns }) });
  }

  it("is told why an answer was not taken, and ends on a line of its own", async () => {
    const { suggestedRules: _, ...plain } = requestOf("req_1").prompt;
    const app = appWithDoor({
      call: async (intent, options) => {
        await options.ask?.({ ...requestOf("req_1"), prompt: plain }, new AbortController().signal);
        return observationOf(intent);
      },
    });
    const { stderr } = await run(["call", "bash", "{}"], { app, answers: ["maybe", "s", "a"] });
    expect(stderr.split("\n").slice(-8)).toEqual([
      '"maybe" is not a valid answer. Enter one of y, n, d.',
      "This cannot be allowed for the session: no rule covers exactly this. Enter one of y, n, d.",
      "This cannot be allowed permanently: no rule can be saved for it. Enter one of y, n, d.",
      "",
      "Not answered: the call was not run.",
      "✓ bash done (7 ms)",
      "session ses_1  audit evt_1",
      "",
    ]);
  });

  const edit = { title: "Allow edit?", effects: ["writes /here/a"] };

  it("sees an edit as a diff, without a word about a sandbox that holds nothing", async () => {
    const action = "edit\npath: a\nold_string:\n  one\n  two\nnew_string: 1";
    const { stderr } = await asked({ ...edit, action }, ["n"]);
    expect(stderr.split("\n").slice(1, 9)).toEqual([
      "? Allow edit of /here/a?",
      "  edit",
      "  path: a",
      "  -one",
      "  -two",
      "  +1",
      "risk          R3: it runs project code",
      "touches       writes /here/a",
    ]);
    expect(stderr).not.toContain("sandbox");
  });

  it("sees as a command whatever is not clearly an edit", async () => {
    const action = "edit\nold_string: a\nnew_string: b";
    for (const change of [{ title: "Run this command?" }, { effects: ["writes /here/a", "runs sh"] }]) {
      const { stderr } = await asked({ ...edit, action, ...change }, ["n"]);
      expect(stderr).toContain("  old_string: a\n  new_string: b\n");
      expect(stderr).toContain("sandbox");
    }
  });

  it("can look at all of a long change, and is never shown less than all of a command", async () => {
    const action = `write\ncontent:\n${Array.from({ length: 98 }, (_, row) => `  row ${row}`).join("\n")}`;
    const cut = await asked({ ...edit, action }, ["n"]);
    expect(cut.stderr).toContain("    row 3\n  ⟨88 lines left out⟩\n    row 92\n");
    expect(cut.questions).toEqual([
      "[y]es, once · yes, for this [s]ession · yes, [a]lways · [n]o (Enter) · [v]iew all · no, with a reason [d]: ",
    ]);
    expect((await asked({ ...edit, action }, ["v", "n"])).stderr).toContain("    row 50\n");
    const command = await asked({ action }, ["n"]);
    expect(command.stderr).toContain("    row 50\n");
    expect(command.stderr.match(/\? Run a command/g)).toHaveLength(2);
  });

  it("is asked in the width of the terminal", async () => {
    const reason = "it runs project code that nobody has looked at in a very long while";
    const { stderr, questions } = await asked({ reason }, ["n"], 40);
    expect(stderr).toContain(
      "risk          R3: it runs project code\n              that nobody has looked at\n              in a very long while\n",
    );
    expect(questions).toEqual([
      "[y]es, once · yes, for this [s]ession ·\n  yes, [a]lways · [n]o (Enter) · no,\n  with a reason [d]: ",
    ]);
  });

  it("is told that a yes agrees to the new words of a server's tool that is another one than was agreed to", async () => {
    const { prompt, ...request } = requestOf("req_1");
    const diff = "--- agreed/add\n+++ now/add\n@@ -1 +1 @@";
    const redefined = {
      ...request,
      tool: "mcp__docs__add",
      prompt: { ...prompt, title: "Allow mcp__docs__add?", diff },
    };
    const answers: unknown[] = [];
    const app = appWithDoor({
      call: async (intent, options) => {
        answers.push(await options.ask?.(redefined, new AbortController().signal));
        return observationOf(intent);
      },
    });
    const { stderr, questions } = await run(["call", "mcp__docs__add", "{}"], { app, answers: ["y"] });
    expect(stderr).toContain("? Allow mcp__docs__add? Its definition changed since you approved it.\n");
    expect(questions).toEqual([
      "[y]es, once, and approve the new definition · yes, for this [s]ession · yes, [a]lways · [n]o (Enter) · no, with a reason [d]: ",
    ]);
    expect(answers).toMatchObject([{ answer: "allow", remember: "once" }]);
  });

  it.each(["y", "yes", "s"])("opens a directory outside the workspace for the session with %s", async (typed) => {
    const { prompt, ...request } = requestOf("req_1");
    const opening = { ...request, prompt: { ...prompt, suggestedRules: ["Edit(//out)"], opens: true } } as const;
    const answers: unknown[] = [];
    const app = appWithDoor({
      call: async (intent, options) => {
        answers.push(await options.ask?.(opening, new AbortController().signal));
        return observationOf(intent);
      },
    });
    const { questions } = await run(["call", "bash", "{}"], { app, answers: [typed] });
    expect(questions.join("")).not.toContain("once");
    expect(answers).toMatchObject([{ answer: "allow", remember: "session" }]);
  });

  it.each<[readonly string[], object]>([
    [["a"], { answer: "allow", remember: "once" }],
    [["y"], { answer: "allow", remember: "once" }],
    [["r"], { answer: "allow", remember: "session" }],
    [["w"], { answer: "allow", remember: "always" }],
    [[""], { answer: "deny" }],
    [["t", "wrong place"], { answer: "deny", message: "wrong place" }],
    [["s", "4", "1 3"], { answer: "allow", only: ["/here/gone", "/here/new"] }],
    [["s", "2-3"], { answer: "allow", only: ["/here/a", "/here/new"] }],
    [["s", "", "d", "n"], { answer: "deny" }],
  ])("chooses with %j what a command may keep", async (typed, expected) => {
    const changes = [
      { path: "/here/gone", line: "D  gone" },
      { path: "/here/a", line: "M  a" },
      { path: "/here/new", line: "A  new" },
    ];
    const request = requestOf("req_1");
    const prompt = { ...request.prompt, changes, effects: changes.map(({ line }) => line), diff: "@@ -1 +1 @@\n+1" };
    const answers: unknown[] = [];
    const app = appWithDoor({
      call: async (intent, options) => {
        answers.push(await options.ask?.({ ...request, prompt }, new AbortController().signal));
        return observationOf(intent);
      },
    });
    const ran = await run(["call", "bash", "{}"], { app, answers: typed });
    expect(answers).toEqual([expect.objectContaining({ request: "req_1", ...expected })]);
    expect(ran.questions).toHaveLength(typed.length);
  });

  it("is asked one question at a time, and cannot grant a session what has no rule", async () => {
    const answers: unknown[] = [];
    const app = appWithDoor({
      call: async (intent, options) => {
        const signal = new AbortController().signal;
        const second = requestOf("req_2");
        const { suggestedRules: _, ...prompt } = second.prompt;
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
