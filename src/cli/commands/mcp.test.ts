// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { plainSettings, requestOf, run } from "../../../test/support/surface.ts";
import { fail, ok } from "../../contract/codes.ts";
import type { ListedServer, ServerAdmin, ServerFacts, ServerTest } from "../../contract/server/admin.ts";
import type { ServerSetting } from "../../contract/server/server.ts";

const absent = () => {
  throw new Error("This test did not expect it to be used.");
};
const desk = (given: Partial<ServerAdmin>) => ({
  app: {
    servers: {
      list: absent,
      get: absent,
      shown: absent,
      unshown: async () => ok([]),
      add: absent,
      addJson: absent,
      remove: absent,
      test: absent,
      accept: absent,
      login: absent,
      logout: absent,
      switch: absent,
      ...given,
    },
  },
});

describe("gauntlet mcp list", () => {
  const mine: ListedServer = {
    name: "docs",
    scope: "local",
    transport: "stdio",
    target: "npx docs\u001b[2J",
    origin: "/home/ann/.gauntlet/settings.json",
    trust: "own",
    inForce: true,
    tools: [
      { name: "search", bytes: 500 },
      { name: "re\u202ead", bytes: 1000 },
    ],
  };
  const theirs: ListedServer = {
    name: "far",
    scope: "project",
    transport: "http",
    target: "https://x.example/mcp",
    origin: "/here/.mcp.json",
    trust: "untrusted",
    inForce: false,
    detail: "it is not trusted yet",
    hash: "sha256:1",
  };

  it("shows every server, where it stands, and what is known of its tools", async () => {
    const broken: ListedServer = {
      name: "bad",
      scope: "user",
      origin: "/home/ann/.gauntlet/settings.json",
      trust: "own",
      inForce: false,
      broken: true,
      detail: "/home/ann/.gauntlet/settings.json:3:9: mcpServers.bad.command: missing",
    };
    const list = async () => ok([mine, theirs, broken]);
    const { code, stdout } = await run(["mcp", "list", "--tools"], desk({ list }));
    expect(code).toBe(0);
    expect(stdout).toBe(`✓ docs  stdio  npx docs\\u{1b}[2J
  scope local (yours, in this project only), in /home/ann/.gauntlet/settings.json
  2 tools when it last ran, 1.5 KiB
    search  500 B
    re\\u{202e}ad  1000 B
- far  http  https://x.example/mcp
  scope project (the project's, not trusted), in /here/.mcp.json
  not used: it is not trusted yet
  review: gauntlet trust
  its tools are known after it has run once
✗ bad
  scope user (yours, in all projects), in /home/ann/.gauntlet/settings.json
  invalid: /home/ann/.gauntlet/settings.json:3:9: mcpServers.bad.command: missing
`);
  });

  it("says how to begin when there is none, and gives programs all of it", async () => {
    expect((await run(["mcp", "list"], desk({ list: async () => ok([]) }))).stdout).toBe(
      "No MCP servers configured. `gauntlet mcp add --help` shows how.\n",
    );
    const failed = { at: "2026-11-15T22:40:00.000Z", why: "It did not start." };
    const loggedOut = { ...failed, loggedOut: true as const };
    const out = await run(["mcp", "list"], desk({ list: async () => ok([{ ...mine, failed: loggedOut }]) }));
    expect(out.stdout).toMatch(/^✗/);
    expect(out.stdout).toContain(`: gauntlet mcp login ${mine.name}\n`);
    const listed = await run(["mcp", "list"], desk({ list: async () => ok([{ ...mine, failed }]) }));
    expect(listed.stdout).toMatch(/^✗ /);
    expect(listed.stdout).toContain("  failed when it was tested (2026-11-15 22:40 UTC): It did not start.\n");
    const { stdout } = await run(["mcp", "list", "--json"], desk({ list: async () => ok([mine]) }));
    expect(JSON.parse(stdout)).toEqual([mine]);
  });

  it("says how one that is switched off is switched on again, where that is ours to do", async () => {
    const off = { ...mine, inForce: false, disabled: true as const, detail: "it is disabled in that file" };
    const { stdout } = await run(["mcp", "list"], desk({ list: async () => ok([off, { ...off, scope: "managed" }]) }));
    expect(stdout.split("\n").slice(1, 5)).toEqual([
      "  scope local (yours, in this project only), in /home/ann/.gauntlet/settings.json",
      "  not used: it is disabled in that file",
      "  enable: gauntlet mcp enable docs",
      "  2 tools when it last ran, 1.5 KiB",
    ]);
    expect(stdout.split("gauntlet mcp enable")).toHaveLength(2);
    const got = await run(["mcp", "get", "docs"], desk({ get: async () => ok([{ ...off, given: [], options: [] }]) }));
    expect(got.stdout).toContain(" gauntlet mcp enable docs\n");
  });

  it("keeps what to do about a failure, however much the server said before", async () => {
    const said = Array.from({ length: 9 }, (_, row) => `at line ${row}`);
    const failed = { at: "2026-11-15T22:40:00.000Z", why: ["It ended.", ...said, "To let it read that: …"].join("\n") };
    const { stdout } = await run(["mcp", "list"], desk({ list: async () => ok([{ ...mine, failed }]) }));
    expect(stdout.split("\n").slice(2, 7)).toEqual([
      "  failed when it was tested (2026-11-15 22:40 UTC): It ended.",
      "    at line 0",
      "    ⟨8 lines: gauntlet mcp get docs⟩",
      "    To let it read that: …",
      "  retry: gauntlet mcp test docs",
    ]);
  });

  it("says once what is wrong with a server, and all else beside it", async () => {
    const detail = "K is not set in the environment. Set K.";
    const notices = [`MCP server docs (/f.json): ${detail}`, "something else"];
    const { app } = desk({ list: async () => ok([{ ...mine, inForce: false, broken: true, detail }]) });
    const ran = await run(["mcp", "list"], { app: { ...app, settings: () => ok({ ...plainSettings, notices }) } });
    expect(ran.stdout).toContain(`: ${detail}\n`);
    expect(ran.stderr).toBe("notice: something else\n");
  });
});

