// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { describe, expect, it } from "vitest";
import { filePorts, load, loaded, paths } from "../../test/support/settings.ts";
import { loadSettings } from "./load-settings.ts";
import { addAllowRules, withModel } from "./own-file.ts";

const mcp = (mcpServers: unknown) => ({ mcpServers });

describe("a server that lacks a variable", () => {
  it.each([
    [
      {},
      [
        "MCP server a (/home/ann/.gauntlet/settings.json): KEY is not set in the environment. Set KEY, or write ${KEY:-default} in /home/ann/.gauntlet/settings.json.",
      ],
    ],
    [{ KEY: "1" }, []],
  ])("is told about at the start, with the variable: %j", (environment, notices) => {
    const setting = { command: "x", env: { A: "${KEY}", B: "${OTHER:-1}" } };
    const outcome = loadSettings({
      workspace: "/ws",
      home: "/home/ann",
      managedPath: "/etc/policy.json",
      commandLine: {},
      environment,
      ...filePorts({ [paths.user]: mcp({ a: setting, b: { command: "y" } }) }),
    });
    expect(outcome).toMatchObject({ ok: true, value: { notices } });
  });
});

describe("an entry that cannot be read", () => {
  it("keeps its name where it is somebody's own, and takes none away where it is the project's", () => {
    const files = {
      [paths.managed]: mcp({ company: { command: 7 } }),
      [paths.mcp]: mcp({ docs: { command: 7 } }),
      [paths.user]: mcp({ company: { command: "mine" }, docs: { command: "docs" } }),
    };
    const settings = loaded({ files });
    expect(settings.servers.map(({ name }) => name)).toEqual(["docs"]);
    expect(settings.idleServers.map(({ entry, because }) => [entry.name, because])).toEqual([
      ["company", "overridden"],
    ]);
  });

  it.each([
    ["a rule", { permissions: { deny: [7] } }],
    ["a key that there is not", { permisions: {} }],
  ])("does not save a file in which %s is wrong too", (_what, others) => {
    const outcome = load({ files: { [paths.user]: { ...others, mcpServers: { a: 7 } } } });
    expect(outcome.ok).toBe(false);
  });

  it("stays in the file when something else is written there", () => {
    const before = JSON.stringify({ mcpServers: { a: 7, good: { command: "x" } } });
    const withRule = addAllowRules(paths.user, before, ["Bash(ls)"]);
    const model = withModel(paths.user, before, "some/model");
    for (const written of [withRule, model]) {
      expect(written.ok && JSON.parse(written.value).mcpServers).toEqual({ a: 7, good: { command: "x" } });
    }
  });
});

