// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { Outcome } from "../../src/contract/codes.ts";
import type { StdioServer } from "../../src/contract/server/server.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

const signal = new AbortController().signal;
const own = "own";

/** A project with one server, and a person who decides about it. */
function project(
  setting: (workspace: Workspace) => StdioServer,
  prepare: (workspace: Workspace) => unknown = () => {},
) {
  const workspace = makeWorkspace({ "serve.js": "as trusted", "sub/deep/inner.js": "", "sub/other.js": "as trusted" });
  prepare(workspace);
  workspace.write(".mcp.json", JSON.stringify({ mcpServers: { [own]: setting(workspace) } }));
  const app = unwrap(
    createApp({
      cwd: workspace.root,
      home: workspace.home,
      gauntletHome: workspace.state,
      environment: { PATH: process.env.PATH, HOME: workspace.home, WHICH: "serve.js" },
    }),
  );
  onTestFinished(() => app.close());
  const item = () => unwrap(app.policy.trust()).items.find(({ kind }) => kind === "mcp_server");
  return {
    app,
    workspace,
    item,
    covered: () => item()?.bound?.map(([file]) => file),
    accept: () => unwrap(app.policy.trust({ accept: [item()?.hash ?? ""] })),
    detail: () => unwrap(app.policy.trust()).changed?.[0]?.detail,
  };
}

async function isStarted({ app }: ReturnType<typeof project>): Promise<boolean> {
  const tested = await app.servers.test(own, { signal });
  return tested.ok || tested.failure.code !== "policy_denied";
}

const sh = (text: string): StdioServer => ({ command: "sh", args: ["-c", text] });
const node = (...args: string[]): StdioServer => ({ command: "node", args });

describe("trust in a server of the project ends with a change of a file that its entry names", () => {
  test.each<[string, (workspace: Workspace) => StdioServer]>([
    ["as its command", () => ({ command: "./serve.js" })],
    ["as an argument", () => node("serve.js")],
    ["by its whole path", ({ path: at }) => node(at("serve.js"))],
    ["with . and ..", () => node("./sub/.././serve.js")],
    ["from outside", ({ root }) => node(`../${path.basename(root)}/serve.js`)],
    ["from its directory", () => ({ ...node("../serve.js"), cwd: "sub" })],
    ["from a directory of a variable", () => ({ ...node("../serve.js"), cwd: "${NOWHERE:-sub}" })],
    ["by a link", () => node("link.js")],
    ["by a link outside", ({ home }) => node(`${home}/link.js`)],
    ["through a linked directory", () => node("linked/../../serve.js")],
    ["through a linked directory, by its text", () => node("linked/../serve.js")],
    ["behind an option", () => node("--import=./serve.js", "x")],
    ["in an option", () => node("-r./serve.js", "x")],
    ["by its address", ({ path: at }) => node("--import", `file://${at("serve.js")}`, "x")],
    ["in a variable of its environment", () => ({ ...node("x"), env: { NODE_OPTIONS: "--require ./serve.js" } })],
    ["by a variable", () => node("${WHICH}")],
    ["by the default of a variable", () => node("${NOT_SET:-serve.js}")],
    ["in a shell", () => sh("exec ./serve.js")],
    ["in a shell, in quotes", () => sh(`PORT=1 node "./serve.js"&`)],
    ["in a shell, with quotes in it", () => sh("node ./se''rve.js;")],
    ["in a shell in a shell", () => sh(`sh -c "node './serve.js'"`)],
    ["in a shell, from where it is", () => sh("node $PWD/serve.js")],
    ["in code", () => node("-e", "import('./serve.js')")],
    ["in a mount", ({ path: at }) => ({ command: "docker", args: ["run", "-v", `${at("serve.js")}:/x.js`, "node"] })],
    ["behind an unknown launcher", () => ({ command: "zxrun", args: ["--quiet", "serve.js"] })],
  ])("%s", async (_how, setting) => {
    const made = project(setting, (workspace) => {
      symlinkSync("serve.js", workspace.path("link.js"));
      symlinkSync("sub/deep", workspace.path("linked"));
      symlinkSync(workspace.path("serve.js"), path.join(workspace.home, "link.js"));
    });
    expect(made.covered()).toContain("serve.js");
    expect(await isStarted(made)).toBe(false);
    made.accept();
    expect(made.item()).toMatchObject({ trusted: true });
    made.workspace.write("serve.js", "something else");
    expect(made.item()).toMatchObject({ trusted: false });
    expect(made.item()?.refused).toBeUndefined();
    expect(made.detail()).toContain("serve.js");
    expect(await isStarted(made)).toBe(false);
    made.workspace.write("serve.js", "as trusted");
    expect(made.item()).toMatchObject({ trusted: true });
  });

  test.each<[string, StdioServer]>([
    ["a shell", sh("cd sub && node other.js")],
    ["an option", { command: "uv", args: ["--directory", "sub", "run", "other.js"] }],
  ])("below a directory that it names: %s", (_how, setting) => {
    const made = project(() => setting);
    expect(made.covered()).toEqual(["sub/other.js"]);
  });

  test.each<[string, (workspace: Workspace) => void]>([
    ["vanishes", ({ path: at }) => rmSync(at("serve.js"))],
    [
      "becomes a directory",
      ({ path: at }) => {
        rmSync(at("serve.js"));
        mkdirSync(at("serve.js"));
      },
    ],
    [
      "becomes a link",
      ({ path: at }) => {
        renameSync(at("serve.js"), at("b.js"));
        symlinkSync("b.js", at("serve.js"));
      },
    ],
    ["comes under a name that led nowhere", ({ write }) => void write("tiny-mcp", "")],
    ["is larger than what is read", ({ path: at }) => truncateSync(at("serve.js"), 20_000_000)],
  ])("that %s", (_what, change) => {
    const made = project(() => node("serve.js", "tiny-mcp"));
    made.accept();
    change(made.workspace);
    expect(made.item()).toMatchObject({ trusted: false });
  });

  test("that is too large to be read, and changes in place", () => {
    const made = project(
      () => node("serve.js"),
      ({ path: at }) => truncateSync(at("serve.js"), 20_000_000),
    );
    made.accept();
    expect(made.item()).toMatchObject({ trusted: true });
    writeFileSync(made.workspace.path("serve.js"), "x", { flag: "r+" });
    expect(made.item()).toMatchObject({ trusted: false });
  });
});