describe("gauntlet mcp add", () => {
  it.each<[string, readonly string[], ServerSetting]>([
    ["a program", ["--", "npx", "-y", "x", "--port", "1"], { command: "npx", args: ["-y", "x", "--port", "1"] }],
    [
      "a program with what it needs",
      ["--env", "A=b=c", "--env", "T=${T}", "--write", "out", "--read", "/d", "--network", "x.example", "--", "x"],
      {
        command: "x",
        env: { A: "b=c", T: "${T}" },
        sandbox: { write: ["out"], read: ["/d"], network: ["x.example"] },
      },
    ],
    ["an address", ["--url", "https://x.example/mcp"], { type: "http", url: "https://x.example/mcp" }],
    [
      "an address with more",
      ["--url", "https://${HOST}/sse", "--transport", "sse", "--header", "X-Key: ${K}"],
      { type: "sse", url: "https://${HOST}/sse", headers: { "X-Key": "${K}" } },
    ],
    ["a socket", ["--url", "wss://x.example"], { type: "ws", url: "wss://x.example" }],
    [
      "an address in the place of a command, as other programs have it",
      ["-t", "http", "-H", "X-Key: ${K}", "https://x.example/mcp"],
      { type: "http", url: "https://x.example/mcp", headers: { "X-Key": "${K}" } },
    ],
    ["a program that is said to be one", ["-t", "stdio", "-e", "A=b", "--", "x"], { command: "x", env: { A: "b" } }],
  ])("writes down %s", async (_what, words, setting) => {
    const added: unknown[] = [];
    const add: ServerAdmin["add"] = (...given) => {
      added.push(given);
      return ok({ file: "/f.json", scope: "local", setting, notes: [] });
    };
    const shown = async () => ok([]);
    const { code, stdout, stderr } = await run(["mcp", "add", "docs", ...words], desk({ add, shown }));
    expect([code, added, stderr]).toEqual([0, [["docs", setting, "local"]], ""]);
    expect(stdout).toBe("added docs (local) to /f.json\nCheck that it answers: gauntlet mcp test docs\n");
  });

  it.each<[scope: string, read: readonly string[], notices: string]>([
    ["local", ["/d", "/opt/docs"], "notice: /opt/docs was added to --read, because the command names it\n"],
    ["user", ["/d", "/opt/docs"], "notice: /opt/docs was added to --read, because the command names it\n"],
    ["project", ["/d"], ""],
  ])("keeps what a program is shown by itself beside --read (%s)", async (scope, read, notices) => {
    const added: unknown[] = [];
    const add: ServerAdmin["add"] = (_name, setting, to) => {
      added.push(setting);
      return ok({ file: "/f.json", scope: to, setting, notes: [] });
    };
    const shown = async () => ok(["/opt/docs", "/d"]);
    const words = ["--scope", scope, "--read", "/d", "--", "/opt/docs/serve"];
    const { stderr } = await run(["mcp", "add", "docs", ...words], desk({ add, shown }));
    expect([added, stderr]).toEqual([[{ command: "/opt/docs/serve", sandbox: { read } }], notices]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["add", ["add", "docs", "--scope", "project", "--read", "/d", "--", "/opt/docs/serve"], ["/d", "/opt/docs"]],
    ["add-json", ["add-json", "docs", "-s", "project", "{}"], ["/opt/docs"]],
  ])("says what the sandbox of the entry does not show its program (%s)", async (_what, words, read) => {
    const add: ServerAdmin["add"] = (_name, setting, scope) => ok({ file: "/f.json", scope, setting, notes: [] });
    const addJson: ServerAdmin["addJson"] = (name, _text, scope) => add(name, { command: "/opt/docs/serve" }, scope);
    const unshown = async () => ok(["/opt/docs"]);
    const { code, stderr } = await run(["mcp", ...words], desk({ add, addJson, unshown }));
    expect(code).toBe(0);
    expect(stderr).toContain(`"sandbox": { "read": ${JSON.stringify(read)} } in /f.json\n`);
  });

  it("says what is still to be done for a project's", async () => {
    const { stdout } = await run(
      ["mcp", "add", "docs", "--scope", "project", "--", "x"],
      desk({ add: (_name, setting, scope) => ok({ file: "/f.json", scope, setting, notes: [] }) }),
    );
    expect(stdout).toContain("added docs (project) to /f.json\nIt takes effect after you trust it: gauntlet trust");
  });

  it.each<readonly string[][]>([
    [[]],
    [["--url", "https://x", "--", "x"]],
    [["--url", "file:///x"]],
    [["--url", "https://x", "--transport", "ws"]],
    [["--url", "ws://x", "--transport", "http"]],
    [["--url", "https://x", "--write", "d"]],
    [["--header", "A:b", "--", "x"]],
    [["--env", "s3cret", "--", "x"]],
    [["-t", "stdio", "--url", "https://x"]],
  ])("refuses %j before anything is written", async (words) => {
    const { code, stdout, stderr } = await run(["mcp", "add", "docs", "--json", ...words], desk({}));
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { ok: false, code: "bad_request" }]);
    expect(stdout + stderr).not.toContain("s3cret");
  });

  it.each<[readonly string[], string | undefined]>([
    [["--env", "API_KEY=abc", "--", "x"], "Write ${API_KEY} instead"],
    [["--url", "https://x", "--header", "Authorization: Bearer abc"], "Write Bearer ${TOKEN} instead"],
    [["--env", "API_KEY=${KEY}", "--", "x"], undefined],
    [["--env", "LEVEL=debug", "--", "x"], undefined],
  ])("points out a secret that is written out: %j", async (words, better) => {
    const { stderr, stdout } = await run(
      ["mcp", "add", "docs", ...words, ...(words.includes("--") ? [] : ["--json"])],
      desk({ add: (_name, setting, scope) => ok({ file: "/f.json", scope, setting, notes: [] }) }),
    );
    if (better === undefined) expect(stderr).toBe("");
    else expect(stderr).toContain(better);
    expect(stderr + stdout).not.toContain("abc");
  });
});

