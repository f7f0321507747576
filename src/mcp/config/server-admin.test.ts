// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ok } from "../../contract/codes.ts";
import type { ServerEntry } from "../../contract/server/server.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import { findFile } from "../../host/state/trust.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { settingsPaths } from "../../settings/settings-paths.ts";
import { examineServers } from "./list-servers.ts";
import type { ServerActions } from "./server-actions.ts";
import { createServerAdmin } from "./server-admin.ts";

function makeDesk(reach: Partial<ServerActions> = {}) {
  const root = mkdtempSync(path.join(os.tmpdir(), "gauntlet-desk-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const places = { workspace: path.join(root, "ws"), home: root, gauntletHome: path.join(root, "state") };
  mkdirSync(places.workspace);
  const managedPath = path.join(root, "policy.json");
  const paths = settingsPaths({ ...places, managedPath });
  const forgotten: ServerEntry[] = [];
  const settings = () =>
    loadSettings({ ...places, managedPath, commandLine: {}, readText: readSmallText, findFile, environment: {} });
  const desk = createServerAdmin({
    settings,
    paths,
    readText: readSmallText,
    environment: {},
    workspace: places.workspace,
    exists: existsSync,
    actions: async () => ({
      test: async ({ name, origin }) => {
        const status = { name, origin, state: "ready", transport: "stdio", tools: 0 } as const;
        return ok({ status, tools: [], changed: [], resources: [], prompts: [], problems: [] });
      },
      accept: async ({ name }, { tool = "all" }) => ok([{ name: `${name} ${tool}`, diff: "" }]),
      login: async () => ok({ kept: "somewhere" }),
      shown: async ({ command }) => ok([command]),
      unshown: async ({ origin }) => ok([origin]),
      forgetLogin: () => ok(undefined),
      forget: (entry) => {
        forgotten.push(entry);
        return ok(undefined);
      },
      lastKnown: () => undefined,
      lastFailure: () => undefined,
      named: () => ok([{ name: "elsewhere", setting: { command: "x" }, origin: "/some/servers.json" }]),
      fetches: () => undefined,
      loginKept: () => undefined,
      ...reach,
    }),
  });
  const trust = (hash: string | undefined) => {
    mkdirSync(path.dirname(paths.trust), { recursive: true });
    writeFileSync(paths.trust, JSON.stringify({ trusted: [hash] }));
  };
  return { desk, paths, settings, trust, forgotten };
}

describe("the desk for servers", () => {
  it("writes into the person's own settings, and takes it out again", async () => {
    const { desk, paths } = makeDesk();
    mkdirSync(path.dirname(paths.user));
    const before = '{ "permissions": {"deny": ["Bash(rm:*)"]},\n\n    "features":{}\n}';
    writeFileSync(paths.user, before);
    const setting = { command: "x", args: ["${A:-1}"] };
    expect(desk.add("docs", setting, "user")).toEqual(ok({ file: paths.user, scope: "user", setting, notes: [] }));
    expect(JSON.parse(readFileSync(paths.user, "utf8"))).toEqual({
      ...JSON.parse(before),
      mcpServers: { docs: setting },
    });
    expect(await desk.list()).toMatchObject(
      ok([
        {
          name: "docs",
          scope: "user",
          transport: "stdio",
          target: "x ${A:-1}",
          origin: paths.user,
          trust: "own",
          inForce: true,
        },
      ]),
    );
    expect(await desk.remove("docs")).toEqual(ok({ file: paths.user, scope: "user" }));
    expect(JSON.parse(readFileSync(paths.user, "utf8"))).toEqual({ ...JSON.parse(before), mcpServers: {} });
  });

  it("makes the files that are not there, private for the person and readable for the project", () => {
    const { desk, paths } = makeDesk();
    desk.add("a", { command: "x" }, "user");
    desk.add("b", { type: "http", url: "https://x.example" }, "project");
    const modeOf = (file: string) => (lstatSync(file).mode & 0o777).toString(8);
    expect([modeOf(paths.user), modeOf(paths.mcp)]).toEqual(["600", "644"]);
    expect(JSON.parse(readFileSync(paths.mcp, "utf8"))).toEqual({
      mcpServers: { b: { type: "http", url: "https://x.example" } },
    });
  });

  it("takes an empty file for none", () => {
    const { desk, paths } = makeDesk();
    writeFileSync(paths.mcp, "", { mode: 0o444 });
    desk.add("b", { command: "x" }, "project");
    expect(lstatSync(paths.mcp).mode & 0o777).toBe(0o644);
    expect(JSON.parse(readFileSync(paths.mcp, "utf8"))).toEqual({ mcpServers: { b: { command: "x" } } });
  });

  it("refuses what is there already, a name that does not fit, a broken file and a link", () => {
    const { desk, paths } = makeDesk();
    const add = (name = "a") => {
      const added = desk.add(name, { command: "x" }, "project");
      return added.ok ? "added" : added.failure.message;
    };
    expect(add()).toBe("added");
    expect(add()).toBe(`${paths.mcp} already has a server named a.`);
    expect(add("a b")).toContain("a server's name has letters");
    writeFileSync(paths.mcp, '{"mcpServers":[]}');
    expect(add()).toContain("mcpServers: expected an object");
    expect(readFileSync(paths.mcp, "utf8")).toBe('{"mcpServers":[]}');
    rmSync(paths.mcp);
    symlinkSync(paths.user, paths.mcp);
    expect(add()).toBe(`${paths.mcp} is a link; links are not followed.`);
  });

  it("starts what is in force and nothing else", async () => {
    const { desk, paths, trust } = makeDesk();
    const options = { signal: new AbortController().signal };
    desk.add("mine", { command: "x" }, "user");
    desk.add("theirs", { command: "y" }, "project");
    expect(await desk.test("mine", options)).toMatchObject(ok({ status: { name: "mine" } }));
    expect(await desk.test("theirs", options)).toEqual({
      ok: false,
      failure: {
        code: "policy_denied",
        message: `The server theirs of ${paths.mcp} is not started: it is not trusted yet.`,
        recovery: "Review and trust it: gauntlet trust",
      },
    });
    expect(await desk.test("other", options)).toMatchObject({ failure: { recovery: "Configured servers: mine." } });
    const listed = await desk.list();
    const theirs = listed.ok ? listed.value.find(({ name }) => name === "theirs") : undefined;
    expect(theirs).toMatchObject({ trust: "untrusted", inForce: false, detail: "it is not trusted yet" });
    trust(theirs?.hash);
    expect(await desk.test("theirs", options)).toMatchObject(ok({ status: { name: "theirs" } }));
    expect(await desk.list()).toMatchObject(
      ok([
        { name: "theirs", trust: "trusted" },
        { name: "mine", trust: "own" },
      ]),
    );
  });

  it("logs in only where there is something to log in to, and forgets it with the server", async () => {
    const { desk, forgotten } = makeDesk();
    const options = { show: () => {}, signal: new AbortController().signal };
    desk.add("far", { type: "http", url: "https://x.example" }, "user");
    desk.add("near", { command: "x" }, "user");
    expect(await desk.login("far", options)).toEqual(ok({ kept: "somewhere" }));
    expect(await desk.login("near", options)).toMatchObject({ ok: false, failure: { code: "bad_request" } });
    await desk.remove("near");
    await desk.remove("far");
    expect(forgotten.map(({ name }) => name)).toEqual(["near", "far"]);
  });

  it("says where it stands when it cannot tell which is meant, or may not change it", async () => {
    const { desk, paths } = makeDesk();
    desk.add("a", { command: "x" }, "user");
    desk.add("a", { command: "y" }, "project");
    writeFileSync(paths.managed, JSON.stringify({ mcpServers: { company: { command: "z" } } }));
    const refusal = async (name: string) => {
      const removed = await desk.remove(name);
      return removed.ok ? "removed" : removed.failure.message;
    };
    expect(await refusal("a")).toBe("a is defined in the project's .mcp.json and in your settings.");
    expect(await desk.remove("a", "project")).toEqual(ok({ file: paths.mcp, scope: "project" }));
    expect(await refusal("company")).toBe(
      `company is defined in ${paths.managed}, which this command does not change.`,
    );
    expect(await refusal("nobody")).toBe("No MCP server is named nobody.");
  });

  it("keeps what is for one person in one project with the person, and needs no trust for it", async () => {
    const { desk, paths, settings } = makeDesk();
    expect(desk.add("mine", { command: "./serve.sh" }, "local")).toMatchObject(ok({ file: paths.userProject }));
    expect(lstatSync(paths.userProject).mode & 0o777).toBe(0o600);
    expect(settings()).toMatchObject(ok({ servers: [{ name: "mine", origin: paths.userProject }], notices: [] }));
    expect(await desk.list()).toMatchObject(ok([{ name: "mine", scope: "local", trust: "own", inForce: true }]));
    expect(await desk.remove("mine")).toEqual(ok({ file: paths.userProject, scope: "local" }));
    expect(await desk.list()).toEqual(ok([]));
  });

  it("lists what is broken with the reason, names it when it is tested, and takes it out", async () => {
    const { desk, paths, settings } = makeDesk();
    writeFileSync(paths.mcp, '{"mcpServers":{"bad":{"command":7},"good":{"command":"x"}}}');
    desk.add("lacking", { command: "x", env: { K: "${NOT_SET_HERE}" } }, "user");
    const problem = `${paths.mcp}:1:33: mcpServers.bad.command: Invalid input: expected string, received number`;
    const rows = await desk.list();
    expect(
      rows.ok && rows.value.map(({ name, inForce, broken, detail }) => ({ name, inForce, broken, detail })),
    ).toEqual([
      {
        name: "lacking",
        inForce: false,
        broken: true,
        detail: `NOT_SET_HERE is not set in the environment. Set NOT_SET_HERE, or write \${NOT_SET_HERE:-default} in ${paths.user}.`,
      },
      { name: "good", inForce: false, broken: undefined, detail: "it is not trusted yet" },
      { name: "bad", inForce: false, broken: true, detail: problem },
    ]);
    expect(await desk.test("bad", { signal: new AbortController().signal })).toEqual({
      ok: false,
      failure: {
        code: "bad_request",
        message: `The entry of the server bad is invalid:\n${problem}`,
        recovery: `Fix the entry in ${paths.mcp}, or remove it.`,
      },
    });
    const loaded = settings();
    expect(loaded.ok && examineServers(loaded.value, {}).detail).toContain(problem);
    expect(await desk.remove("bad")).toEqual(ok({ file: paths.mcp, scope: "project" }));
    expect(JSON.parse(readFileSync(paths.mcp, "utf8"))).toEqual({ mcpServers: { good: { command: "x" } } });
  });

  it("takes out of one file what it can, whatever is wrong with another", async () => {
    const { desk, paths } = makeDesk();
    desk.add("a", { command: "x" }, "user");
    writeFileSync(paths.mcp, "{");
    expect(await desk.remove("a")).toEqual(ok({ file: paths.user, scope: "user" }));
    const message = `No MCP server is named b. It may be in a file that cannot be read:\n${paths.mcp}:1:2: expected a key in double quotes`;
    expect(await desk.get("b")).toMatchObject({ failure: { message } });
    expect(await desk.remove("b")).toMatchObject({
      failure: { message, recovery: "Fix that file, or move it aside." },
    });
    expect(await desk.test("b", { signal: new AbortController().signal })).toMatchObject({ failure: { message } });
    expect(await desk.list()).toEqual(ok([]));
  });

  it("tests what a file has that the person names, before what the settings have", async () => {
    const { desk } = makeDesk();
    desk.add("a", { command: "x" }, "user");
    const signal = new AbortController().signal;
    const originOf = async (name: string, file?: string) => {
      const tested = await desk.test(name, { signal, ...(file === undefined ? {} : { file }) });
      return tested.ok ? path.basename(tested.value.status.origin) : tested.failure.message;
    };
    expect(await originOf("elsewhere")).toBe("No MCP server is named elsewhere.");
    expect(await originOf("elsewhere", "servers.json")).toBe("servers.json");
    expect(await originOf("a", "servers.json")).toBe("settings.json");
  });

  it.each(["https://api.example.com/x", "", "*", "a b", "x.example:0", "${HOST}"])(
    "does not write down %j as a host",
    (host) => {
      const { desk, paths } = makeDesk();
      const setting = { command: "x", sandbox: { network: ["x.example", "*.x.example:8443", host] } };
      const refused = {
        code: "bad_request",
        message: `${JSON.stringify(host)} is not a valid host.`,
        recovery: "Use a host name such as api.example.com, *.example.com or api.example.com:8443.",
      };
      expect(desk.add("a", setting, "local")).toEqual({ ok: false, failure: refused });
      expect(desk.addJson("a", JSON.stringify(setting), "local")).toEqual({ ok: false, failure: refused });
      expect(existsSync(paths.userProject)).toBe(false);
    },
  );

  it.each<[scope: "local" | "project" | "user", notes: readonly string[]]>([
    ["local", ["notyet", "/nowhere/at/all"]],
    ["project", ["notyet", "/nowhere/at/all"]],
    ["user", ["/nowhere/at/all"]],
  ])("says at once which directories are not there (%s)", (scope, absent) => {
    const { desk } = makeDesk();
    const setting = { command: "x", sandbox: { read: ["~/x", "/"], write: ["notyet", "/nowhere/at/all"] } };
    const added = desk.add("a", setting, scope);
    const notes = added.ok ? added.value.notes : [];
    expect(notes.filter((note) => note.includes("does not exist"))).toEqual(
      absent.map((one) => `${one} does not exist, and the server does not start without it`),
    );
  });

  it("writes down an entry as descriptions have it", () => {
    const { desk, paths } = makeDesk();
    const add = (text: string, name = "docs") => {
      const added = desk.addJson(name, text, "local");
      return added.ok ? { setting: added.value.setting, notes: added.value.notes } : added.failure.message;
    };
    const far = { type: "http", url: "https://x.example" };
    expect(add('{"url":"https://x.example","disabledTools":[]}')).toEqual({
      setting: far,
      notes: ['"disabledTools" is not supported and was left out'],
    });
    expect(add('{"mcpServers":{"some":{"command":"x","args":["-y"]}}}', "b")).toEqual({
      setting: { command: "x", args: ["-y"] },
      notes: [],
    });
    expect(add('{"c":{"command":"x"}}', "c")).toEqual({ setting: { command: "x" }, notes: [] });
    expect(Object.keys(JSON.parse(readFileSync(paths.userProject, "utf8")).mcpServers)).toEqual(["docs", "b", "c"]);
    expect(add('{"command":7,"env":{"KEY":"s3cret"}}', "d")).toBe(
      "The entry is not a valid server.\nd.command: Invalid input: expected string, received number",
    );
    expect(add('{"command":"x","env":{"KEY":"s3cret"', "d")).toBe(
      "The entry is not valid JSON: expected ',' or '}' after the value (line 1, column 37).",
    );
    expect(add('{"command":"x"}', "docs")).toBe(`${paths.userProject} already has a server named docs.`);
  });

  it("tells everything about one server but its secrets", async () => {
    const { desk, paths } = makeDesk({ loginKept: () => "the system's keychain" });
    const setting = {
      command: "npx",
      args: ["server", "--api-key", "s3cret-1", "--token=s3cret-2", "https://ann:s3cret-3@x.example/?k=s3cret-4"],
      env: { KEY: "${KEY}", LEVEL: "s3cret-5" },
      cwd: "sub",
      sandbox: { write: ["out"] },
    };
    desk.add("a", setting, "local");
    desk.add("a", { type: "http", url: "https://x.example/mcp", headers: { "X-Key": "s3cret-6" } }, "user");
    const got = await desk.get("a");
    expect(JSON.stringify(got)).not.toContain("s3cret");
    expect(got).toEqual(
      ok([
        {
          name: "a",
          scope: "local",
          transport: "stdio",
          target: "npx server --api-key … --token=… https://…@x.example/?k=…",
          origin: paths.userProject,
          trust: "own",
          inForce: false,
          broken: true,
          detail: expect.stringContaining("KEY is not set in the environment"),
          given: [{ name: "KEY", from: [{ variable: "KEY", set: false }] }, { name: "LEVEL" }],
          sandbox: [
            "network: only the package registry",
            "may read: the workspace without its secrets, the paths that its command names",
            "may write: out",
          ],
          options: ["works in: sub"],
        },
        {
          name: "a",
          scope: "user",
          transport: "http",
          target: "https://x.example/mcp",
          origin: paths.user,
          trust: "own",
          inForce: false,
          detail: `${paths.userProject} has a server of the same name`,
          given: [{ name: "X-Key" }],
          options: [],
          login: "the system's keychain",
        },
      ]),
    );
    expect(await desk.get("b")).toMatchObject({ ok: false, failure: { message: "No MCP server is named b." } });
  });

  it("switches a server off and on where it stands, and touches nothing else there", async () => {
    const { desk, paths, settings } = makeDesk();
    desk.add("a", { command: "x" }, "user");
    desk.add("b", { command: "y", args: ["1"] }, "user");
    const before = readFileSync(paths.user, "utf8");
    const inForce = () => {
      const loaded = settings();
      return loaded.ok && loaded.value.servers.map(({ name }) => name);
    };
    const at = { file: paths.user, scope: "user" };
    expect(desk.switch("b", { on: true })).toEqual(ok({ ...at, changed: false }));
    expect(desk.switch("b", { on: false })).toEqual(ok({ ...at, changed: true }));
    expect(desk.switch("b", { on: false })).toEqual(ok({ ...at, changed: false }));
    expect(JSON.parse(readFileSync(paths.user, "utf8")).mcpServers.b).toEqual({
      command: "y",
      args: ["1"],
      disabled: true,
    });
    expect(inForce()).toEqual(["a"]);
    const listed = await desk.list();
    expect(listed.ok && listed.value.map(({ name, disabled }) => [name, disabled])).toEqual([
      ["a", undefined],
      ["b", true],
    ]);
    expect(await desk.test("b", { signal: new AbortController().signal })).toMatchObject({
      failure: { recovery: "Enable it: gauntlet mcp enable b" },
    });
    expect(desk.switch("b", { on: true })).toEqual(ok({ ...at, changed: true }));
    expect(readFileSync(paths.user, "utf8")).toBe(before);
    expect(inForce()).toEqual(["a", "b"]);
  });

  it("switches what says that it is not off, and asks which of several is meant", async () => {
    const { desk, paths } = makeDesk();
    writeFileSync(paths.mcp, '{"mcpServers":{"a":{"command":"x","disabled":false},"odd":7}}');
    expect(desk.switch("a", { on: false })).toEqual(ok({ file: paths.mcp, scope: "project", changed: true }));
    const switched = { mcpServers: { a: { command: "x", disabled: true }, odd: 7 } };
    expect(readFileSync(paths.mcp, "utf8")).toBe(`${JSON.stringify(switched, null, 2)}\n`);
    const refusal = (...given: Parameters<typeof desk.switch>) => {
      const switched = desk.switch(...given);
      return switched.ok ? "switched" : `${switched.failure.message} ${switched.failure.recovery}`;
    };
    desk.add("a", { command: "y" }, "local");
    expect(refusal("a", { on: true })).toBe(
      "a is defined in your settings for this project and in the project's .mcp.json. Choose one: --scope local or --scope project.",
    );
    expect(refusal("a", { on: true, scope: "project" })).toBe("switched");
    expect(refusal("odd", { on: false })).toContain("mcpServers.odd: expected an object");
    expect(refusal("nobody", { on: false })).toContain("No MCP server is named nobody.");
    writeFileSync(paths.managed, JSON.stringify({ mcpServers: { company: { command: "z" } } }));
    expect(refusal("company", { on: false })).toBe(
      `company is defined in ${paths.managed}, which this command does not change. Change "disabled" in that file yourself.`,
    );
  });

  it("forgets a login of every entry of the name, in force or not", async () => {
    const asked: string[] = [];
    const { desk } = makeDesk({
      loginKept: ({ origin }) => (origin.startsWith("/some/") ? undefined : "the system's keychain"),
      forgetLogin: ({ setting }) => {
        asked.push("url" in setting ? setting.url : setting.command);
        return ok(undefined);
      },
    });
    desk.add("far", { type: "http", url: "https://x.example" }, "user");
    desk.add("far", { type: "http", url: "https://y.example", disabled: true }, "local");
    desk.add("near", { command: "x" }, "user");
    desk.add("open", { type: "http", url: "https://${NOT_SET_HERE}" }, "user");
    expect(await desk.logout("far", {})).toEqual(ok({ from: ["the system's keychain"] }));
    expect(asked.toSorted()).toEqual(["https://x.example", "https://y.example"]);
    const refusal = async (name: string, file?: string) => {
      const done = await desk.logout(name, file === undefined ? {} : { file });
      return done.ok ? "done" : done.failure.message;
    };
    expect(await refusal("near")).toBe("near is a local program and needs no login.");
    expect(await refusal("elsewhere", "/some/servers.json")).toContain("elsewhere is a local program");
    expect(await refusal("open")).toContain("NOT_SET_HERE is not set");
    expect(await refusal("nobody")).toBe("No MCP server is named nobody.");
    expect(asked).toHaveLength(2);
  });

  it("knows for the doctor what is missing", () => {
    const { desk, settings } = makeDesk();
    desk.add("a", { command: "x", env: { K: "${NOT_SET_HERE}" } }, "user");
    desk.add("b", { command: "x" }, "project");
    const loaded = settings();
    expect(loaded.ok && examineServers(loaded.value, {})).toMatchObject({
      state: "warning",
      detail: expect.stringMatching(/^none active\nnot trusted: 1\nMCP server a .*NOT_SET_HERE is not set/),
    });
    expect(loaded.ok && examineServers(loaded.value, { NOT_SET_HERE: "1" })).toMatchObject({
      state: "ok",
      fix: "gauntlet trust",
    });
  });
});
