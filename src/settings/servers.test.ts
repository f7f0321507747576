// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hashFile } from "../host/hash-file.ts";
import { readSmallText } from "../host/read-small-text.ts";
import { loadSettings } from "./load-settings.ts";
import { serverFiles } from "./server-files.ts";
import { filePorts, hashShape, loaded, paths } from "./world.fixture.ts";

const mcp = (mcpServers: unknown) => ({ mcpServers });
const many = <Value>(length: number, make: (at: number) => Value) => Array.from({ length }, (_, at) => make(at));
const texts = (files: Readonly<Record<string, unknown>>) => loaded({ files }).untrusted.map(({ text }) => text);
const hashes = (files: Readonly<Record<string, unknown>>) => loaded({ files }).untrusted.map(({ hash }) => hash);

describe("servers of settings", () => {
  it("are in force from everywhere but the project, the strongest of a name alone", () => {
    const settings = loaded({
      files: {
        [paths.managed]: mcp({ company: { type: "http", url: "https://company.example/mcp" } }),
        [paths.userProject]: mcp({ docs: { command: "docs-here", disabled: true } }),
        [paths.user]: mcp({ docs: { command: "docs" }, notes: { command: "notes" }, company: { command: "mine" } }),
      },
      commandLine: mcp({ given: { command: "given" } }) as never,
    });
    expect(settings.servers).toEqual([
      { name: "company", setting: { type: "http", url: "https://company.example/mcp" }, origin: paths.managed },
      { name: "given", setting: { command: "given" }, origin: "command line" },
      { name: "notes", setting: { command: "notes" }, origin: paths.user },
    ]);
    expect(settings.idleServers.map(({ entry, because, detail }) => [entry.name, because, detail])).toEqual([
      ["docs", "disabled", "it is switched off there"],
      ["docs", "overridden", `${paths.userProject} has one of the same name`],
      ["company", "overridden", `${paths.managed} has one of the same name`],
    ]);
    expect(settings.notices).toEqual([
      `MCP server docs of ${paths.user} is not used: ${paths.userProject} has one of the same name.`,
      `MCP server company of ${paths.user} is not used: ${paths.managed} has one of the same name.`,
    ]);
  });

  it("keep their variables as they are written", () => {
    const setting = { command: "x", args: ["${KEY}"], env: { A: "${B:-c}" } };
    expect(loaded({ files: { [paths.user]: mcp({ a: setting }) } }).servers[0]?.setting).toEqual(setting);
  });

  it.each<[string, object, string]>([
    ["an odd name", { "my server": { command: "x" } }, "a server's name has letters"],
    ["a name that runs into the tool's", { a_: { command: "x" } }, "a server's name has letters"],
    ["an unknown key", { a: { command: "x", argz: [] } }, "mcpServers.a.argz: unknown key; did you mean args?"],
    ["a kind that there is not", { a: { type: "smtp", url: "https://x" } }, "mcpServers.a.type: "],
    [
      "an address without a kind",
      { a: { url: "https://x" } },
      'mcpServers.a.type: missing: how a "url" speaks, "http" for most, or "sse" or "ws"',
    ],
    ["a strange address", { a: { type: "http", url: "file:///x" } }, "mcpServers.a.url: expected an address"],
    ["a wrong type", { a: { command: "x", args: "y" } }, "mcpServers.a.args: "],
  ])("are left out alone for %s", (_what, servers, message) => {
    const files = {
      [paths.user]: { permissions: { deny: ["Bash(rm:*)"] }, mcpServers: { ...servers, good: { command: "y" } } },
    };
    const settings = loaded({ files });
    expect(settings.servers.map(({ name }) => name)).toEqual(["good"]);
    expect(settings.rules.map(({ text }) => text)).toEqual(["Bash(rm:*)"]);
    expect(settings.brokenServers).toEqual([
      { name: Object.keys(servers)[0], origin: paths.user, problem: expect.stringContaining(message) },
    ]);
    expect(settings.notices).toEqual([
      `${settings.brokenServers[0]?.problem}. This MCP server is left out until its entry is mended or removed.`,
    ]);
  });
});