describe("trust in a server of the project is not refused for files that nobody can tell", () => {
  test.each<[string, StdioServer]>([
    ["a script of a package", { command: "npm", args: ["start"] }],
    ["a directory", node(".")],
    ["a module", { command: "python3", args: ["-m", "server"] }],
    ["a build tool", { command: "cargo", args: ["run"] }],
    ["a pattern", sh("node ./ser*.js")],
    ["code", node("-e", "1")],
    ["a launcher", { command: "npx", args: ["--no-install", "tsx", "."] }],
    ["a container", { command: "docker", args: ["compose", "up"] }],
    ["an environment", { ...node("x"), env: { PYTHONPATH: ".", BASH_ENV: "$(x)" } }],
  ])("%s", (_what, setting) => {
    const made = project(() => setting);
    expect(made.item()).toMatchObject({ trusted: false, bound: [] });
    expect(made.item()?.notCovered).toEqual(expect.any(String));
    made.accept();
    made.workspace.write("package.json", "{}");
    expect(made.item()).toMatchObject({ trusted: true });
  });

  test("and code on the command line is part of what is trusted", () => {
    const made = project(() => node("-e", "1"));
    made.accept();
    made.workspace.write(".mcp.json", JSON.stringify({ mcpServers: { [own]: node("-e", "2") } }));
    expect(made.item()).toMatchObject({ trusted: false });
    expect(made.detail()).toContain("its entry");
  });

  test("what the server itself writes does not end it, and a program there does", () => {
    const made = project(
      () => ({ ...node("data/x.js", "data/x.db"), sandbox: { write: ["data"] } }),
      ({ write }) => ["data/x.js", "data/x.db"].map((name) => write(name, "1")),
    );
    expect(made.covered()).toEqual(["data/x.js"]);
  });

  test("more names than anybody looks for are refused", () => {
    const many = (length: number) => Array.from({ length }, (_, at) => `f${at}.js`);
    const made = project(
      () => node(...many(60)),
      ({ write }) => many(60).map((name) => write(name, "")),
    );
    expect(made.item()?.refused).toEqual(expect.any(String));
  });
});

test("what an earlier version wrote down asks once more, and says why", () => {
  const made = project(() => node("serve.js"));
  const { file } = unwrap(made.app.policy.trust());
  const before = `sha256:${"1".repeat(64)}`;
  const names = { [before]: `mcp server ${own}: node "serve.js"` };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ trusted: [before], names, bound: { [before]: [["serve.js", "1"]] } }));
  expect(made.item()).toMatchObject({ trusted: false });
  expect(made.detail()).toContain("earlier version");
  made.accept();
  expect(made.item()).toMatchObject({ trusted: true });
  expect(unwrap(made.app.policy.trust()).absent).toEqual([]);
  expect(made.detail()).toBeUndefined();
  made.workspace.write("serve.js", "something else");
  expect(made.detail()).toContain("serve.js");
});
