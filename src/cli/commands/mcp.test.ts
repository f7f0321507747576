// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import type { ServerSetting } from "../../contract/server.ts";
import type { ListedServer, ServerDesk, ServerFacts, ServerTest } from "../../contract/server-desk.ts";
import { run } from "../surface.fixture.ts";

const absent = () => {
  throw new Error("This test did not expect it to be used.");
};
const desk = (given: Partial<ServerDesk>) => ({
  app: {
    servers: {
      list: absent,
      get: absent,
      add: absent,
      addJson: absent,
      remove: absent,
      test: absent,
      login: absent,
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
    detail: "nobody trusts it yet",
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
  2 tools when it ran last, 1.5 KiB
    search  500 B
    re\\u{202e}ad  1000 B
- far  http  https://x.example/mcp
  scope project (the project's, not trusted), in /here/.mcp.json
  not in force: nobody trusts it yet
  decide: gauntlet trust
  tools are known after it ran once
✗ bad
  scope user (yours, in all projects), in /home/ann/.gauntlet/settings.json
  broken: /home/ann/.gauntlet/settings.json:3:9: mcpServers.bad.command: missing
`);
  });

  it("says how to begin when there is none, and gives programs all of it", async () => {
    expect((await run(["mcp", "list"], desk({ list: async () => ok([]) }))).stdout).toBe(
      "No MCP server is configured. `gauntlet mcp add --help` shows how.\n",
    );
    const failed = { at: "2026-11-15T22:40:00.000Z", why: "It did not start." };
    const listed = await run(["mcp", "list"], desk({ list: async () => ok([{ ...mine, failed }]) }));
    expect(listed.stdout).toMatch(/^✗ /);
    expect(listed.stdout).toContain("  failed when it was tested (2026-11-15 22:40 UTC): It did not start.\n  again: ");
    const { stdout } = await run(["mcp", "list", "--json"], desk({ list: async () => ok([mine]) }));
    expect(JSON.parse(stdout)).toEqual([mine]);
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
    const add: ServerDesk["add"] = (...given) => {
      added.push(given);
      return ok({ file: "/f.json", scope: "local", setting, notes: [] });
    };
    const { code, stdout, stderr } = await run(["mcp", "add", "docs", ...words], desk({ add }));
    expect([code, added, stderr]).toEqual([0, [["docs", setting, "local"]], ""]);
    expect(stdout).toBe("added docs (local) to /f.json\nSee whether it answers: gauntlet mcp test docs\n");
  });

  it("says what is still to be done for a project's", async () => {
    const { stdout } = await run(
      ["mcp", "add", "docs", "--scope", "project", "--", "x"],
      desk({ add: (_name, setting, scope) => ok({ file: "/f.json", scope, setting, notes: [] }) }),
    );
    expect(stdout).toContain(
      "added docs (project) to /f.json\nIt stands in the project, so it is in force once you trust it",
    );
  });

  it.each<[readonly string[], string]>([
    [[], "Neither a program nor an address is given."],
    [["--url", "https://x", "--", "x"], "A server is a program or an address, not both."],
    [["--url", "file:///x"], "--url file:///x is no address with http:// or https://."],
    [["--url", "https://x", "--transport", "ws"], "--url https://x is no address with ws:// or wss://."],
    [["--url", "ws://x", "--transport", "http"], "--url ws://x is no address with http:// or https://."],
    [["--url", "https://x", "--write", "d"], "--env, --write, --read and --network belong to a program."],
    [["--header", "A:b", "--", "x"], "--transport and --header belong to an address."],
    [["--env", "s3cret", "--", "x"], "--env reads NAME=VALUE."],
    [["-t", "stdio", "--url", "https://x"], "--transport stdio is for a program."],
  ])("refuses %j before anything is written", async (words, message) => {
    const { code, stderr } = await run(["mcp", "add", "docs", ...words], desk({}));
    expect([code, stderr.split("\n")[0]]).toEqual([2, `gauntlet: ${message}`]);
    expect(stderr).not.toContain("s3cret");
  });

  it.each<[readonly string[], string | undefined]>([
    [["--env", "API_KEY=abc", "--", "x"], "Better: ${API_KEY} in its place, and API_KEY in your environment"],
    [
      ["--url", "https://x", "--header", "Authorization: Bearer abc"],
      "Better: ${AUTHORIZATION} in its place, and AUTHORIZATION in your environment",
    ],
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
    const addJson: ServerDesk["addJson"] = (...words) => {
      given.push(words);
      const setting = { command: "x", env: { API_KEY: "abc" } };
      return ok({ file: "/f.json", scope: "user", setting, notes: ['"odd" means nothing here'] });
    };
    const text = '{"command":"x","odd":1,"env":{"API_KEY":"abc"}}';
    const { code, stdout, stderr } = await run(["mcp", "add-json", "docs", text, "-s", "user"], desk({ addJson }));
    expect([code, given]).toEqual([0, [["docs", text, "user"]]]);
    expect(stdout).toBe("added docs (user) to /f.json\nSee whether it answers: gauntlet mcp test docs\n");
    expect(stderr).toContain('notice: "odd" means nothing here\nnotice: the value of API_KEY lies in /f.json');
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
    detail: "nobody trusts it yet",
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
    const get: ServerDesk["get"] = async () => ok([far, near]);
    const { code, stdout } = await run(["mcp", "get", "docs"], desk({ get }));
    expect(code).toBe(0);
    expect(stdout).toBe(`✓ docs
scope         user: yours, in all projects
file          /home/ann/.gauntlet/settings.json
transport     http
address       https://x.example/mcp
headers       X-Key, written out in the file
login         none; where it wants one: gauntlet mcp login docs
tools         1 tool when it ran last, 500 B
- docs
not in force: nobody trusts it yet
scope         project: the project's, not trusted
file          /here/.mcp.json
decide        gauntlet trust
transport     stdio
command       npx docs\\u{1b}[2J --token …
environment   KEY, from A, B (not set)
              LEVEL, written out in the file
sandbox       network: none
              may write: out
options       works in: sub
tools         tools are known after it ran once
`);
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
    resources: [
      { server: "docs", uri: "docs://a", name: "a" },
      { server: "docs", uri: "docs://{b}", name: "b", template: true },
    ],
    prompts: [{ name: "sum", values: [{ name: "text", required: true }] }],
    problems: ["one tool is not offered"],
  };

  it("remove says from where", async () => {
    const remove: ServerDesk["remove"] = async (name, scope = "local") => ok({ file: `/${name}.json`, scope });
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
    expect(stderr).toContain("The server docs wants you to open a page.");
  });

  it("login prints the address whole and says where the tokens are", async () => {
    const url = `https://login.example/authorize?${"a".repeat(200)}`;
    const login: ServerDesk["login"] = async (_name, { show }) => {
      await show(url);
      return ok({ kept: "the system's keychain" });
    };
    const { code, stdout, stderr } = await run(["mcp", "login", "docs"], { ...desk({ login }), columns: 80 });
    expect([code, stdout]).toEqual([0, "logged in to docs; kept in the system's keychain\n"]);
    expect(stderr).toContain("Open this in your browser to log in to docs at login.example:\n");
    expect(stderr.split("\n")).toContain(url);
    const content = desk({ login: async () => ok({}) });
    expect((await run(["mcp", "login", "docs"], content)).stdout).toBe("answers: docs wants no other login\n");
  });
});
