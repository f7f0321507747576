// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { describe, expect, it } from "vitest";
import { filePorts, hashShape, loaded, paths } from "../../test/support/settings.ts";
import { loadSettings } from "./load-settings.ts";

const mcp = (mcpServers: unknown) => ({ mcpServers });
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
      ["docs", "disabled", "it is disabled in that file"],
      ["docs", "overridden", `${paths.userProject} has a server of the same name`],
      ["company", "overridden", `${paths.managed} has a server of the same name`],
    ]);
    expect(settings.notices).toEqual([
      `MCP server docs of ${paths.user} is not used: ${paths.userProject} has a server of the same name.`,
      `MCP server company of ${paths.user} is not used: ${paths.managed} has a server of the same name.`,
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
      `${settings.brokenServers[0]?.problem}. This MCP server is ignored until you fix or remove its entry.`,
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
    const details = (words: string, names: Readonly<Record<string, string>>, others = {}, more = {}) => {
      const trust = { trusted: Object.keys(names), names, ...more };
      const files = { [paths.mcp]: mcp({ docs: server, ...others }), "/ws/serve.sh": words, [paths.trust]: trust };
      return loaded({ files }).idleServers.map(({ entry, detail }) => [entry.name, detail]);
    };
    const hash = loaded({ files: { [paths.mcp]: mcp({ docs: server }), "/ws/serve.sh": "#!/bin/sh\n" } }).untrusted[0]
      ?.hash;
    const was = { [hash ?? ""]: "mcp server docs: ./serve.sh" };
    expect(details("#!/bin/sh\n", was)).toEqual([]);
    expect(details("#!/bin/sh\nexit\n", was, { doc: { command: "x" } })).toEqual([
      ["docs", "it changed since it was trusted (its entry, or a file that it covers)"],
      ["doc", "it is not trusted yet"],
    ]);
    expect(details("#!/bin/sh\nexit\n", { [hash ?? ""]: "skill docs: x" })).toEqual([
      ["docs", "it is not trusted yet"],
    ]);
    const other = `sha256:${"0".repeat(64)}`;
    const earlier = { bound: { [other]: [["serve.sh", "0"]] } };
    expect(details("#!/bin/sh\n", { [other]: "mcp server docs: ./serve.sh" }, {}, earlier)).toEqual([
      ["docs", expect.stringContaining("earlier version")],
    ]);
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
    const trust = { trusted: [hash], names: { [hash]: "mcp server docs: ./serve.sh" }, files: { [hash]: bound } };
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
        notCovered: expect.any(String),
      },
    ]);
    expect(settings.idleServers).toEqual([
      {
        entry: { name: "docs", setting: server, origin: paths[place] },
        because: "untrusted",
        detail: "it is not trusted yet",
        hash: settings.untrusted[0]?.hash,
      },
    ]);
    expect(settings.notices).toEqual([
      "Not trusted and not in effect in this project: 1 MCP server. `gauntlet trust` lists them.",
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
      'may use your model; asks each time: {"maxTokens":7}',
    ]);
    const fetched = loaded({ files: { [paths.mcp]: mcp({ a: { command: "npx", args: ["-y", "pkg"] } }) } });
    expect(fetched.untrusted[0]?.lines).toContain("network: only the package registry");
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
      `MCP server docs of ${paths.user} is not used: ${paths.mcp} has a server of the same name.`,
    ]);
  });

  it.each<[string, unknown, string]>([
    ["the home directory", { command: "x", sandbox: { read: ["~"] } }, "which contains the home directory"],
    ["all of it", { command: "x", sandbox: { write: ["/"] } }, "which contains the home directory"],
    ["our state", { command: "x", sandbox: { read: ["~/.gauntlet/credentials"] } }, "the state directory of Gauntlet"],
  ])("can never be trusted with %s", (_what, setting, why) => {
    const [item] = loaded({ files: { [paths.mcp]: mcp({ a: setting }) } }).untrusted;
    expect(item?.refused).toContain(why);
    const pinned = loaded({ files: { [paths.mcp]: mcp({ a: setting }) }, commandLine: { trust: [item?.hash ?? ""] } });
    expect(pinned.servers).toEqual([]);
  });

  it("cannot drive the terminal that shows them", () => {
    expect(texts({ [paths.mcp]: mcp({ a: { command: "x\u001b[2J\n", args: ["\u202e"] } }) })).toEqual([
      'a: x\\u{1b}[2J\\n "\\u{202e}" (network: none; may read: the workspace without its secrets; may write: none)',
    ]);
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