describe("gauntlet mcp add-json", () => {
  it("writes down what a description has, and tells what of it means nothing", async () => {
    const given: unknown[] = [];
    const addJson: ServerAdmin["addJson"] = (...words) => {
      given.push(words);
      const setting = { command: "x", env: { API_KEY: "abc" } };
      return ok({ file: "/f.json", scope: "user", setting, notes: ['"odd" is not supported'] });
    };
    const text = '{"command":"x","odd":1,"env":{"API_KEY":"abc"}}';
    const { code, stdout, stderr } = await run(["mcp", "add-json", "docs", text, "-s", "user"], desk({ addJson }));
    expect([code, given]).toEqual([0, [["docs", text, "user"]]]);
    expect(stdout).toBe("added docs (user) to /f.json\nCheck that it answers: gauntlet mcp test docs\n");
    expect(stderr).toMatch(/^notice: "odd" .*\nnotice: .*API_KEY.* \/f\.json /);
    expect(stderr).not.toContain("abc");
    await run(["mcp", "add-json", "docs", text], desk({ addJson }));
    expect(given[1]).toEqual(["docs", text, "local"]);
    const refused = desk({ addJson: () => fail("bad_request", "The entry is no JSON.") });
    expect((await run(["mcp", "add-json", "docs", "{"], refused)).code).toBe(2);
  });
});

