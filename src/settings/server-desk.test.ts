// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ok } from "../contract/codes.ts";
import type { ServerEntry } from "../contract/server.ts";
import type { ServerReach } from "../contract/server-desk.ts";
import { hashFile } from "../host/hash-file.ts";
import { readSmallText } from "../host/read-small-text.ts";
import { examineServers } from "./examine-servers.ts";
import { loadSettings } from "./load-settings.ts";
import { createServerDesk } from "./server-desk.ts";
import { settingsPaths } from "./settings-paths.ts";

function makeDesk(reach: Partial<ServerReach> = {}) {
  const root = mkdtempSync(path.join(os.tmpdir(), "gauntlet-desk-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const places = { workspace: path.join(root, "ws"), home: root, gauntletHome: path.join(root, "state") };
  mkdirSync(places.workspace);
  const managedPath = path.join(root, "policy.json");
  const paths = settingsPaths({ ...places, managedPath });
  const forgotten: ServerEntry[] = [];
  const settings = () =>
    loadSettings({ ...places, managedPath, commandLine: {}, readText: readSmallText, hashFile, environment: {} });
  const desk = createServerDesk({
    settings,
    paths,
    readText: readSmallText,
    reach: async () => ({
      test: async ({ name, origin }) => {
        const status = { name, origin, state: "ready", transport: "stdio", tools: 0 } as const;
        return ok({ status, tools: [], resources: [], prompts: [], problems: [] });
      },
      login: async () => ok({ kept: "somewhere" }),
      forget: (entry) => {
        forgotten.push(entry);
        return ok(undefined);
      },
      lastKnown: () => undefined,
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
    expect(desk.add("docs", { command: "x", args: ["${A}"] }, "user")).toEqual(ok({ file: paths.user }));
    expect(readFileSync(paths.user, "utf8")).toBe(
      before.replace(
        '"features":{}\n',
        '"features":{},\n    "mcpServers": {\n        "docs": {\n            "command": "x",\n            "args": [\n                "${A}"\n            ]\n        }\n    }\n',
      ),
    );
    expect(await desk.list()).toMatchObject(
      ok([{ name: "docs", transport: "stdio", target: "x ${A}", origin: paths.user, trust: "own", inForce: true }]),
    );
    expect(await desk.remove("docs")).toEqual(ok({ file: paths.user }));
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
    expect(add()).toBe(`${paths.mcp} has a server named a already.`);
    expect(add("a b")).toContain("a server's name has letters");
    writeFileSync(paths.mcp, '{"mcpServers":{"z":7}}');
    expect(add()).toContain("mcpServers.z");
    expect(readFileSync(paths.mcp, "utf8")).toBe('{"mcpServers":{"z":7}}');
    rmSync(paths.mcp);
    symlinkSync(paths.user, paths.mcp);
    expect(add()).toBe(`${paths.mcp} is a link, and is not written through.`);
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
        message: `The server theirs of ${paths.mcp} is not started: nobody trusts it yet.`,
        recovery: "Look at it and decide: gauntlet trust",
      },
    });
    expect(await desk.test("other", options)).toMatchObject({ failure: { recovery: "There are: mine." } });
    const listed = await desk.list();
    const theirs = listed.ok ? listed.value.find(({ name }) => name === "theirs") : undefined;
    expect(theirs).toMatchObject({ trust: "untrusted", inForce: false, detail: "nobody trusts it yet" });
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
    expect(forgotten.map(({ name }) => name)).toEqual(["far"]);
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
    expect(await refusal("a")).toBe("a stands in your settings and in the project's .mcp.json.");
    expect(await desk.remove("a", "project")).toEqual(ok({ file: paths.mcp }));
    expect(await refusal("company")).toBe(`company stands in ${paths.managed}, which this command does not change.`);
    expect(await refusal("nobody")).toBe("There is no MCP server named nobody.");
  });

  it("knows for the doctor what is missing", () => {
    const { desk, settings } = makeDesk();
    desk.add("a", { command: "x", env: { K: "${NOT_SET_HERE}" } }, "user");
    desk.add("b", { command: "x" }, "project");
    const loaded = settings();
    expect(loaded.ok && examineServers(loaded.value, {})).toMatchObject({
      state: "warning",
      detail: expect.stringMatching(/^in force: a\nnot trusted: 1\nMCP server a .*NOT_SET_HERE is not set/),
    });
    expect(loaded.ok && examineServers(loaded.value, { NOT_SET_HERE: "1" })).toMatchObject({
      state: "ok",
      fix: "gauntlet trust",
    });
  });
});
