import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import type { Gauntlet } from "../src/index.ts";
import { bareSandbox } from "./bare-sandbox.ts";
import type { BenchWorkspace } from "./bench-workspace.ts";
import { measureInTurns, type Sample } from "./measure.ts";

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** Too long for a shell that waits, so it is started cold. */
const coldCommand = `true #${" ".repeat(5_000)}`;

/** `bash true` through the pipeline, sandboxed and not, against bare bubblewrap and bare bash. */
export async function measureCommands(workspace: BenchWorkspace) {
  const sandboxed = await workspace.open();
  const plain = await workspace.open({ sandbox: { backend: "none" } });
  const [program, ...args] = await bareSandbox(workspace);
  const samples = await measureInTurns(
    {
      "bash true, sandboxed": () => run(sandboxed, "true"),
      "bash true, sandboxed, cold": () => run(sandboxed, coldCommand),
      "bare bubblewrap, same mounts": () => execFileSync(program, args),
      "bash true, no sandbox": () => run(plain, "true"),
      "bare bash -c true": bareBash,
    },
    { warmUp: 10, repetitions: 100, pauseMs: 30 },
  );
  await sandboxed.close();
  await plain.close();
  return samples;
}

/** What looking at a workspace of many directories adds to a command, against one look at each of them and nothing else. */
export async function measureWide(workspace: BenchWorkspace) {
  const gauntlet = await workspace.open();
  const directories = readdirSync(workspace.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name, parentPath }) => path.join(parentPath, name));
  const reading = await measureInTurns(
    {
      "bash true, 2,000 directories": () => run(gauntlet, "true"),
      "bare lstat of 2,000 directories": () => directories.map((directory) => lstatSync(directory)),
      "bare bash -c true beside it": bareBash,
    },
    { warmUp: 10, repetitions: 50, pauseMs: 30 },
  );
  const writing = await measureInTurns(
    { "bash touch, 2,000 directories, 20,000 files": () => run(gauntlet, "touch touched") },
    { warmUp: 3, repetitions: 20, pauseMs: 60 },
  );
  await gauntlet.close();
  return { ...reading, ...writing };
}

/** A command that writes one file, against bare bubblewrap with the same workspace. */
export async function measureWriting(workspace: BenchWorkspace) {
  const gauntlet = await workspace.open({ permissions: { defaultMode: "auto" } });
  const { root } = workspace;
  const [program] = await bareSandbox(workspace);
  const bare = ["--ro-bind", "/", "/", "--bind", root, root, "--dev", "/dev", "--proc", "/proc", "--unshare-all"];
  const samples = await measureInTurns(
    {
      "bash touch, 100,000 files": () => run(gauntlet, "touch touched"),
      "bare bubblewrap touch beside it": () =>
        execFileSync(program, [...bare, "--chdir", root, "bash", "-c", "touch touched"]),
    },
    { warmUp: 3, repetitions: 20, pauseMs: 60 },
  );
  await gauntlet.close();
  return samples;
}

export async function measureSearch(workspace: BenchWorkspace) {
  const gauntlet = await workspace.open();
  const samples = await measureInTurns(
    {
      "grep, 2,000 files": () => gauntlet.call({ tool: "grep", input: { pattern: "needle" } }),
      "bare ripgrep": () => spawnSync(rgPath, ["needle", workspace.root]),
    },
    { warmUp: 5, repetitions: 50, pauseMs: 30 },
  );
  await gauntlet.close();
  return samples;
}

export async function measureStart(): Promise<Record<"gauntlet --version" | "node -e 0", Sample>> {
  const entry = path.join(repository, "bin/gauntlet.cjs");
  return measureInTurns(
    {
      "gauntlet --version": () => execFileSync(process.execPath, [entry, "--version"]),
      "node -e 0": () => execFileSync(process.execPath, ["-e", "0"]),
    },
    { warmUp: 5, repetitions: 40 },
  );
}

async function run(gauntlet: Gauntlet, command: string): Promise<void> {
  const { ok, code } = await gauntlet.call({ tool: "bash", input: { command } });
  if (!ok) throw new Error(`bash did not run: ${code}`);
}

function bareBash(): void {
  execFileSync("bash", ["--noprofile", "--norc", "-c", "true"]);
}