describe("gauntlet mcp get", () => {
  const near: ServerFacts = {
    name: "docs",
    scope: "project",
    transport: "stdio",
    target: "npx docs\u001b[2J --token …",
    origin: "/here/.mcp.json",
    trust: "untrusted",
    inForce: false,
    detail: "it is not trusted yet",
    hash: "sha256:1",
    given: [
      {
        name: "KEY",
        from: [
          { variable: "A", set: true },
          { variable: "B", set: false },
        ],
      },
      { name: "LEVEL" },
    ],
    sandbox: ["network: none", "may write: out"],
    options: ["works in: sub"],
  };
  const far: ServerFacts = {
    name: "docs",
    scope: "user",
    transport: "http",
    target: "https://x.example/mcp",
    origin: "/home/ann/.gauntlet/settings.json",
    trust: "own",
    inForce: true,
    given: [{ name: "X-Key" }],
    options: [],
    login: "none",
    tools: [{ name: "search", bytes: 500 }],
  };

  it("shows everything of every entry of that name", async () => {
    const get: ServerAdmin["get"] = async () => ok([far, near]);
    const { code, stdout } = await run(["mcp", "get", "docs"], desk({ get }));
    expect(code).toBe(0);
    expect(stdout).toBe(`✓ docs
scope         user: yours, in all projects
file          /home/ann/.gauntlet/settings.json
transport     http
address       https://x.example/mcp
headers       X-Key, written in the file
login         none; if it needs one: gauntlet mcp login docs
tools         1 tool when it last ran, 500 B
- docs
not used: it is not trusted yet
scope         project: the project's, not trusted
file          /here/.mcp.json
review        gauntlet trust
transport     stdio
command       npx docs\\u{1b}[2J --token …
environment   KEY, from A, B (not set)
              LEVEL, written in the file
sandbox       network: none
              may write: out
options       works in: sub
tools         its tools are known after it has run once
`);
    const failed = { at: "2026-11-15T22:40:00.000Z", why: "It did not start.\nIts last words: no key" };
    const why = await run(["mcp", "get", "docs"], desk({ get: async () => ok([{ ...far, failed }]) }));
    expect(why.stdout.split("\n").slice(0, 4)).toEqual([
      "✗ docs",
      "failed        when it was tested (2026-11-15 22:40 UTC): It did not start.",
      "              Its last words: no key",
      "retry         gauntlet mcp test docs",
    ]);
    const json = await run(["mcp", "get", "docs", "--json"], desk({ get }));
    expect(JSON.parse(json.stdout)).toEqual([far, near]);
  });
});