describe(".mcp.json", () => {
  const read = (content: unknown) => loaded({ files: { [paths.mcp]: content } });

  it("is read as other programs write it, and what is theirs alone is named", () => {
    const settings = read({
      inputs: [],
      mcpServers: {
        a: { command: "x", autoApprove: ["*"], env: { B: "c" } },
        b: { url: "https://b.example/mcp", headers: { C: "d" } },
        c: { type: "streamableHttp", url: "https://c.example" },
        "my server": { command: "y" },
      },
    });
    expect(settings.idleServers.map(({ entry }) => [entry.name, entry.setting])).toEqual([
      ["a", { command: "x", env: { B: "c" } }],
      ["b", { type: "http", url: "https://b.example/mcp", headers: { C: "d" } }],
      ["c", { type: "streamable-http", url: "https://c.example" }],
    ]);
    expect(settings.notices).toEqual([
      '/ws/.mcp.json: "inputs" is not supported',
      '/ws/.mcp.json: "autoApprove" of the server "a" is not supported',
      '/ws/.mcp.json:1:208: mcpServers["my server"]: ' +
        "a server's name has letters, digits, hyphens and single underscores between them, 32 at most. " +
        "This MCP server is ignored until you fix or remove its entry.",
      "Not trusted and not in effect in this project: 3 MCP servers. `gauntlet trust` lists them.",
    ]);
  });

  it("may say nothing, or be what stands there while a command runs", () => {
    expect(read({})).toMatchObject({ servers: [], idleServers: [], notices: [] });
    expect(read("")).toEqual(loaded({}));
  });

  it.each<[string, unknown, string]>([
    ["an entry that is none", "npx", "mcpServers.a: "],
    ["an entry without a program", { args: [] }, "mcpServers.a.command: missing: a server needs a "],
    ["a number among the words", { command: "x", args: [1] }, "mcpServers.a.args[0]: "],
    ["a kind that there is not", { type: "smtp", url: "https://x" }, "mcpServers.a.type: "],
  ])("only loses its entry: %s", (_what, entry, message) => {
    const settings = read({ mcpServers: { a: entry, good: { command: "y" } } });
    expect(settings.idleServers.map(({ entry: { name } }) => name)).toEqual(["good"]);
    expect(settings.brokenServers).toEqual([
      { name: "a", origin: paths.mcp, problem: expect.stringContaining(`/ws/.mcp.json:1:`) },
    ]);
    expect(settings.notices[0]).toContain(message);
    expect(settings.notices[0]).toContain("This MCP server is ignored until you fix or remove its entry.");
  });

  it("is told with all that is wrong, each with the line that it stands in or should stand in", () => {
    const settings = read('{\n "mcpServers": {\n  "a": {\n   "comand": "x",\n   "args": 7\n  }\n }\n}');
    expect(settings.brokenServers.map(({ problem }) => problem)).toEqual([
      '/ws/.mcp.json:3:8: mcpServers.a.command: missing: a server needs a "command", or a "url" for a remote server; 5:12: mcpServers.a.args: Invalid input: expected array, received number',
    ]);
    expect(settings.notices).toContain(
      '/ws/.mcp.json: "comand" of the server "a" is not supported; did you mean command?',
    );
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "{", "/ws/.mcp.json:1:2: expected a key in double quotes"],
    ["a key written twice", '{"mcpServers":{},"mcpServers":{}}', "/ws/.mcp.json:1:18: "],
    ["no object", [], '/ws/.mcp.json:1:1: expected an object with "mcpServers"'],
    ["no servers", { mcpServers: [] }, "/ws/.mcp.json:1:15: mcpServers: expected an object"],
    ["too large", `{"mcpServers":{}${" ".repeat(300_000)}}`, "/ws/.mcp.json: is larger than 262144 characters"],
  ])("loses its servers and stops nothing when it is unusable: %s", (_what, content, message) => {
    const files = { [paths.mcp]: content, [paths.user]: mcp({ mine: { command: "x" } }) };
    const settings = loaded({ files });
    expect(settings.servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(settings.idleServers).toEqual([]);
    expect(settings.notices).toEqual([expect.stringContaining(message)]);
    expect(settings.notices[0]).toMatch(/\. None of its MCP servers is used\. /);
  });

  it("stops nothing when it cannot be read", () => {
    const { readText, findFile } = filePorts({});
    const outcome = loadSettings({
      workspace: "/ws",
      home: "/home/ann",
      managedPath: "/etc/policy.json",
      commandLine: {},
      findFile,
      readText: (file) => {
        if (file === paths.mcp) throw new Error("EACCES");
        return readText(file);
      },
    });
    expect(outcome).toMatchObject({ ok: true, value: { servers: [], notices: [expect.stringContaining("EACCES")] } });
  });

  it("is read up to a number of servers, and names a few of what is wrong", () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`s${at}`, { command: "x", odd: 1 }]));
    const settings = read({ mcpServers: many });
    expect(settings.idleServers).toHaveLength(100);
    expect(settings.notices).toHaveLength(1 + 10 + 1 + 1);
    expect(settings.notices[0]).toBe("/ws/.mcp.json: it has 3000 servers; only the first 100 are read");
    const broken = read({ mcpServers: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`s${at}`, 7])) });
    expect(broken.brokenServers).toHaveLength(9);
    expect(broken.notices.at(-1)).toBe("/ws/.mcp.json: 4 more servers are ignored; `gauntlet mcp list` lists them.");
  });

  it("is not the only file with a limit: so has the other one of the project", () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`s${at}`, { command: "x" }]));
    const settings = loaded({ files: { [paths.project]: mcp(many) } });
    expect(settings.idleServers).toHaveLength(100);
    expect(settings.notices[0]).toBe(`${paths.project}: it has 150 servers; only the first 100 are read`);
  });

  it("makes nobody look for more names than there is use for", () => {
    const servers = Array.from({ length: 50 }, (_, at) => [
      `s${at}`,
      { command: "x", args: Array.from({ length: 500 }, (_word, of) => `${at}-${of}`) },
    ]);
    const { readText } = filePorts({ [paths.mcp]: mcp(Object.fromEntries(servers)) });
    let asked = 0;
    const outcome = loadSettings({
      workspace: "/ws",
      home: "/home/ann",
      managedPath: "/etc/policy.json",
      commandLine: {},
      readText,
      findFile: () => {
        asked += 1;
        return undefined;
      },
    });
    expect(asked).toBeLessThanOrEqual(20_000);
    const refused = outcome.ok ? outcome.value.untrusted.map(({ refused: why }) => why !== undefined) : [];
    expect([refused.at(0), refused.at(-1)]).toEqual([false, true]);
  });
});
