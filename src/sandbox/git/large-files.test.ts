import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGauntlet } from "../../../test/support/gauntlet.ts";
import { asRepository } from "../../../test/support/repository.ts";
import { makeWorkspace } from "../../../test/support/workspace.ts";
import { createSandbox } from "../create-sandbox.ts";
import { namedPrograms, submodulesOf } from "./configuration.ts";

function makeRepository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "large-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".git/objects"), { recursive: true });
  mkdirSync(join(root, ".git/refs"));
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(root, ".git/config"), "[core]\n\tbare = false\n");
  return root;
}

async function runIn(root: string, backend: "bubblewrap" | "none") {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
  const created = await createSandbox({
    backend,
    environment,
    toolchains: [],
    passEnvironment: [],
    workspaceRoots: [root],
  });
  if (!created.ok) throw new Error(created.failure.message);
  onTestFinished(() => created.value.close?.());
  return created.value.shell("true", {
    cwd: root,
    profile: { readable: [root], writable: [root], protected: [], masked: [], network: "none" },
    onStdout: () => undefined,
    onStderr: () => undefined,
  });
}

/** Their content is holes: they take no room on the disk, and all of the memory. */
test.each([
  [".gitmodules", "bubblewrap"],
  [".gitmodules", "none"],
  [".git/config", "bubblewrap"],
  [".git/config", "none"],
  [".git/config.worktree", "bubblewrap"],
  [".git/commondir", "bubblewrap"],
] as const)("a sparse %s refuses commands instead of being read (%s)", async (name, backend) => {
  const root = makeRepository();
  writeFileSync(join(root, name), "");
  truncateSync(join(root, name), 8 * 1024 ** 3);
  expect(await runIn(root, backend)).toMatchObject({
    ok: false,
    failure: { code: "runtime_precondition_failed", message: expect.stringContaining(name) },
  });
});

const references = [".git/HEAD", ".git/packed-refs", ".git/refs/heads/x", ".git/refs/remotes/a/b"];

test.each(references.flatMap((name) => [[name, "sparse"] as const, [name, "a pipe"] as const]))(
  "git is not asked about a repository whose %s is %s",
  async (name, kind) => {
    const repository = asRepository(makeWorkspace({ ".npmrc": "save-exact=true\n" }));
    repository.git("init", "--quiet");
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "--message", "first");
    const file = repository.path(name);
    rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true });
    if (kind === "a pipe") execFileSync("mkfifo", [file]);
    else writeFileSync(file, "");
    if (kind === "sparse") truncateSync(file, 4 * 1024 ** 3);
    const gauntlet = await openGauntlet(repository);
    const started = performance.now();
    const { status } = await gauntlet.call({ tool: "bash", input: { command: "ls" } });
    expect([status, performance.now() - started]).toEqual(["ok", expect.toSatisfy((ms: number) => ms < 4000)]);
  },
);

test("a pipe among git's files is not waited for", () => {
  const root = makeRepository();
  rmSync(join(root, ".git/config"));
  execFileSync("mkfifo", [join(root, ".git/config"), join(root, ".gitmodules")]);
  expect(submodulesOf(root)).toEqual([]);
  expect(namedPrograms(root).any).toBe(false);
});

test.each(["[a", "\n", "[", " ", '[submodule "', "[hook ", "]\n"])(
  "a configuration full of %j is read once",
  (text) => {
    const root = makeRepository();
    const long = text.repeat(Math.floor((1024 * 1024) / text.length));
    writeFileSync(join(root, ".git/config"), `${long}\n[filter "x"]\nclean = y\n`);
    writeFileSync(join(root, ".gitmodules"), `${long.slice(64)}\n[submodule "y"]\npath = y\n`);
    expect(() => [namedPrograms(root).any, submodulesOf(root)]).toThrow("larger than 1 MiB");
    writeFileSync(join(root, ".git/config"), `${long.slice(64)}\n[filter "x"]\nclean = y\n`);
    expect(namedPrograms(root).any).toBe(true);
    expect(submodulesOf(root).at(-1)).toEqual({ name: "y", runs: false });
  },
);