describe("gauntlet mcp remove, test and login", () => {
  const tested: ServerTest = {
    status: {
      name: "docs",
      state: "ready",
      transport: "stdio",
      origin: "/f.json",
      protocol: "2026-07-28",
      info: { name: "docs\u001b]0;x", version: "1" },
      tools: 1,
    },
    tools: [{ name: "search", bytes: 2048 }],
    changed: [],
    resources: [
      { server: "docs", uri: "docs://a", name: "a" },
      { server: "docs", uri: "docs://{b}", name: "b", template: true },
    ],
    prompts: [{ name: "sum", values: [{ name: "text", required: true }] }],
    problems: ["one tool is not offered"],
  };

  it("remove says from where", async () => {
    const remove: ServerAdmin["remove"] = async (name, scope = "local") => ok({ file: `/${name}.json`, scope });
    const { code, stdout } = await run(["mcp", "remove", "docs", "--scope", "project"], desk({ remove }));
    expect([code, stdout]).toEqual([0, "removed docs (project) from /docs.json\n"]);
    const unknown = desk({ remove: async () => fail("bad_request", "There is none.") });
    expect((await run(["mcp", "remove", "docs"], unknown)).code).toBe(2);
  });

  it("test shows what the server offers", async () => {
    const { code, stdout } = await run(["mcp", "test", "docs"], desk({ test: async () => ok(tested) }));
    expect(code).toBe(0);
    expect(stdout).toBe(`✓ docs  answers
transport     stdio
protocol      2026-07-28
it says       docs\\u{1b}]0;x 1
notice        one tool is not offered
1 tool
  search  2.0 KiB
2 resources
  docs://a
  docs://{b} (a pattern)
1 prompt
  sum(text)
`);
  });

  const changed = [{ name: "search", diff: "--- agreed/search\n+++ now/search\n-Finds.\n+Finds\u001b[2J.\n" }];
  const shown = `changed since you approved it: search
  --- agreed/search
  +++ now/search
  -Finds.
  +Finds\\u{1b}[2J.
`;

  it("test shows what changed since it was agreed to, and how to agree", async () => {
    const test = async () => ok({ ...tested, changed, resources: [], prompts: [], problems: [] });
    const { code, stdout } = await run(["mcp", "test", "docs"], desk({ test }));
    expect(code).toBe(0);
    expect(stdout).toContain(shown);
  });

  it("accept shows what it agreed to, or that there was nothing", async () => {
    const asked: unknown[] = [];
    const accept: ServerAdmin["accept"] = async (name, { signal: _, elicit: __, ...options }) => {
      asked.push([name, options]);
      return ok(options.tool === "other" ? [] : changed);
    };
    expect(await run(["mcp", "accept", "docs"], desk({ accept }))).toMatchObject({
      code: 0,
      stdout: `${shown}approved 1 definition of docs\n`,
    });
    expect(await run(["mcp", "accept", "docs", "other", "--json"], desk({ accept }))).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ name: "docs", accepted: [] })}\n`,
    });
    const json = await run(["mcp", "accept", "docs", "search", "--config", "/s.json", "--json"], desk({ accept }));
    expect(JSON.parse(json.stdout)).toEqual({ name: "docs", accepted: changed });
    expect(asked).toEqual([
      ["docs", {}],
      ["docs", { tool: "other" }],
      ["docs", { tool: "search", file: "/s.json" }],
    ]);
    const down = desk({ accept: async () => fail("server_unavailable", "It ended.") });
    expect((await run(["mcp", "accept", "docs"], down)).code).not.toBe(0);
  });

  it("list says how many tools changed", async () => {
    const server: ListedServer = {
      name: "docs",
      scope: "user",
      transport: "stdio",
      target: "docs",
      origin: "/s.json",
      trust: "own",
      inForce: true,
      tools: [
        { name: "a", bytes: 1, changed: true },
        { name: "b", bytes: 1 },
      ],
    };
    const { stdout } = await run(["mcp", "list"], desk({ list: async () => ok([server]) }));
    expect(stdout.replace(/\s+/g, " ")).toContain(" gauntlet mcp test docs");
  });

  it("test tells what failed and ends with 1", async () => {
    const status = { ...tested.status, state: "failed", detail: "It ended.\nLast words" } as const;
    const { code, stdout } = await run(
      ["mcp", "test", "docs"],
      desk({
        test: async () =>
          ok({ ...tested, status, tools: [], resources: [], prompts: [], problems: [], limits: "it reads x." }),
      }),
    );
    expect(code).toBe(1);
    expect(stdout).toContain("✗ docs  cannot be used\n");
    expect(stdout).toContain("because       It ended.\n              Last words\nconfined      it reads x.\n");
  });

  it("test puts questions of the server to the person, and is stopped by a signal", async () => {
    let interrupt = () => {};
    const { code, stderr } = await run(["mcp", "test", "docs"], {
      ...desk({
        get: async () => ok([]),
        test: async (_name, { elicit, signal }) => {
          const ask = { mode: "url", url: "https://x.example/y" } as const;
          const answer = await elicit?.({ id: "e", server: "docs", message: "hi", ask }, signal);
          expect(answer).toEqual({ action: "accept", content: {} });
          interrupt();
          return signal.aborted ? fail("cancelled", "The test was cancelled.") : ok(tested);
        },
      }),
      answers: ["y"],
      onStart: (given) => {
        interrupt = given;
      },
    });
    expect(code).toBe(130);
    expect(stderr).toContain("");
  });

  it("test says on a terminal what it waits for, and nowhere else", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const test: ServerAdmin["test"] = async () => {
      vi.advanceTimersByTime(2_000);
      return ok(tested);
    };
    const facts: ServerFacts = {
      name: "docs",
      scope: "local",
      origin: "/f.json",
      trust: "own",
      inForce: true,
      given: [],
      options: [],
    };
    const waiting = async (fetches: { readonly fetches?: string }, ...words: readonly string[]) => {
      const get = async () => ok([{ ...facts, ...fetches }]);
      const seen = await run(["mcp", "test", "docs", ...words], { ...desk({ test, get }), answers: [] });
      expect(seen.stderr.endsWith("\r\u001b[2K")).toBe(true);
      return seen.stderr;
    };
    expect(await waiting({})).toContain("waiting for docs: at most 30 s (1 s)");
    const downloads = "waiting for docs: at most 30 s, 3 min with a download (1 s)";
    expect(await waiting({ fetches: "downloads and runs docs" })).toContain(downloads);
    expect(await waiting({}, "--config", "/there/servers.json")).toContain(downloads);
    expect((await run(["mcp", "test", "docs"], desk({ test }))).stderr).toBe("");
  });

  it("login prints the address whole and says where the tokens are", async () => {
    const url = `https://login.example/authorize?${"a".repeat(200)}`;
    const login: ServerAdmin["login"] = async (_name, { show }) => {
      await show(url);
      return ok({ kept: "the system's keychain" });
    };
    const { code, stdout, stderr } = await run(["mcp", "login", "docs"], { ...desk({ login }), columns: 80 });
    expect([code, stdout]).toEqual([0, "logged in to docs; stored in the system's keychain\n"]);
    expect(stderr).toContain("Open this in your browser to log in to docs at login.example:\n");
    expect(stderr.split("\n")).toContain(url);
    const content = desk({ login: async () => ok({}) });
    expect((await run(["mcp", "login", "docs"], content)).stdout).toMatch(/^answers: docs /);
  });
});