describe("servers of a project", () => {
  const server = { command: "./serve.sh", args: ["--port", "${PORT:-1}"], env: { KEY: "${API_KEY}" } };
  const world = (change: Readonly<Record<string, unknown>> = {}) => ({
    [paths.mcp]: mcp({ docs: server }),
    "/ws/serve.sh": "#!/bin/sh\n",
    ...change,
  });

  it("hide a key that is written out from who looks, and not from the hash", () => {
    const offered = (key: string) => {
      const env = { OPENAI_API_KEY: key, LEVEL: "1" };
      const files = world({ [paths.mcp]: mcp({ docs: { ...server, args: ["--token", key], env } }) });
      const [item] = loaded({ files }).untrusted;
      return { lines: item?.lines?.filter((line) => /docs|environment/.test(line)), hash: item?.hash };
    };
    const first = offered("sk-abcdefghijklmnop");
    expect(first.lines).toEqual(['docs: ./serve.sh "--token" "…"', "environment: OPENAI_API_KEY=…, LEVEL=1"]);
    expect(offered("sk-qrstuvwxyzabcdef").lines).toEqual(first.lines);
    expect(offered("sk-qrstuvwxyzabcdef").hash).not.toBe(first.hash);
  });

  it("say that they changed, where something else of that name was trusted", () => {
    const details = (words: string, names: Readonly<Record<string, string>>, others = {}, bound = {}) => {
      const trust = { trusted: Object.keys(names), names, bound };
      const files = { [paths.mcp]: mcp({ docs: server, ...others }), "/ws/serve.sh": words, [paths.trust]: trust };
      return loaded({ files }).idleServers.map(({ entry, detail }) => [entry.name, detail]);
    };
    const hash = loaded({ files: { [paths.mcp]: mcp({ docs: server }), "/ws/serve.sh": "#!/bin/sh\n" } }).untrusted[0]
      ?.hash;
    const was = { [hash ?? ""]: "mcp server docs: ./serve.sh" };
    expect(details("#!/bin/sh\n", was)).toEqual([]);
    expect(details("#!/bin/sh\nexit\n", was, { doc: { command: "x" } })).toEqual([
      ["docs", "it changed since it was trusted (its entry, or a file that it covers)"],
      ["doc", "nobody trusts it yet"],
    ]);
    expect(details("#!/bin/sh\nexit\n", { [hash ?? ""]: "skill docs: x" })).toEqual([["docs", "nobody trusts it yet"]]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["a file", { "/ws/serve.sh": "exit" }, "serve.sh"],
    ["a file that came", { "/ws/--port": "" }, "--port"],
    ["a file that went", { "/ws/serve.sh": undefined }, "serve.sh"],
    ["the entry", { [paths.mcp]: mcp({ docs: { ...server, args: [] } }) }, "its entry"],
    [
      "the entry and a file",
      { [paths.mcp]: mcp({ docs: { ...server, args: ["other.txt"] } }), "/ws/serve.sh": "exit", "/ws/other.txt": "" },
      "its entry, serve.sh",
    ],
  ])("say what changed since they were trusted: %s", (_what, change, expected) => {
    const [item] = loaded({ files: world() }).untrusted;
    const { hash = "", bound = [] } = item ?? {};
    const trust = { trusted: [hash], names: { [hash]: "mcp server docs: ./serve.sh" }, bound: { [hash]: bound } };
    const { idleServers, untrusted } = loaded({ files: world({ [paths.trust]: trust, ...change }) });
    expect(idleServers).toEqual([
      {
        entry: expect.objectContaining({ name: "docs" }),
        because: "untrusted",
        detail: `it changed since it was trusted (${expected})`,
        hash: untrusted[0]?.hash,
        formerly: [hash],
      },
    ]);
  });

  it.each(["project", "mcp"] as const)("wait for trust in exactly them (%s)", (place) => {
    const files = { [paths[place]]: mcp({ docs: server }), "/ws/serve.sh": "#!/bin/sh\n" };
    const settings = loaded({ files });
    expect(settings.servers).toEqual([]);
    expect(settings.untrusted).toEqual([
      {
        kind: "mcp_server",
        origin: paths[place],
        text:
          'docs: ./serve.sh "--port" "${PORT:-1}" (network: none; may read: the workspace without its secrets; ' +
          "may write: none; environment: KEY=${API_KEY}; given from your environment: PORT, API_KEY; " +
          "with serve.sh as it is now)",
        lines: [
          'docs: ./serve.sh "--port" "${PORT:-1}"',
          "network: none",
          "may read: the workspace without its secrets",
          "may write: none",
          "environment: KEY=${API_KEY}",
          "given from your environment: PORT, API_KEY",
          "with serve.sh as it is now",
        ],
        hash: expect.stringMatching(hashShape),
        bound: [["serve.sh", expect.stringMatching(/^[0-9a-f]{64}$/)]],
      },
    ]);
    expect(settings.idleServers).toEqual([
      {
        entry: { name: "docs", setting: server, origin: paths[place] },
        because: "untrusted",
        detail: "nobody trusts it yet",
        hash: settings.untrusted[0]?.hash,
      },
    ]);
    expect(settings.notices).toEqual([
      "Not trusted, so without effect in this project: 1 MCP server. `gauntlet trust` lists them.",
    ]);
    const trusted = settings.untrusted.map(({ hash }) => hash);
    const after = loaded({ files: { ...files, [paths.trust]: { trusted } } });
    expect(after.servers).toEqual([{ name: "docs", setting: server, origin: paths[place] }]);
    expect([after.untrusted, after.idleServers]).toEqual([[], []]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["the script", { "/ws/serve.sh": "#!/bin/sh\ncurl evil\n" }],
    ["an argument", { [paths.mcp]: mcp({ docs: { ...server, args: ["--port", "2"] } }) }],
    ["the environment", { [paths.mcp]: mcp({ docs: { ...server, env: { KEY: "${OTHER}" } } }) }],
    ["the confinement", { [paths.mcp]: mcp({ docs: { ...server, sandbox: { network: ["x.example"] } } }) }],
    ["the name", { [paths.mcp]: mcp({ other: server }) }],
    ["what it may ask of the model", { [paths.mcp]: mcp({ docs: { ...server, sampling: { maxTokens: 9 } } }) }],
    ["a file that an argument names and that was not there", { "/ws/--port": "x" }],
  ])("ask again after any change of %s", (_what, change) => {
    const trusted = hashes(world());
    const settings = loaded({ files: { ...world(change), [paths.trust]: { trusted } } });
    expect(settings.servers).toEqual([]);
    expect(settings.untrusted).toHaveLength(1);
  });

  it("are shown in words: what the sandbox lets them do, and whatever else they ask for", () => {
    const setting = {
      command: "npx",
      args: ["-y", "pkg@1.2.3"],
      cwd: "sub",
      timeout: 9,
      sampling: { maxTokens: 7 },
      sandbox: { write: ["out", "/tmp/x"], read: ["/data"], network: ["a.example", "*.b.example"], otherHosts: "ask" },
    };
    expect(loaded({ files: { [paths.mcp]: mcp({ a: setting }) } }).untrusted[0]?.lines).toEqual([
      'a: npx "-y" "pkg@1.2.3"',
      "network: a.example, *.b.example; you are asked about other hosts during a call",
      "may read: the workspace without its secrets, /data",
      "may write: out, /tmp/x",
      "works in: sub",
      "milliseconds for a call: 9",
      'may use your model, after a question each time: {"maxTokens":7}',
    ]);
    const fetched = loaded({ files: { [paths.mcp]: mcp({ a: { command: "npx", args: ["-y", "pkg"] } }) } });
    expect(fetched.untrusted[0]?.lines).toContain("network: only where it is fetched from");
  });

  it("are shown with their whole address", () => {
    const setting = { type: "sse", url: "https://x.example/${TEAM}/sse", headers: { A: "Bearer ${T}" } };
    expect(texts({ [paths.mcp]: mcp({ far: setting }) })).toEqual([
      "far: sse https://x.example/${TEAM}/sse (headers: A=Bearer ${T}; given from your environment: TEAM, T)",
    ]);
  });

  it("may replace one of the person's own once trusted, and it is said", () => {
    const files = world({ [paths.user]: mcp({ docs: { command: "mine" } }) });
    expect(loaded({ files }).servers).toMatchObject([{ origin: paths.user }]);
    const after = loaded({ files: { ...files, [paths.trust]: { trusted: hashes(files) } } });
    expect(after.servers).toMatchObject([{ origin: paths.mcp }]);
    expect(after.notices).toEqual([
      `MCP server docs of ${paths.user} is not used: ${paths.mcp} has one of the same name.`,
    ]);
  });

  it.each<[string, unknown, string]>([
    ["code in a word", { command: "sh", args: ["-c", "cd x; ./y"] }, "could be more than a name"],
    ["code in a default", { command: "sh", args: ["-c", "${X:-cd x; ./y}"] }, "could be more than a name"],
    ["code for a runtime", { command: "node", args: ["-e", "require('./x')"] }, "could be more than a name"],
    ["a pattern for a shell", { command: "bash", args: ["-c", "./bin/*"] }, "could be more than a name"],
    ["the home directory", { command: "x", sandbox: { read: ["~"] } }, "which holds the home directory"],
    ["all of it", { command: "x", sandbox: { write: ["/"] } }, "which holds the home directory"],
    ["our state", { command: "x", sandbox: { read: ["~/.gauntlet/credentials"] } }, "which is ours"],
  ])("can never be trusted with %s", (_what, setting, why) => {
    const [item] = loaded({ files: { [paths.mcp]: mcp({ a: setting }) } }).untrusted;
    expect(item?.refused).toContain(why);
    const pinned = loaded({ files: { [paths.mcp]: mcp({ a: setting }) }, commandLine: { trust: [item?.hash ?? ""] } });
    expect(pinned.servers).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["code", { command: "node", args: ["-e", "1"] }, "it has code on its command line; a script of the project can"],
    [
      "a tool",
      { command: "cargo", args: ["run"] },
      "cargo would run files that nobody names; a script of the project can",
    ],
    [
      "its environment",
      { command: "x", env: { HOME: "." } },
      "HOME makes programs look for files in the project, or above it",
    ],
    ["a letter", { command: "x", env: { A: "\u0001" } }, "A has a character that cannot be seen"],
  ])("are told of scripts where one would help: %s", (_what, setting, why) => {
    expect(loaded({ files: { [paths.mcp]: mcp({ a: setting }) } }).untrusted[0]?.refused).toBe(
      `what it would run cannot be held to what it is now: ${why}`,
    );
  });

  it("cannot drive the terminal that shows them", () => {
    expect(texts({ [paths.mcp]: mcp({ a: { command: "x\u001b[2J\n", args: ["\u202e"] } }) })).toEqual([
      'a: x\\u{1b}[2J\\n "\\u{202e}" (network: none; may read: the workspace without its secrets; may write: none)',
    ]);
  });
});

describe("files that a server is bound to", () => {
  type Setting = Parameters<typeof serverFiles>[0];
  const files = (
    setting: Setting,
    content: Readonly<Record<string, string>>,
    environment = {},
    prepare: (workspace: string) => void = () => undefined,
  ) => {
    const workspace = mkdtempSync(path.join(os.tmpdir(), "gauntlet-bind-"));
    onTestFinished(() => rmSync(workspace, { recursive: true }));
    for (const [name, text] of Object.entries(content)) {
      mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      writeFileSync(path.join(workspace, name), text);
    }
    prepare(workspace);
    const variables = { ...environment, PWD: workspace };
    const binding = serverFiles(setting, { workspace, hashFile, environment: variables, readText: readSmallText });
    return binding.ok ? binding.files.map(([file]) => file) : binding.why;
  };

  it.each<[string, Parameters<typeof serverFiles>[0], readonly string[]]>([
    ["its program", { command: "./a.sh" }, ["a.sh"]],
    ["an argument", { command: "node", args: ["lib/s.js"] }, ["lib/s.js"]],
    ["a name without its ending", { command: "node", args: ["lib/s"] }, ["lib/s.js"]],
    ["an option's value", { command: "node", args: ["--import=./lib/s.js"] }, ["lib/s.js"]],
    ["a name from its own directory", { command: "node", args: ["s.js"], cwd: "lib" }, ["lib/s.js"]],
    ["a directory with something to start", { command: "node", args: ["lib"] }, ["lib/package.json"]],
    ["a program in a directory that is searched", { command: "tool", env: { PATH: "bin:/usr/bin" } }, ["bin/tool"]],
    ["what the environment loads", { command: "node", env: { NODE_OPTIONS: "--require ./a.sh" } }, ["a.sh"]],
    ["where a variable leads", { command: "node", args: ["${PWD}/lib/s.js"] }, ["lib/s.js"]],
    ["a default", { command: "node", args: ["${NOPE:-lib/s.js}"] }, ["lib/s.js"]],
    ["the orders of its program", { command: "npm", args: ["run", "mcp"] }, ["package.json"]],
    ["nothing of a program with an odd name", { command: "constructor" }, []],
    ["a package", { command: "npx", args: ["-y", "@scope/server@1.2.3", "https://x.example/y?a=b&c=d"] }, []],
    [
      "a name in a directory that is named",
      { command: "uv", args: ["--directory", "sub", "run", "t.py"] },
      ["sub/t.py"],
    ],
    ["orders in a directory that is named", { command: "make", args: ["-Csub", "all"] }, ["sub/Makefile"]],
    [
      "every name of its orders",
      { command: "make", cwd: "made" },
      ["made/GNUmakefile", "made/makefile", "made/Makefile"],
    ],
    ["a module that is compiled", { command: "python3", args: ["-m", "old"] }, ["old.pyc"]],
    ["a directory that is compiled", { command: "python3", args: ["app"] }, ["app/__main__.pyc"]],
    [
      "what was compiled of a module",
      { command: "python3", args: ["-m", "sub.mod"] },
      ["sub/mod.py", "sub/__pycache__/mod.cpython-312.pyc"],
    ],
    ["a script, of which nothing compiled is used", { command: "python3", args: ["sub/mod.py"] }, ["sub/mod.py"]],
    [
      "a package that is loaded",
      { command: "node", args: ["-r", "evil", "lib/s.js"] },
      ["node_modules/evil/package.json", "node_modules/evil/index.js", "node_modules/evil/lib/main.js", "lib/s.js"],
    ],
    [
      "a file of a package that is loaded",
      { command: "node", args: ["--import", "evil/reg.mjs", "lib/s.js"] },
      ["node_modules/evil/package.json", "node_modules/evil/reg.mjs", "lib/s.js"],
    ],
    [
      "what a package exports by that name",
      { command: "node", args: ["--import=@own/hooks/a/b"] },
      ["node_modules/@own/hooks/package.json", "node_modules/@own/hooks/dist/a/b.mjs"],
    ],
    [
      "what the project exports, and imports, by that name",
      { command: "node", args: ["--import=itself/x", "--import=#inner"], cwd: "own" },
      ["own/package.json", "own/x.mjs", "own/inner.mjs"],
    ],
    [
      "what a directory starts with",
      { command: "node", args: ["started"] },
      ["started/package.json", "started/lib/s.cjs"],
    ],
    ["a name without its rarer ending", { command: "tsx", args: ["view"] }, ["view.tsx"]],
    ["a module by its dots", { command: "python3", args: ["-m", "sub.pkg.mod"] }, ["sub/pkg/mod.py"]],
    [
      "a package that is installed here",
      { command: "npx", args: ["-y", "@own/serve@1.0.0"], cwd: "docs" },
      ["node_modules/@own/serve/package.json", "node_modules/.bin/serve"],
    ],
    ["a directory to work on", { command: "npx", args: ["server-filesystem", "docs"] }, []],
  ])("%s", (_what, setting, expected) => {
    const content = {
      "a.sh": "",
      "lib/s.js": "",
      "lib/package.json": "{}",
      "bin/tool": "",
      "docs/a.md": "",
      "package.json": "{}",
      "sub/t.py": "",
      "sub/Makefile": "",
      "made/GNUmakefile": "",
      "made/makefile": "",
      "made/Makefile": "",
      "old.pyc": "",
      "sub/mod.py": "",
      "sub/__pycache__/mod.cpython-312.pyc": "",
      "node_modules/evil/package.json": '{"main":"lib/main"}',
      "node_modules/evil/index.js": "",
      "node_modules/evil/lib/main.js": "",
      "node_modules/evil/reg.mjs": "",
      "node_modules/@own/hooks/package.json": '{"exports":{"./*":{"import":"./dist/*.mjs"}}}',
      "node_modules/@own/hooks/dist/a/b.mjs": "",
      "own/package.json": '{"name":"itself","exports":{"./x":"./x.mjs"},"imports":{"#inner":"./inner.mjs"}}',
      "own/x.mjs": "",
      "own/inner.mjs": "",
      "started/package.json": '{"main":"lib/s.cjs"}',
      "started/lib/s.cjs": "",
      "app/__main__.pyc": "",
      "view.tsx": "",
      "sub/pkg/mod.py": "",
      "node_modules/.bin/serve": "",
      "node_modules/@own/serve/package.json": "{}",
    };
    expect(files(setting, content)).toEqual(expected);
  });

  const project = {
    "srv.js": "",
    "srv.py": "",
    "run.sh": "",
    "index.js": "",
    "package.json": "{}",
    "pyproject.toml": "",
    inspect: "",
    "pkg/package.json": "{}",
    "pkg/pyproject.toml": "",
    "src/test/a.md": "",
    "notes/notes/a.md": "",
    "lib/srv.js": "",
    "lib/index.js": "",
    "node_modules/.bin/mcp-server-filesystem": "",
    "node_modules/.bin/tsx": "the runner",
    "node_modules/.bin/babel-node": "another runner",
    ".venv/bin/python": "",
  };
  const here = ["package.json", "index.js"];

  it.each<[command: string, args: readonly string[], expected: readonly string[], cwd?: string]>([
    ["node_modules/.bin/mcp-server-filesystem", ["."], ["node_modules/.bin/mcp-server-filesystem"]],
    ["node_modules/.bin/mcp-server-filesystem", ["./"], ["node_modules/.bin/mcp-server-filesystem"]],
    ["node_modules/.bin/mcp-server-filesystem", ["${PWD}"], ["node_modules/.bin/mcp-server-filesystem"]],
    ["node_modules/.bin/mcp-server-filesystem", ["--root=."], ["node_modules/.bin/mcp-server-filesystem"]],
    ["./run.sh", [".", "notes"], ["run.sh"]],
    ["./run.sh", ["src", "test"], ["run.sh"]],
    ["./run.sh", ["pkg"], ["run.sh", "pkg/package.json"]],
    ["./run.sh", [".", "srv.js"], ["run.sh", "srv.js"]],
    ["node", ["srv.js", "."], ["srv.js"]],
    ["node", ["./srv.js", "./"], ["srv.js"]],
    ["node", ["srv.js", "."], ["lib/srv.js"], "lib"],
    ["python3", ["srv.py", "."], ["srv.py"]],
    [".venv/bin/python", ["srv.py", "."], [".venv/bin/python", "srv.py"]],
    ["mcp-server-filesystem", ["."], [...here, "node_modules/.bin/mcp-server-filesystem"]],
    ["npx", ["-y", "server-fs@1.2.3", "."], []],
    ["npx", ["-y", "@own/mcp@latest", ".", "pkg", "lib"], []],
    ["npx", ["-y", "-p", "x", "x-mcp-server", "--root=${PWD}"], []],
    ["uvx", ["mcp-server-git", "--repository", "."], []],
    ["uvx", ["mcp-server-git", "--repository", "lib/srv"], ["lib/srv.js"]],
    ["npx", ["-y", "server-fs@1.2.3", "run.sh"], ["run.sh"]],
    ["npx", ["-y", "server-fs@1.2.3", "--plugins", "."], here],
    ["npx", ["-y", "server-fs@1.2.3", "--config=pkg"], ["pkg/package.json"]],
    ["npx", ["-y", "functions-of-others", "--source=."], here],
    ["npx", ["-y", "mcp-dev", "."], here],
    ["npx", ["-y", "mcp-proxy", "."], here],
    ["npx", ["mcp-server-filesystem", "."], ["node_modules/.bin/mcp-server-filesystem"]],
    ["mcp-server-filesystem", ["notes"], ["node_modules/.bin/mcp-server-filesystem"]],
  ])("a directory that %s %j works on", (command, args, expected, cwd) => {
    const setting = { command, args: [...args], ...(cwd === undefined ? {} : { cwd }) };
    expect([...files(setting, project)].sort()).toEqual([...expected].sort());
  });

  it.each<[command: string, args: readonly string[], runs: string]>([
    ["node", ["."], "node"],
    ["node", ["./"], "node"],
    ["node", ["pkg/."], "node"],
    ["node", ["${NOPE:-.}"], "node"],
    ["/usr/bin/node", ["."], "node"],
    ["node", ["--no-warnings", "."], "node"],
    ["node", ["-r", "srv.js", "."], "node"],
    ["node", ["inspect", "."], "node"],
    ["node", ["absent.js", "."], "node"],
    ["node", [".", "srv.js"], "node"],
    ["env", ["node", "."], "env"],
    ["./run.sh", ["node", "."], "node"],
    ["sh", ["run.sh", "node", "."], "sh"],
    ["python", ["."], "python"],
    ["python3.12", ["."], "python3.12"],
    [".venv/bin/python", ["."], "python"],
    ["python3", ["-m", "runpy", "."], "python3"],
    ["node_modules/.bin/tsx", ["."], "tsx"],
    ["bun", ["."], "bun"],
    ["bun", ["run", "."], "bun"],
    ["deno", ["run", "."], "deno"],
    ["npx", ["tsx", "."], "tsx"],
    ["npx", ["nodemon", "."], "nodemon"],
    ["npx", ["-y", "mcp", "."], "mcp"],
    ["npx", ["-y", "x-mcp-server", "tsx", "."], "tsx"],
    ["uvx", ["fastmcp", "run", "."], "fastmcp"],
    ["npx", ["-p", "x", "node", "."], "npx"],
    ["uv", ["run", "."], "uv"],
    ["fastmcp", ["run", "."], "fastmcp"],
    ["node", ["${PWD}"], "node"],
    ["node", ["${PWD}/"], "node"],
    ["./run.sh", ["tsx", "${PWD}"], "tsx"],
    ["node_modules/.bin/babel-node", ["."], "babel-node"],
  ])("a directory that %s %j could run cannot be bound", (command, args, runs) => {
    expect(files({ command, args: [...args] }, project)).toBe(
      `${runs} could run anything that lies in the directory behind it`,
    );
  });

  it("a program of the project that is an interpreter by another name is none to give a directory to", () => {
    const why = "tool could run anything that lies in the directory behind it";
    const content = { ...project, tool: "the runner" };
    expect(files({ command: "./tool", args: ["."] }, content)).toBe(why);
    expect(files({ command: "./tool", args: ["${PWD}"] }, content)).toBe(why);
    expect(files({ command: "./tool", args: ["srv.js"] }, content)).toEqual(["tool", "srv.js"]);
  });

  it("where compiled files of Python lie is nothing that an entry may say", () => {
    const why = "it says where compiled files of Python lie";
    const args = ["-m", "srv"];
    expect(files({ command: "python3", args, env: { PYTHONPYCACHEPREFIX: "lib" } }, project)).toBe(why);
    expect(files({ command: "python3", args: ["-Xpycache_prefix=lib", ...args] }, project)).toBe(why);
  });

  it.each<[command: string, args: readonly string[]]>([
    ["npx", ["."]],
    ["npx", ["./pkg"]],
    ["npx", ["-y", "${NOPE:-pkg/}"]],
    ["npx", ["--package=./pkg", "x"]],
    ["npx", ["-p./pkg", "x"]],
    ["npm", ["exec", "."]],
    ["bunx", ["./pkg"]],
    ["uvx", ["--from", ".", "x"]],
    ["uvx", ["--from=.", "x"]],
    ["uvx", ["--from", "./pkg", "x"]],
    ["pipx", ["run", "--spec", "pkg/", "x"]],
  ])("a package of the project that %s %j would run cannot be bound", (command, args) => {
    expect(files({ command, args: [...args] }, project)).toBe(`${command} is given a directory to run`);
  });

  it.each<[setting: Parameters<typeof serverFiles>[0], why: string]>([
    [{ command: "python3", args: ["link/../srv.py"] }, '"link/../srv.py" has a ..'],
    [{ command: "./link/../tool" }, '"./link/../tool" has a ..'],
    [{ command: "node", args: ["--import=./link//./../srv.js"] }, '"--import=./link//./../srv.js" has a ..'],
    [{ command: "node", args: ["${UP}/../srv.js"] }, '"${UP}/../srv.js" has a ..'],
    [{ command: "node", args: ["./a=../../srv.js"] }, '"./a=../../srv.js" has a ..'],
    [{ command: "node", env: { NODE_OPTIONS: '--import "./link"/../srv.js' } }, "NODE_OPTIONS has a .."],
    [{ command: "tool", env: { PATH: "/usr/bin:link/..:/bin" } }, "PATH has a .."],
    [{ command: "node", args: ["srv.js"], cwd: "link/.." }, 'its directory "link/.." has a ..'],
    [{ command: "python3", args: ["../srv.py"], cwd: "lib" }, '"../srv.py" leads up'],
    [{ command: "python3", args: ["--x=../srv.py"], cwd: "lib" }, '"--x=../srv.py" leads up'],
    [{ command: "uv", args: ["--directory", "lib", "run", "../srv.py"] }, '"../srv.py" leads up'],
    [{ command: "node", args: ["/proc/self/cwd/srv.js"] }, '"/proc/self/cwd/srv.js" leads to /proc'],
    [{ command: "node", args: ["//./proc//self/cwd/srv.js"] }, '"//./proc//self/cwd/srv.js" leads to /proc'],
    [{ command: "node", args: ["-r/proc/self/cwd/srv.js"] }, '"-r/proc/self/cwd/srv.js" leads to /proc'],
    [{ command: "node", args: ["../../../../../../proc/self/cwd/srv.js"] }, '/proc/self/cwd/srv.js" leads to /proc'],
    [{ command: "node", args: ["--import=file:///%70roc/self/cwd/srv.js"] }, '/self/cwd/srv.js" leads to /proc'],
    [{ command: "node", args: ["--import=file://localhost/proc/self/cwd/srv.js"] }, "has an address"],
    [{ command: "node", env: { NODE_OPTIONS: "--import=data:text/javascript;base64,eA==" } }, "has an address"],
    [{ command: "node", env: { NODE_OPTIONS: '-r "./my dir/x.js"' } }, "NODE_OPTIONS has quotes"],
    [{ command: "python3", args: ["/dev/fd/../cwd/srv.py"] }, '"/dev/fd/../cwd/srv.py" has a ..'],
    [{ command: "python3", args: ["/dev/fd/3"] }, '"/dev/fd/3" leads to /proc or /dev'],
    [{ command: "srv", env: { PATH: "/usr/bin:/proc/self/cwd/bin" } }, "PATH leads to /proc"],
    [{ command: "node", env: { NODE_OPTIONS: "--import=/proc/self/cwd/x.mjs" } }, "NODE_OPTIONS leads to /proc"],
    [{ command: "node", env: { NODE_OPTIONS: '--import "/proc/self/cwd/x.mjs"' } }, "NODE_OPTIONS leads to /proc"],
    [{ command: "python3", args: ["-m", "srv"], env: { PYTHONPATH: "/proc/self/cwd" } }, "PYTHONPATH leads to /proc"],
    [{ command: "node", args: ["srv.js"], cwd: "/proc/self/cwd" }, 'its directory "/proc/self/cwd" leads to /proc'],
  ])("%j leads where its words do not tell", (setting, why) => {
    expect(files(setting, project, { UP: "lib" })).toContain(why);
  });

  it.each<[setting: Parameters<typeof serverFiles>[0], expected: readonly string[]]>([
    [{ command: "./run.sh", args: ["../other", "../..", "--x=../y", "/dev/null"] }, ["run.sh"]],
    [{ command: "./run.sh", args: ["https://x.example/dev/api", "docs/dev", "a...b/c"] }, ["run.sh"]],
    [{ command: "./run.sh", cwd: "../other" }, []],
    [{ command: "node", args: ["--import=./%73rv.js#b"] }, ["srv.js"]],
    [{ command: "node", env: { WHICH: './s"rv".js' } }, ["srv.js"]],
  ])("%j leads where its words tell", (setting, expected) => {
    expect(files(setting, project)).toEqual(expected);
  });

  const links = (names: Readonly<Record<string, string>>) => (workspace: string) => {
    for (const [name, target] of Object.entries(names)) symlinkSync(target, path.join(workspace, name));
  };
  const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ""]));

  it.each<[string, Setting, Readonly<Record<string, string>>, readonly string[]]>([
    ["a file beside a directory", { command: "node", args: ["./srv"] }, texts("srv.js", "srv/x"), ["srv.js"]],
    ["a module beside one", { command: "python3", args: ["-m", "srv"] }, texts("srv.py", "srv/x"), ["srv.py"]],
    [
      "a package's main beside one",
      { command: "node", args: ["s"] },
      { "s/package.json": '{"main":"lib"}', ...texts("s/lib.js", "s/lib/x") },
      ["s/package.json", "s/lib.js"],
    ],
    [
      "a module beside a package",
      { command: "node", args: ["-r", "p", "s.js"] },
      texts("node_modules/p.js", "node_modules/p/x", "s.js"),
      ["node_modules/p.js", "s.js"],
    ],
    [
      "what a package of Python begins with",
      { command: "python3", args: ["-m", "a.b.c"] },
      texts("a/__init__.py", "a/__pycache__/__init__.cpython-312.pyc", "a/b/__init__.pyc", "a/b/c.py"),
      ["a/__init__.py", "a/b/__init__.pyc", "a/b/c.py", "a/__pycache__/__init__.cpython-312.pyc"],
    ],
    [
      "machine code that Python prefers",
      { command: "uvicorn", args: ["app.main:app"] },
      texts("app/__init__.cpython-312-x86_64-linux-gnu.so", "app/main.py", "app/main.abi3.so"),
      ["app/__init__.cpython-312-x86_64-linux-gnu.so", "app/main.py", "app/main.abi3.so"],
    ],
    ["a module that is no word", { command: "python3", args: ["-m", "my-a.b"] }, texts("my-a/b.py"), ["my-a/b.py"]],
    [
      "the class of a warning",
      { command: "python3", args: ["-W", "ignore::evil.x", "s.py"] },
      texts("evil.py", "s.py"),
      ["evil.py", "s.py"],
    ],
    [
      "orders above where it works",
      { command: "npm", args: ["run", "x"], cwd: "a/b" },
      { ...texts("a/b/x", "a/.npmrc"), "package.json": "{}" },
      ["a/b/x", "a/.npmrc", "package.json"],
    ],
    [
      "orders of uv above",
      { command: "uv", args: ["run", "x"], cwd: "a" },
      texts("a/x", "uv.toml"),
      ["a/x", "uv.toml"],
    ],
    ["orders in a line", { command: "sh", args: ["-c", "npm run x"] }, { "package.json": "{}" }, ["package.json"]],
    ["no orders of make above", { command: "make", cwd: "a" }, texts("a/x", "Makefile"), []],
    ...["npm", "pnpm", "yarn", "yarnpkg", "bun"].map((command): [string, Setting, Record<string, string>, string[]] => [
      `what ${command} starts where no script is called so`,
      { command, args: ["start"], cwd: "a" },
      { ...texts("a/x", "server.js"), "package.json": "{}" },
      ["package.json", "server.js"],
    ]),
    [
      "what a script of a package may name in its first line",
      { command: "pnpm", args: ["run", "x"], cwd: "a" },
      texts("a/node_modules/.bin/node", "node_modules/.bin/sh", "node_modules/.bin/other", "b/node_modules/.bin/node"),
      ["a/node_modules/.bin/node", "node_modules/.bin/sh"],
    ],
    [
      "the same of node's own scripts",
      { command: "node", args: ["--run", "x"] },
      texts("node_modules/.bin/env"),
      ["node_modules/.bin/env"],
    ],
    ["none of them for a package", { command: "npx", args: ["-y", "x-mcp"] }, texts("node_modules/.bin/node"), []],
    [
      "a file that the environment names",
      { command: "node", args: ["s.js"], env: { NODE_EXTRA_CA_CERTS: "./ca.pem", NODE_OPTIONS: "-r./s.js" } },
      texts("ca.pem", "s.js"),
      ["s.js", "ca.pem"],
    ],
    [
      "no directories in what the environment says",
      {
        command: "./s.js",
        env: {
          ...{ NODE_ENV: "test", UV_OFFLINE: "1", PYTHONUNBUFFERED: "1", GOOGLE_REGION: "eu/west" },
          ...{ UV_INDEX_URL: "https://u:p@x.example/simple", GOPROXY: "https://x.example/y,direct", GOROOT: "/opt/go" },
          ...{ npm_config_registry: "https://x.example/npm/", NODE_OPTIONS: "--max-old-space-size=4096" },
        },
      },
      texts("s.js", "test/x", "npm/x"),
      ["s.js"],
    ],
    [
      "an agent",
      { command: "java", args: ["-javaagent:a.jar=x", "-jar", "s.jar"] },
      texts("a.jar", "s.jar"),
      ["a.jar", "s.jar"],
    ],
    [
      "one of the machine",
      { command: "java", args: ["-agentpath:/opt/a.so", "-jar", "s.jar"] },
      texts("s.jar"),
      ["s.jar"],
    ],
    ["a script that is called like a tool", { command: "node", args: ["boot.js"] }, texts("boot.js"), ["boot.js"]],
    [
      "a makefile where something else is written",
      { command: "make", args: ["-f", "lib/x.mk"], sandbox: { write: ["data"] } },
      texts("lib/x.mk", "data/x"),
      ["lib/x.mk"],
    ],
    ["orders of node", { command: "node", args: ["--run", "x"] }, { "package.json": "{}" }, ["package.json"]],
    [
      "a module of Perl",
      { command: "perl", args: ["-Ilib", "-MA::B", "s.pl"] },
      texts("lib/A/B.pm", "s.pl"),
      ["lib/A/B.pm", "s.pl"],
    ],
    [
      "what options of Perl load",
      { command: "perl", args: ["s.pl"], env: { PERL5OPT: "-MEvil" } },
      texts("Evil.pm", "s.pl"),
      ["s.pl", "Evil.pm"],
    ],
    ["a module of Ruby", { command: "ruby", args: ["-r./x", "s.rb"] }, texts("x.rb", "s.rb"), ["x.rb", "s.rb"]],
    ["a class", { command: "java", args: ["-cp", "c", "x.Main"] }, texts("c/x/Main.class"), ["c/x/Main.class"]],
    [
      "an archive of classes",
      { command: "java", args: ["-cp", "lib/a.jar", "Main"] },
      texts("lib/a.jar"),
      ["lib/a.jar"],
    ],
    [
      "what a script's first line may name",
      { command: "./a.sh", env: { PATH: "bin:/usr/bin" } },
      texts("a.sh", "bin/python3"),
      ["a.sh", "bin/python3"],
    ],
    [
      "a description with a mark before it",
      { command: "node", args: ["s"] },
      { "s/package.json": '\ufeff{"main":"m.js"}', "s/m.js": "" },
      ["s/package.json", "s/m.js"],
    ],
    [
      "a letter that a language takes for another",
      { command: "python3", args: ["-m", "timeit", "import ｅvil"] },
      texts("evil.py"),
      ["evil.py"],
    ],
    [
      "a program of the project's own place for them",
      { command: "uv", args: ["run", "serve"], cwd: "a" },
      texts("a/x", ".venv/bin/serve", ".venv/bin/python3"),
      [".venv/bin/serve"],
    ],
    ["what R reads first", { command: "Rscript", args: ["s.R"] }, texts("s.R", ".Rprofile"), ["s.R", ".Rprofile"]],
    ["variables for a program", { command: "env", args: ["A=b", "-u", "C", "node", "s.js"] }, texts("s.js"), ["s.js"]],
    ["a package with an extra", { command: "uvx", args: ["--from", "mcp[cli]==1.2", "mcp"] }, {}, []],
    ["a word of a package that is also a program", { command: "npx", args: ["-y", "pkg", "watch"] }, {}, []],
    ["an option of a module", { command: "python3", args: ["-m", "mod", "-c", "config.json"] }, {}, []],
    ["an address for a package", { command: "npx", args: ["-y", "pkg", "postgresql://h/b?ssl=yes"] }, {}, []],
    ["one with several values", { command: "npx", args: ["-y", "pkg", "mongodb+srv://h/?a=1&b=c"] }, {}, []],
    ["one that is added", { command: "uv", args: ["run", "--with", "mcp[cli]", "s.py"] }, texts("s.py"), ["s.py"]],
    ["a word for a script", { command: "uv", args: ["run", "s.py", "watch"] }, texts("s.py"), ["s.py"]],
    ["options of a script", { command: "node", args: ["--no-warnings", "s.js", "-e", "x"] }, texts("s.js"), ["s.js"]],
    ["options of a module", { command: "python3", args: ["-u", "s.py", "-c", "x"] }, texts("s.py"), ["s.py"]],
    ["a directory above for a script", { command: "node", args: ["s.js", "--dir", ".."] }, texts("s.js"), ["s.js"]],
    ["a directory above for a package", { command: "npx", args: ["-y", "pkg", "--dir=.."] }, {}, []],
    ["the person's own home", { command: "x", env: { HOME: "${HOME}" } }, {}, []],
  ])("are found: %s", (_what, setting, content, expected) => {
    expect(files(setting, content, { HOME: "/" })).toEqual(expected);
  });

  const code = "it has code on its command line";
  const above = "an option of it names a directory that holds the project";
  const more = (word: string) => `the word ${JSON.stringify(word)} could be more than a name`;
  const looks = (name: string) => `${name} makes programs look for files in the project, or above it`;
  const runs = (name: string) => `${name} can run what its own words say`;
  const env = "env is given more than variables and a program";
  const other = "it runs what another package says";
  const unnamed = "node would run files that nobody names";
  const filled = "it takes what it runs from a directory of the project that it fills itself";
  const replaced = (option: string) => `${option} makes java run what cannot be told`;

  it.each<[command: string, args: readonly string[], why: string]>([
    ["perl", ["-e", "do+q^./x.pl^"], code],
    ["perl", ["-lane", "1"], code],
    ["perl", ["-Ilib", "-MEvil", "-e1"], code],
    ["/usr/bin/perl5.36", ["-e1"], code],
    ["node", ["-e", "1"], code],
    ["node", ["-pe", "1"], code],
    ["node", ["-r", "./a.js", "--eval=1"], code],
    ["python3", ["-c", "import ｅvil"], code],
    ["python3.12", ["-Ic", "import evil"], code],
    ["ruby", ["-ne", "1"], code],
    ["php", ["-r", "1"], code],
    ["deno", ["eval", "1"], code],
    ["bun", ["-e", "1"], code],
    ["lua", ["-e", "1"], code],
    ["Rscript", ["-e", "1"], code],
    ["osascript", ["-e", "1"], code],
    ["perl", ["-d:Evil", "s.pl"], code],
    ["npx", ["-y", "node@20", "-e", "1"], code],
    ["uv", ["run", "python", "-c", "1"], code],
    ["sh", ["-c", "node -p x"], code],
    ["npx", ["-p", "x", "-c", "y"], code],
    ["npm", ["exec", "--call=y"], code],
    ["./tool", ["-c", "./e*l.sh"], more("./e*l.sh")],
    ["make", ["X=./e?l.sh"], more("X=./e?l.sh")],
    ["x", ["a[b]"], more("a[b]")],
    ["x", ["postgresql://h/b?ssl=yes"], more("postgresql://h/b?ssl=…")],
    ["x", ["--api-key", "sk-abcd$XY!"], more("…")],
    ["x", ["--password=Hunter2!x"], more("--password=…")],
    ["x", ["$X"], more("$X")],
    ["x", ["a\\b"], more("a\\b")],
    ["git", ["-c", "alias.x=!./y", "x"], more("alias.x=!./y")],
    ["git", ["-c", "core.pager=./y", "x"], runs("git")],
    ["flock", ["lock", "-c", "./y"], runs("flock")],
    ["/bin/sed", ["1e./y", "z"], runs("sed")],
    ["tar", ["--checkpoint-action=exec=./y"], runs("tar")],
    ["nice", ["find", "-exec", "./y"], runs("find")],
    ["sh", ["-c", "xargs ./y"], runs("xargs")],
    ["npx", ["-p", "x", "sed", "1e./y"], runs("sed")],
    ["uv", ["run", "--with", "x", "sed", "1e./y"], runs("sed")],
    ["poetry", ["run", "sed", "1e./y"], runs("sed")],
    ["make", ["X=~+/y"], more("X=~+/y")],
    ["/usr/bin/env", ["-S", "node ."], env],
    ["env", ["-vSnode x"], env],
    ["env", ["--chdir=..", "node", "project/x.js"], env],
    ["npm", ["--prefix", ".", "start"], other],
    ["npm", ["-w", "a", "run", "x"], other],
    ["npm", ["run", "x", "--workspace=a"], other],
    ["pnpm", ["--filter", "a", "start"], other],
    ["yarn", ["workspace", "a", "start"], other],
    ["node", ["--test"], unnamed],
    ["node", ["--watch-path=lib", "srv.js"], unnamed],
    ["bun", ["test"], "bun would run files that nobody names"],
    ["npx", ["mocha"], "mocha would run files that nobody names"],
    ["python3", ["-m", "unittest"], "unittest would run files that nobody names"],
    ["java", ["@words"], "java is told its words by a file"],
    ["java", ["--patch-module", "java.base=lib", "-jar", "s.jar"], replaced("--patch-module")],
    ["java", ["--patch-module=java.base=lib", "-jar", "s.jar"], replaced("--patch-module")],
    ["java", ["--upgrade-module-path", "lib", "-jar", "s.jar"], replaced("--upgrade-module-path")],
    ["/usr/bin/java", ["-Xbootclasspath/a:lib", "-jar", "s.jar"], replaced("-Xbootclasspath/a")],
    ["java", ["-Djava.library.path=lib", "-agentlib:x", "-jar", "s.jar"], replaced("-Djava.library.path")],
    ["java", ["-agentlib:x", "-jar", "s.jar"], replaced("-agentlib")],
    ["java", ["-javaagent:absent.jar", "-jar", "s.jar"], replaced("-javaagent")],
    ["kotlin", ["-J-Xbootclasspath:lib", "s.jar"], replaced("-J-Xbootclasspath")],
    ["uvx", ["--cache-dir", ".uv", "x-mcp"], filled],
    ["uv", ["--cache-dir=lib", "run", "x-mcp"], filled],
    ["node", ["node_modules/.bin/vite", "serve"], "vite would run files that nobody names"],
    ["node", ["--no-warnings", "node_modules/gulp/bin/gulp.js"], "gulp would run files that nobody names"],
    ["node", ["node_modules/next/dist/cli.js"], "next would run files that nobody names"],
    ["node", ["/usr/lib/node_modules/webpack-cli/bin/cli.js"], "webpack would run files that nobody names"],
    ["node", ["node_modules/mocha/bin/_mocha"], "mocha would run files that nobody names"],
    ["node", ["node_modules/npm/bin/npm-cli.js", "run", "x"], "npm would run files that nobody names"],
    ["python3", [".venv/bin/invoke", "x"], "invoke would run files that nobody names"],
    ["sh", ["node_modules/.bin/nx", "x"], "nx would run files that nobody names"],
    ["node", ["lib/vite.js"], "vite would run files that nobody names"],
    ...[
      ["npx --no-install x-mcp", "npx"],
      ["npx --no x-mcp", "npx"],
      ["npx --cache=.npm-cache -y x-mcp@1.0.0", "npx"],
      ["npx --offline x-mcp", "npx"],
      ["npx --unknown= x-mcp lib", "npx"],
      ["npm exec --offline x-mcp", "npm"],
      ["npm --silent x x-mcp", "npm"],
      ["npm init x-mcp", "npm"],
      ["npm exe x-mcp", "npm"],
      ["bunx --no-install x-mcp", "bunx"],
      ["bun --silent x x-mcp", "bun"],
      ["pnpx -x x-mcp", "pnpx"],
      ["pnpm exec x-mcp", "pnpm"],
      ["pnpm --silent dlx x-mcp", "pnpm"],
      ["yarn dlx x-mcp", "yarn"],
      ["yarn exec x-mcp", "yarn"],
      ["corepack yarn dlx x-mcp", "yarn"],
      ["env A=b npx -y x-mcp", "npx"],
      ["timeout 9 npx x-mcp", "npx"],
      ["nodemon --exec npx x-mcp", "npx"],
      ["lib/npx -y x-mcp", "npx"],
    ].map(([line = "", name = ""]): [string, readonly string[], string] => {
      const [command = "", ...args] = line.split(" ");
      return [command, args, `${name} would run what the project has installed`];
    }),
    ["sh", ["-c", "npx -y x-mcp"], "npx would run what the project has installed"],
    ["java", ["-cp", "lib", "Main"], "what java takes from a directory of the project cannot be told"],
    ["perl", ["-Ilib", "s.pl"], "what perl takes from a directory of the project cannot be told"],
    ["ruby", ["-I", "lib", "-rx", "s.rb"], "what ruby takes from a directory of the project cannot be told"],
    ["uv", ["--directory", "..", "run", "project/x.py"], above],
    ["make", ["-C..", "x"], above],
    ["x", ["--root=.."], above],
    ["node", ["--import=./x.mjs\u0001"], "it has a character that cannot be seen"],
    ["x", ["a\u007f"], "it has a character that cannot be seen"],
  ])("%s %j cannot be bound", (command, args, why) => {
    const content = texts("lib/readme", "s.pl", "s.rb", "s.jar", "srv.js", "node_modules/vite/vite.js");
    expect(
      files({ command, args: [...args] }, content, {}, links({ "lib/vite.js": "../node_modules/vite/vite.js" })),
    ).toBe(why);
  });

  const finds = (name: string) => `${name} would run files that nobody names`;

  it.each<[line: string, tool: string]>([
    ["cargo run --quiet --bin mcp", "cargo"],
    ["cargo run --manifest-path Cargo.toml", "cargo"],
    ["/usr/bin/cargo run", "cargo"],
    ["rustup run stable cargo run", "rustup"],
    ["dotnet run --project src/Server.csproj", "dotnet"],
    ["dotnet test", "dotnet"],
    ["dotnet app.cs", "dotnet"],
    ["gradle run", "gradle"],
    ["./gradlew -q run", "gradlew"],
    ["mvn exec:java", "mvn"],
    ["./mvnw spring-boot:run", "mvnw"],
    ["sbt run", "sbt"],
    ["ant serve", "ant"],
    ["lein run", "lein"],
    ["clojure -X:mcp", "clojure"],
    ["bazel run //tools:mcp", "bazel"],
    ["swift run", "swift"],
    ["swift package plugin x", "swift"],
    ["go run .", "go"],
    ["go run ./lib", "go"],
    ["go run ./...", "go"],
    ["go run -exec ./x srv.go", "go"],
    ["go test", "go"],
    ["go tool x", "go"],
    ["zig build run", "zig"],
    ["nix run", "nix"],
    ["nix run .#mcp", "nix"],
    ["nix run path:.#mcp", "nix"],
    ["nix run github:x/y --override-input nixpkgs ./lib", "nix"],
    ["nix develop -c x", "nix"],
    ["mix run --no-halt", "mix"],
    ["iex -S mix", "mix"],
    ["elixir -S mix run", "mix"],
    ["stack run", "stack"],
    ["cabal run mcp", "cabal"],
    ["cmake --build build", "cmake"],
    ["ninja -C build", "ninja"],
    ["meson test", "meson"],
    ["rake mcp", "rake"],
    ["bundle exec rake mcp", "rake"],
    ["bundle exec rails mcp", "rails"],
    ["bin/rails mcp", "rails"],
    ["mise run mcp", "mise"],
    ["mise exec -- node srv.js", "mise"],
    ["pixi run mcp", "pixi"],
    ["devbox run mcp", "devbox"],
    ["direnv exec . node srv.js", "direnv"],
    ["docker compose run --rm -T mcp", "docker"],
    ["docker compose -f compose.yml exec app x", "docker"],
    ["docker --context x compose up", "docker"],
    ["docker build .", "docker"],
    ["docker-compose run mcp", "docker-compose"],
    ["podman compose up", "podman"],
    ["moon run mcp", "moon"],
    ["nx mcp", "nx"],
    ["npx nx mcp", "nx"],
    ["npx -y nx@latest mcp", "nx"],
    ["npx turbo run mcp", "turbo"],
    ["npx lerna run mcp", "lerna"],
    ["npx gulp", "gulp"],
    ["pnpm nx mcp", "nx"],
    ["pnpm exec turbo mcp", "turbo"],
    ["yarn nx mcp", "nx"],
    ["bun x nx mcp", "nx"],
    ["node_modules/.bin/nx mcp", "nx"],
    ["npm exec -- nx mcp", "nx"],
    ["uvx invoke mcp", "invoke"],
    ["uv run poe mcp", "poe"],
    ["python3 -m invoke mcp", "invoke"],
    ["just mcp", "just"],
    ["just lib/mcp", "just"],
    ["just ../mcp", "just"],
    ["env A=b cargo run", "cargo"],
    ["timeout 60 ./gradlew run", "gradlew"],
    ["timeout 60 pytest", "pytest"],
    ["nice go run .", "go"],
    ["npx -y @modelcontextprotocol/inspector cargo run", "cargo"],
    ["npx -y mcp-remote-server docker compose up", "docker"],
    ["./srv.js go run .", "go"],
  ])("%s would run what the project holds", (line, tool) => {
    const [command = "", ...args] = line.split(" ");
    expect(files({ command, args }, texts("srv.js", "lib/readme"))).toBe(finds(tool));
    expect(files({ command: "sh", args: ["-c", line] }, texts("srv.js", "lib/readme"))).toMatch(
      / would run files that nobody names$|leads up|has code|could be more than a name/,
    );
  });

  it.each<[line: string, expected: readonly string[]]>([
    ["go run ./cmd/main.go", ["cmd/main.go"]],
    ["go run cmd/main.go x.go", ["cmd/main.go"]],
    ["go run github.com/x/y@latest", []],
    ["dotnet out/server.dll", ["out/server.dll"]],
    ["dotnet exec out/server.dll", ["out/server.dll"]],
    ["zig run main.zig", ["main.zig"]],
    ["nix run github:x/y", []],
    ["nix run nixpkgs#x -- --stdio", []],
    ["docker run -i --rm mcp/fetch", []],
    ["docker exec -i app node dist/index.js", []],
    ["docker mcp gateway run", []],
    ["docker run -v .:/app x node /app/srv.js", ["srv.js"]],
    ["docker run --volume=./cmd:/app/:ro x /app/main.go", ["cmd/main.go"]],
    ["podman run --mount type=bind,src=cmd,dst=/app x /app/main.go", ["cmd/main.go"]],
    ["docker run -v ${PWD}:/app x /app/cmd/main.go", ["cmd/main.go"]],
    ["docker run -v ./cmd:/data x /data", []],
    [
      "docker run -it --rm --init --name=a --pull always --network none -e KEY -e A=b -v .:/app x /app/srv.js",
      ["srv.js"],
    ],
    ["docker run --rm -i -v .:/app x node --import=/app/srv.js -r/app/main.zig", ["srv.js", "main.zig"]],
    ["docker run --entrypoint=/x -w /y --unknown -v named:/app -v /opt/x:/y x /app/srv.js", []],
    ["docker run --mount type=volume,src=named,dst=/x --entrypoint y x", []],
    ["just mcp", ["justfile"]],
    ["task mcp", ["Taskfile.dist.yml"]],
    ["bundle exec x-mcp", ["Gemfile"]],
    ["node srv.js --builder cargo", ["srv.js"]],
    ["npx -y x-mcp-server --tool docker next", []],
    ["npx nx-mcp@latest", []],
  ])("%s runs nothing but what is named", (line, expected) => {
    const [command = "", ...args] = line.split(" ");
    const content = texts(
      "srv.js",
      "cmd/main.go",
      "out/server.dll",
      "main.zig",
      "justfile",
      "Taskfile.dist.yml",
      "Gemfile",
    );
    expect(files({ command, args }, content)).toEqual(expected);
  });

  const odd = (option: string) => `docker is given ${option}, and could run something else with it`;
  const told = "docker is given a variable that could make programs load files of the project";
  const hides = "docker puts files of the project where those of the image lie";
  const unplain = "a container that is shown the project is not plainly run";

  it.each<[line: string, why: string, env?: Readonly<Record<string, string>>]>([
    ["docker run --rm -iv .:/app x node /app/srv.js", odd("-iv")],
    ["docker run -v.:/app x node /app/srv.js", odd("-v.:/app")],
    ["docker run -v .:/app --entrypoint=/app/srv.js x", odd("--entrypoint")],
    ["docker run -v .:/app --entrypoint /app/srv.js x", odd("--entrypoint")],
    ["docker run -v .:/app -w /app/lib x python -m srv", odd("-w")],
    ["docker run --workdir=/app -v ${PWD}:/app x npm start", odd("--workdir")],
    ["docker run --env-file lib/x -v .:/app x", odd("--env-file")],
    ["docker run --mount type=bind,src=${PWD},dst=/app --volumes-from y x", odd("--volumes-from")],
    ["docker run -v .:/app --rm", odd("no image")],
    ["docker run -v .:/app -e PYTHONPATH=/app/lib x", told],
    ["docker run -v .:/app --env=WHERE=/app x", told],
    ["docker run -v .:/app -e NODE_OPTIONS x", told],
    ["docker run -v .:/app -e PLUGINS x", told, { PLUGINS: "/app/lib" }],
    ["docker run -v ./lib:/usr/local/bin x", hides],
    ["docker run -v ./lib:/lib64/ x", hides],
    ["docker run --mount=type=bind,src=.,dst=/etc x", hides],
    ["docker --context y run -v .:/app x", "docker would run files that nobody names"],
    ["docker exec -v .:/app x", unplain],
    ["env docker run -v .:/app x", unplain],
  ])("%s is shown the project, and could run any of it", (line, why, variables = {}) => {
    const [command = "", ...args] = line.split(" ");
    expect(files({ command, args, env: { ...variables } }, texts("srv.js", "lib/x"))).toBe(why);
  });

  it.each<[env: Readonly<Record<string, string>>, why: string]>([
    [{ BASH_ENV: "$(./x)" }, "BASH_ENV could be more than names"],
    [{ PS4: "`./x`" }, "PS4 could be more than names"],
    [{ GIT_SSH_COMMAND: "sh<x" }, "GIT_SSH_COMMAND could be more than names"],
    [{ GIT_CONFIG_VALUE_0: "!./x" }, "GIT_CONFIG_VALUE_0 could be more than names"],
    [{ LESSOPEN: "|./x" }, "LESSOPEN could be more than names"],
    [{ EDITOR: "./*" }, "EDITOR could be more than names"],
    [{ "BASH_FUNC_ls%%": "() { ./x; }" }, '"BASH_FUNC_ls%%" is no plain name of a variable'],
    [{ PYTHONPATH: "lib" }, looks("PYTHONPATH")],
    [{ PYTHONPATH: ".." }, looks("PYTHONPATH")],
    [{ PYTHONPATH: "/opt/x:" }, looks("PYTHONPATH")],
    [{ PYTHONUSERBASE: "/opt/x:lib" }, looks("PYTHONUSERBASE")],
    [{ HOME: "." }, looks("HOME")],
    [{ XDG_CONFIG_HOME: "lib" }, looks("XDG_CONFIG_HOME")],
    [{ NODE_PATH: "lib" }, looks("NODE_PATH")],
    [{ CLASSPATH: "lib" }, looks("CLASSPATH")],
    [{ LD_PRELOAD: "./x.so" }, looks("LD_PRELOAD")],
    [{ LD_LIBRARY_PATH: "${LIB:-lib}" }, looks("LD_LIBRARY_PATH")],
    [{ PERL5OPT: "-Ilib -d:Evil" }, "PERL5OPT has code in it"],
    [{ PERL5OPT: "-Ilib -MEvil" }, looks("PERL5OPT")],
    [{ NODE_COMPILE_CACHE: ".cache" }, looks("NODE_COMPILE_CACHE")],
    [{ NODE_COMPILE_CACHE: "lib" }, looks("NODE_COMPILE_CACHE")],
    [{ NODE_COMPILE_CACHE: "https://x" }, looks("NODE_COMPILE_CACHE")],
    [{ NODE_EXTRA_CA_CERTS: "./absent.pem" }, looks("NODE_EXTRA_CA_CERTS")],
    [{ TCL_LIBRARY: "lib/tcl" }, looks("TCL_LIBRARY")],
    [{ npm_config_cache: "${PWD}/.npm-cache" }, looks("npm_config_cache")],
    [{ NPM_CONFIG_CACHE: ".npm-cache" }, looks("NPM_CONFIG_CACHE")],
    [{ npm_config_registry: "https/x" }, looks("npm_config_registry")],
    [{ UV_CACHE_DIR: "./cache" }, looks("UV_CACHE_DIR")],
    [{ PIP_FIND_LINKS: "https://x.example/y ./wheels" }, looks("PIP_FIND_LINKS")],
    [{ GOFLAGS: "-overlay=lib/absent.json" }, looks("GOFLAGS")],
    [{ RUBYOPT: "-Ilib" }, looks("RUBYOPT")],
    [{ DOCKER_CONFIG: "lib" }, looks("DOCKER_CONFIG")],
    [{ PHP_INI_SCAN_DIR: ":lib" }, looks("PHP_INI_SCAN_DIR")],
    [{ MIX_HOME: "../x/.." }, "MIX_HOME has a .. behind another name, which may be a link"],
    [{ CARGO_HOME: ".." }, looks("CARGO_HOME")],
    [{ JAVA_TOOL_OPTIONS: "-Xbootclasspath:/opt/x" }, replaced("-Xbootclasspath")],
    [{ JDK_JAVA_OPTIONS: "--patch-module java.base=/opt/x" }, replaced("--patch-module")],
    [{ MAKEFLAGS: "-C.." }, "MAKEFLAGS names a directory that holds the project"],
    [{ WHERE: ".." }, "WHERE names a directory that holds the project"],
    [{ npm_config_workspace: "a" }, other],
    [{ NODE_OPTIONS: "--watch-path=lib" }, unnamed],
    [{ X: "a\tb" }, "X has a character that cannot be seen"],
    [{ X: "a\nb\u001b" }, "X has a character that cannot be seen"],
    [{ NODE_OPTIONS: "--no-warnings\n" }, "NODE_OPTIONS has a character that cannot be seen"],
    [{ PYTHONPATH: "/opt/x\n" }, "PYTHONPATH has a character that cannot be seen"],
    [{ MAKEFILES: "/opt/x\n" }, "MAKEFILES has a character that cannot be seen"],
  ])("the environment %j cannot be bound", (variables, why) => {
    expect(files({ command: "node", args: ["srv.js"], env: { ...variables } }, texts("srv.js", "lib/readme"))).toBe(
      why,
    );
  });

  const kept = texts("srv.js", "srv.py", "x.txt", "data/srv.js", "data/srv", "data/x.txt", "data/x.db", "data/x.json");
  const orders = { ...texts("data/config.json", "data/x.conf", "data/x.db.js"), "data/package.json": "{}" };

  it.each<[string, Extract<Setting, { command: string }>, readonly string[]]>([
    ["a database", { command: "node", args: ["srv.js", "--db", "./data/x.db"] }, ["srv.js", "data/x.db.js"]],
    ["a variable's", { command: "node", args: ["srv.js"], env: { MEMORY_FILE_PATH: "./data/x.json" } }, ["srv.js"]],
    ["an address", { command: "node", args: ["srv.js", "--url=file:./data/x.json"] }, ["srv.js"]],
    ["one of a package", { command: "uvx", args: ["mcp-server-x", "--path", "data/x.txt"] }, []],
    ["one of a script of uv", { command: "uv", args: ["run", "srv.py", "data/x.txt"] }, ["srv.py"]],
    ["one of a module", { command: "python3", args: ["-u", "-m", "srv", "data/x.txt"] }, ["srv.js", "srv.py"]],
    ["one of a program", { command: "./srv.js", args: ["data/x.txt"] }, ["srv.js"]],
    ["behind a switch", { command: "node", args: ["--no-warnings", "srv.js", "data/x.txt"] }, ["srv.js"]],
  ])("what a server may write is its own: %s", (_what, setting, expected) => {
    const content = { ...kept, ...orders };
    expect(files({ ...setting, sandbox: { write: ["data"] } }, content)).toEqual(expected);
    expect(files({ ...setting, sandbox: { read: ["data"] } }, content)).not.toEqual(expected);
    expect(files({ ...setting, sandbox: { write: ["lib"] } }, content)).not.toEqual(expected);
  });

  it.each<[command: string, args: readonly string[], file: string, env?: Readonly<Record<string, string>>]>([
    ["node", ["./data/srv.js"], "data/srv.js"],
    ["./data/srv", [], "data/srv"],
    ["node", ["data/x.txt"], "data/x.txt"],
    ["bash", ["data/x.txt"], "data/x.txt"],
    ["bash", ["-x", "data/x.txt"], "data/x.txt"],
    ["tsx", ["data/x.txt", "srv.js"], "data/x.txt"],
    ["uv", ["run", "data/x.txt"], "data/x.txt"],
    ["perl", ["data/x.txt", "data/x.db"], "data/x.db"],
    ["npx", ["tsx", "data/x.txt"], "data/x.txt"],
    ["npx", ["-y", "runs-it", "data/x.txt"], "data/x.txt"],
    ["env", ["node", "srv.js", "data/x.txt"], "data/x.txt"],
    ["node", ["-r", "./data/x.json", "srv.js"], "data/x.json"],
    ["node", ["-r", "./srv.js", "-r", "./data/x.txt", "./srv.js"], "data/x.txt"],
    ["node", ["--import=./data/x.json", "srv.js"], "data/x.json"],
    ["node", ["srv.js", "data/srv.js"], "data/srv.js"],
    ["node", ["srv.js", "data/srv"], "data/srv.js"],
    ["node", ["srv.js", "--config", "data/x.json"], "data/x.json"],
    ["node", ["srv.js", "--plugin=data/x.json"], "data/x.json"],
    ["node", ["srv.js", "data/config.json"], "data/config.json"],
    ["node", ["srv.js", "data/x.conf"], "data/x.conf"],
    ["node", ["srv.js", "data"], "data/package.json"],
    ["node", ["srv.js"], "data/x.json", { NODE_OPTIONS: "--require ./data/x.json" }],
    ["node", ["srv.js"], "data/x.txt", { OPENSSL_CONF: "data/x.txt" }],
    ["node", ["srv.js"], "data/x.json", { TS_NODE_PROJECT: "data/x.json" }],
    ["node", ["srv.js"], "data/x.json", { APP_CONFIG: "data/x.json" }],
    ["node", ["srv.js", "x.txt"], "x.txt"],
    ["python3", ["-I", "-m", "srv", "data/x.txt"], "data/x.txt"],
    ["python3", ["-m", "runpy", "data/x.txt"], "data/x.txt"],
    ["python3", ["-m", "srv", "data/x.txt"], "data/x.txt", { PYTHONSAFEPATH: "1" }],
    ["deno", ["run", "-c", "srv.js", "data/x.txt"], "data/x.txt"],
    ["bun", ["srv.js", "data/x.txt"], "data/x.txt"],
    ["node", ["node_modules/tsx/cli.js", "data/x.txt"], "data/x.txt"],
    ["./node_modules/.bin/own-runner", ["data/x.txt"], "data/x.txt"],
    ["node", ["linked.js", "data/x.txt"], "data/x.txt"],
    ["./srv.js", ["bash", "data/x.txt"], "data/x.txt"],
    ["node", ["srv.js", "--", "node data/x.txt"], "data/x.txt"],
    ["uvx", ["x-mcp", "tsx", "data/x.txt"], "data/x.txt"],
    ["./srv.js", ["bash"], "data/x.txt", { STARTS: "data/x.txt" }],
  ])("%s %j is bound to %s though it may write there", (command, args, file, env = {}) => {
    const setting = { command, args: [...args], env: { ...env }, sandbox: { write: ["data"] } };
    const installed = texts("runpy.py", "node_modules/tsx/cli.js", "node_modules/.bin/own-runner", "lib/any.js");
    expect(files(setting, { ...kept, ...orders, ...installed }, {}, links({ "linked.js": "lib/any.js" }))).toContain(
      file,
    );
  });

  it.each<[args: readonly string[], write: string, env?: Readonly<Record<string, string>>]>([
    [["serve"], "."],
    [["serve"], ".."],
    [["-Clib"], "lib"],
    [["-f", "data/x.txt"], "data"],
    [[], "data", { MAKEFILES: "data/x.txt" }],
  ])("make %j could make anew what it reads, where it may write %s", (args, write, env = {}) => {
    const setting = { args: [...args], env: { ...env }, sandbox: { write: [write] } };
    const why = "make could write anew what tells it what to run";
    const content = texts("Makefile", "lib/Makefile", "data/x.txt");
    expect(files({ ...setting, command: "make" }, content)).toBe(why);
    expect(files({ ...setting, command: "nice", args: ["/usr/bin/gmake", ...args] }, content)).toBe(why);
    expect(files({ ...setting, command: "make", sandbox: { write: ["other"] } }, content)).toBeInstanceOf(Array);
  });

  it("a database of any size is its server's own, where that may write it", () => {
    const grow = (workspace: string) => truncateSync(path.join(workspace, "data/x.db"), 20_000_004);
    const setting = { command: "uvx", args: ["mcp-server-sqlite", "--db-path", "data/x.db"] };
    expect(files({ ...setting, sandbox: { write: ["."] } }, texts("data/x.db"), {}, grow)).toEqual([]);
    expect(files(setting, texts("data/x.db"), {}, grow)).toBe(
      '"data/x.db" leads to something that cannot be bound: it has 19.1 MiB, and 16 MiB is the most that is looked at',
    );
  });

  it.each<[command: string, args: readonly string[], expected: readonly string[]]>([
    ["node", ["srv.js", "--filter", '{"a": [1], "b": "$x"}'], ["srv.js"]],
    ["node", ["srv.js", "--include", "src/**/*.ts", "a|b;c", "What's up? (x)"], ["srv.js"]],
    ["node", ["--no-warnings", "srv.js", "postgresql://h/b?ssl=yes"], ["srv.js"]],
    ["node", ["srv.js", '{"plugin":"./lib/x.js"}'], ["srv.js", "lib/x.js"]],
    ["python3", ["srv.py", "*"], ["srv.py"]],
    ["./srv.js", ["--origin", "*"], ["srv.js"]],
    ["uv", ["run", "srv.py", "$x"], ["srv.py"]],
    ["uv", ["run", "--with", "mcp[cli]>=1.2,<2", "srv.py"], ["srv.py"]],
    ["uvx", ["--from", "x-mcp<2", "x-mcp", "$x `y`"], []],
    ["npx", ["-y", "@x/mcp-server@>=1.0.0", "--filter", '{"a":1}'], []],
    ["npx", ["-y", "x-mcp", "--url=mongodb://h/?a=b&c=d", "What's up?"], []],
    ["npx", ["-y", "x-mcp", '{"plugin":"./lib/x.js"}'], ["lib/x.js"]],
    ["python3", ["-m", "srv", "*"], ["srv.js", "srv.py"]],
    ["node_modules/.bin/y-mcp", ["*"], ["node_modules/.bin/y-mcp"]],
  ])("%s %j is given its words as they are", (command, args, expected) => {
    const content = texts("srv.js", "srv.py", "lib/x.js", "node_modules/.bin/y-mcp");
    expect(files({ command, args: [...args] }, content)).toEqual(expected);
  });

  it.each<[command: string, args: readonly string[], odd: string]>([
    ["absent.sh", ["a*b"], "a*b"],
    ["./absent.sh", ["a*b"], "a*b"],
    ["node", ["absent.js", "a*b"], "a*b"],
    ["node", ["-r", "a*b", "srv.js"], "a*b"],
    ["node", ["a*b", "srv.js"], "a*b"],
    ["bash", ["run.sh", "a*b"], "a*b"],
    ["sh", ["-c", "./srv.js a*b"], "./srv.js a*b"],
    ["env", ["node", "srv.js", "a*b"], "a*b"],
    ["timeout", ["5", "./srv.js", "a*b"], "a*b"],
    ["bun", ["srv.js", "a*b"], "a*b"],
    ["perl", ["s.pl", "./e*l.sh|"], "./e*l.sh|"],
    ["ruby", ["s.rb", "|./e*l.sh"], "|./e*l.sh"],
    ["make", ["a*b"], "a*b"],
    ["npm", ["run", "x", "--", "a*b"], "a*b"],
    ["npx", ["-y", "of-nobody", "a*b"], "a*b"],
    ["npx", ["-y", "supergateway", "--stdio", "./e*l.sh"], "./e*l.sh"],
    ["npx", ["-y", "mcp-proxy", "./e*l.sh"], "./e*l.sh"],
    ["npx", ["-y", "tsx", "srv.js", "a*b"], "a*b"],
    ["npx", ["-y", "x-mcp", "$(./x)"], "$(./x)"],
    ["npx", ["-y", "x-mcp", "`./x`"], "`./x`"],
    ["npx", ["-y", "x-mcp", "--plugins", "lib/*.js"], "lib/*.js"],
    ["npx", ["-y", "x-mcp", "bash", "a*b"], "a*b"],
    ["npx", ["-y", "x-mcp", "--stdio", "node e*l.js"], "node e*l.js"],
    ["./srv.js", ["env", "a*b"], "a*b"],
    ["node", ["node_modules/npm/npx-cli.js", "-c", "./e*l.sh"], "./e*l.sh"],
    ["node", ["linked.js", "-c", "./e*l.sh"], "./e*l.sh"],
    ["./linked.js", ["-c", "./e*l.sh"], "./e*l.sh"],
    ["uv", ["run", "sh", "a<b"], "a<b"],
    ["uvx", ["--with", "a;b", "x-mcp"], "a;b"],
  ])("%s %j has a word that could be more than a name", (command, args, odd) => {
    const content = texts("srv.js", "run.sh", "s.pl", "s.rb", "lib/x.js", "node_modules/npm/npx-cli.js");
    expect(files({ command, args: [...args] }, content, {}, links({ "linked.js": "lib/x.js" }))).toBe(more(odd));
  });

  it("a key has lines", () => {
    const env = { PRIVATE_KEY: "-----BEGIN KEY-----\nab/cd+ef==\r\n-----END KEY-----\n", OTHER: "srv.py\n./lib/x.js" };
    const content = texts("srv.js", "srv.py", "lib/x.js");
    expect(files({ command: "node", args: ["srv.js"], env }, content)).toEqual(["srv.js", "srv.py", "lib/x.js"]);
  });

  it("a directory behind a link is none to work in, nor to look into", () => {
    const content = texts("deep/er/srv.js", "deep/er/srv.py", "deep/node_modules/pkg/index.js");
    const prepare = links({ sub: "deep/er" });
    const words = ["-r", "pkg", "srv.js"];
    expect(files({ command: "node", args: words, cwd: "sub" }, content, {}, prepare)).toBe(
      "its directory is a link, or lies behind one",
    );
    expect(files({ command: "uv", args: ["--directory", "sub", "run", "srv.py"] }, content, {}, prepare)).toBe(
      "it names a directory that is a link, or lies behind one",
    );
    expect(files({ command: "node", args: ["deep/er/srv.js", "sub"] }, content, {}, prepare)).toEqual([
      "deep/er/srv.js",
      "sub/srv.js",
    ]);
    expect(files({ command: "python3", args: ["x.py"], cwd: ".." }, content)).toBe("its directory holds the project");
  });

  it("a program of the project that is a link to one of the machine goes by that one's name", () => {
    const prepare = links({ tool: "/usr/bin/env" });
    expect(files({ command: "./tool", args: ["-C", "lib", "x"] }, {}, { PATH: "/usr/bin" }, prepare)).toBe(env);
  });

  const unread = (why: string) => `a package.json that its words lead to cannot be read: ${why}`;
  it.each<[string, string, string | readonly string[]]>([
    ["is no JSON to us, and has a main to a runtime", '{"main":"m.js","x":bogus}', unread("it is no plain JSON")],
    ["has a comment", '{"main":"m.js"} // main', unread("it is no plain JSON")],
    ["is no object", "[]", unread("it is no object")],
    ["lost a letter", '{"main":"\ufffd.js"}', unread("it is no text")],
    ["is large", JSON.stringify({ x: "x".repeat(256 * 1024) }), unread("it is larger than 256 KiB")],
    [
      "has many names",
      JSON.stringify({ exports: Object.fromEntries(many(1_000, (at) => [`./k${at}*`, "./a"])) }),
      unread("it names too much"),
    ],
    [
      "has many targets",
      JSON.stringify({ exports: { "./*": many(1_000, (at) => `./${at}`) } }),
      unread("it names too much"),
    ],
    ["has a target that grows", JSON.stringify({ exports: { "./*": "./*/*.js" } }), unread("it names too much")],
    [
      "has a long target",
      JSON.stringify({ exports: { "./*": `./${"x".repeat(4_096)}` } }),
      unread("it names too much"),
    ],
    ["is deep", `{"exports":${"[".repeat(50)}${"]".repeat(50)}}`, unread("it names too much")],
    [
      "has a few names",
      JSON.stringify({ exports: Object.fromEntries(many(100, (at) => [`./k${at}*`, "./m.js"])) }),
      ["s/package.json"],
    ],
  ])("a description that %s", (_what, text, expected) => {
    expect(files({ command: "node", args: ["s"] }, { "s/package.json": text, "s/m.js": "" })).toEqual(expected);
  });

  it("cost a bounded number of looks, however much is named in however many directories", () => {
    const exports = Object.fromEntries(many(240, (at) => [`./k${at}*`, "./a"]));
    const imports = { "#x": many(240, (at) => `pack${at}`) };
    const text = JSON.stringify({ name: "p", exports, imports });
    let looked = 0;
    const binding = serverFiles(
      { command: "node", cwd: "d/".repeat(200), args: [...many(90, (at) => `p/k${at}`), ...many(90, () => "#x")] },
      {
        workspace: "/ws",
        environment: {},
        readText: (file) => (file === "/ws/package.json" ? text : undefined),
        hashFile: () => {
          looked += 1;
          return undefined;
        },
      },
    );
    expect(binding).toEqual({ ok: false, why: "it has too many words" });
    expect(looked).toBeLessThan(20_000);
  });

  it("are not looked for in a line of thousands of words", () => {
    const line = many(5_001, () => "-v").join(" ");
    expect(files({ command: "sh", args: ["-c", `docker run ${line}`] }, {})).toBe("it has too many words");
  });

  it("never tells what a variable holds", () => {
    const why = files({ command: "x", args: ["--key", "${KEY}"] }, { "s3cret/index.js/x": "" }, { KEY: "s3cret" });
    expect(why).toBe('"${KEY}" leads to something that cannot be bound: it is a directory');
    const content = { "s3cret/package.json": "{} //" };
    expect(files({ command: "x", args: ["--key", "${KEY}"] }, content, { KEY: "s3cret" })).toBe(
      "a package.json that its words lead to cannot be read: it is no plain JSON",
    );
  });

  it("say which file is in the way", () => {
    const node = { command: "node", args: ["srv"], cwd: "lib" };
    const content = texts("srv.js", "lib/srv.js");
    expect(files(node, { ...content, "package.json": "{} //" })).toBe(
      "package.json cannot be read: it is no plain JSON",
    );
    expect(files(node, { ...content, "lib/package.json": "[]" })).toBe(
      "lib/package.json cannot be read: it is no object",
    );
    const grow = (workspace: string) => truncateSync(path.join(workspace, "srv.js"), 20_000_004);
    expect(files({ command: "./srv.js" }, content, {}, grow)).toBe(
      '"./srv.js" leads to something that cannot be bound: it has 19.1 MiB, and 16 MiB is the most that is looked at',
    );
    expect(
      files({ command: "npm", args: ["run", "x"] }, content, {}, (workspace) => mkdirSync(`${workspace}/.npmrc`)),
    ).toEqual([]);
  });

  it("are hashed again when the environment leads elsewhere", () => {
    const content = {
      [paths.mcp]: mcp({ a: { command: "node", args: ["${WHICH}"] } }),
      "/ws/a.js": "1",
      "/ws/b.js": "2",
    };
    const [one, two] = ["a.js", "b.js"].map((WHICH) => {
      const outcome = loadSettings({
        workspace: "/ws",
        home: "/home/ann",
        managedPath: "/etc/policy.json",
        commandLine: {},
        environment: { WHICH },
        ...filePorts(content),
      });
      return outcome.ok ? outcome.value.untrusted[0]?.hash : undefined;
    });
    expect(one).toMatch(hashShape);
    expect(two).not.toBe(one);
  });
});
