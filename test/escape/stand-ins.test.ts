import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import { openRemoteSandbox } from "./remote-sandbox.ts";

const isRoot = process.getuid?.() === 0;
/** Whom the rights of a directory bind. */
const person = isRoot ? 65534 : (process.getuid?.() ?? 0);

let base: string;
let root: string;
let mounted = false;
const at = (...parts: string[]) => join(root, ...parts);
const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "stand-ins-")));
  root = join(base, "workspace");
  mkdirSync(root);
  for (const path of [base, root]) chmodSync(path, 0o755);
});

afterEach(() => {
  if (mounted) execFileSync("umount", ["-l", root]);
  mounted = false;
  rmSync(base, { recursive: true, force: true });
});

const writing = (...names: string[]): SandboxProfile => ({
  readable: [],
  writable: [root],
  protected: names.map((name) => at(name)),
  masked: [],
  network: "none",
});

async function run(text: string, profile: SandboxProfile, uid: number | undefined = person) {
  const sandbox = await openRemoteSandbox({
    ...(isRoot && uid !== undefined ? { uid } : {}),
    options: {
      backend: "bubblewrap",
      environment: { PATH: process.env.PATH, HOME: base },
      toolchains: [],
      passEnvironment: [],
      workspaceRoots: [root],
    },
  });
  try {
    return await sandbox.run(text, { cwd: root, profile });
  } finally {
    await sandbox.kill();
  }
}

const plant = "chmod 755 .; echo evil > .mcp.json; mkdir -p .vscode; echo evil > .vscode/tasks.json; ls -A";

test("where its directory may not be written but is our own, a command that writes does not run", async () => {
  chownSync(root, person, person);
  chmodSync(root, 0o555);
  const { failure, stdout } = await run(plant, writing(".mcp.json", ".vscode"));
  expect([failure, stdout, readdirSync(root), modeOf(root)]).toEqual([
    expect.stringMatching(/\/\.mcp\.json.* Nothing was run\.$/),
    "",
    [],
    "555",
  ]);
  const reading = { ...writing(), readable: [root], writable: [] };
  expect(await run("echo read", reading)).toMatchObject({ exitCode: 0, stdout: "read\n" });
});

test.each(isRoot ? ["root", "an unprivileged user"] : [])(
  "on a file system without room for them a command of %s that writes does not run",
  async (who) => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "nr_inodes=5,mode=777", "tmpfs", root]);
    mounted = true;
    for (const name of ["a", "b", "c"]) mkdirSync(at(name), { mode: 0o777 });
    const uid = who === "root" ? undefined : person;
    const { failure, stdout } = await run(`rmdir a b c; ${plant}`, writing(".mcp.json", ".vscode"), uid);
    // There was room for the first of the two, and it is gone again.
    expect([failure, stdout, readdirSync(root)]).toEqual([
      expect.stringMatching(/\/\.vscode.* no space .* Nothing was run\.$/),
      "",
      ["a", "b", "c"],
    ]);
  },
);

test.each(isRoot ? ["somebody else's directory"] : [])("in %s nobody needs them", async () => {
  mkdirSync(at("mine"));
  chownSync(at("mine"), person, person);
  const { exitCode, stdout } = await run(`${plant}; echo made > mine/file`, writing(".mcp.json", ".vscode"));
  expect([exitCode, stdout, readdirSync(root), readdirSync(at("mine"))]).toEqual([0, "mine\n", ["mine"], ["file"]]);
});

test("are removed when a command made the workspace read-only", async () => {
  chownSync(root, person, person);
  expect(await run("chmod 555 .", writing(".mcp.json", ".vscode"))).toMatchObject({ exitCode: 0 });
  const left = modeOf(root);
  chmodSync(root, 0o755);
  expect([left, readdirSync(root)]).toEqual(["555", []]);
});