describe("gauntlet mcp answer", () => {
  const { savesTo: _, ...unsaved } = requestOf("req_1").prompt;
  const { suggestedRules: __, ...unruled } = unsaved;
  it.each([
    [["allow"], {}, /^Allowed "Run a command" /],
    [["deny"], {}, /^Denied "Run a command" /],
    [["deny", "--remember", "always"], {}, /^Denied "Run a command" /],
    [["allow", "--remember", "once"], {}, /^Allowed "Run a command" /],
    [["allow", "--remember", "session"], {}, /^Allowed "Run a command" .*: Bash\(npm test\)\n$/],
    [["allow", "--remember", "always"], {}, /^Allowed "Run a command" .* \/state\/settings\.json: Bash\(npm test\)\n$/],
    [
      ["allow", "--remember", "always"],
      { prompt: unsaved },
      /^Allowed "Run a command" .* not remembered: .*: Bash\(npm test\)\n$/,
    ],
    [["allow", "--remember", "session"], { prompt: unruled }, /^Allowed "Run a command" .* not remembered: /],
  ])("%j of %o says how far it reaches", async (args, more, said) => {
    const unanswered = { list: absent, take: absent, answer: () => ok({ ...requestOf("req_1"), ...more }) };
    const { code, stdout } = await run(["mcp", "answer", "req_1", ...args], { app: { unanswered } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(said)]);
  });
});

describe("gauntlet mcp enable, disable and logout", () => {
  const switching = (changed: boolean) => {
    const asked: unknown[] = [];
    const box = desk({
      switch: (name, to) => {
        asked.push([name, to]);
        return ok({ file: "/f.json", scope: to.scope ?? "local", changed });
      },
    });
    return { asked, box };
  };

  it.each([
    [["enable", "docs"], true, "enabled docs (local) in /f.json\n"],
    [["disable", "docs"], true, "disabled docs (local) in /f.json\n"],
    [["disable", "docs"], false, "docs (local) was already disabled in /f.json\n"],
    [
      ["disable", "docs", "--scope", "project"],
      true,
      "disabled docs (project) in /f.json\nThe project's entry is disabled for everyone who works on the project.\n",
    ],
    [
      ["enable", "docs", "-s", "project"],
      true,
      "enabled docs (project) in /f.json\nThe project's entry takes effect after you trust it: gauntlet trust\n",
    ],
  ])("%j", async (words, changed, told) => {
    const { asked, box } = switching(changed);
    const { code, stdout, stderr } = await run(["mcp", ...words], box);
    expect([code, stdout, stderr]).toEqual([0, told, ""]);
    const scope = words.length > 2 ? { scope: "project" } : {};
    expect(asked).toEqual([["docs", { on: words[0] === "enable", ...scope }]]);
  });

  it("gives programs the facts, and says what cannot be switched", async () => {
    const { stdout } = await run(["mcp", "disable", "docs", "--json"], switching(true).box);
    expect(JSON.parse(stdout)).toEqual({ name: "docs", file: "/f.json", scope: "local", changed: true });
    const refused = await run(["mcp", "enable", "docs"], desk({ switch: () => fail("bad_request", "There is none.") }));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("There is none.")]);
  });

  it.each([
    [[], "There was no login to docs.\n"],
    [["the system's keychain"], "logged out of docs; it was stored in the system's keychain\n"],
  ])("logout tells what was forgotten: %j", async (from, told) => {
    const box = desk({ logout: async () => ok({ from }) });
    expect(await run(["mcp", "logout", "docs"], box)).toMatchObject({ code: 0, stdout: told });
    const { stdout } = await run(["mcp", "logout", "docs", "--json"], box);
    expect(JSON.parse(stdout)).toEqual({ name: "docs", from });
  });

  it("logout looks into a file that is named from where the person stands", async () => {
    const files: unknown[] = [];
    const logout: ServerAdmin["logout"] = async (_name, options) => {
      files.push(options);
      return ok({ from: [] });
    };
    await run(["mcp", "logout", "docs", "--config", "servers.json"], desk({ logout }));
    expect(files).toEqual([{ file: "/here/servers.json" }]);
  });
});

describe("gauntlet mcp serve --http", () => {
  it.each([
    ["8080", "http://127.0.0.1:8080/mcp", undefined],
    ["localhost:0", "http://127.0.0.1:8080/mcp", undefined],
    ["[::1]:0", "http://[::1]:8080/mcp", undefined],
    ["0.0.0.0:0", "http://0.0.0.0:8080/mcp", "every address of this machine"],
    ["[::]:0", "http://[::]:8080/mcp", "every address of this machine"],
    ["192.168.1.7:80", "http://192.168.1.7:80/mcp", "192.168.1.7"],
  ])("%s says who else could reach it", async (http, url, reach) => {
    const { stderr } = await run(["mcp", "serve", "--http", http], {
      serves: async (_app, { onReady }) => {
        await onReady({ session: "ses_1", url });
        return ok(undefined);
      },
    });
    expect(stderr.split("\n")).toEqual([
      "session ses_1",
      `listening on ${url}`,
      ...(reach === undefined ? [] : [expect.stringContaining(`can reach ${reach}. `)]),
      "",
    ]);
  });

  it("tells a bug in answering a request with all of its lines", async () => {
    const { stderr } = await run(["mcp", "serve", "--http", "0"], {
      serves: async (_app, { onFailure }) => {
        onFailure?.("Error: no\n    at one\n    at two");
        return ok(undefined);
      },
    });
    expect(stderr).toBe("notice: A request failed because of a bug: Error: no\n      at one\n      at two\n");
  });

  it("says how the token is sent", async () => {
    const { stderr } = await run(["mcp", "serve", "--http", "0"], {
      serves: async (_app, { onReady }) => {
        await onReady({ session: "ses_1", url: "http://127.0.0.1:1/mcp", token: "abc" });
        return ok(undefined);
      },
    });
    expect(stderr.split("\n").slice(2)).toEqual([
      "token abc",
      "every request needs the header Authorization: Bearer abc",
      "",
    ]);
  });
});
