import { execFileSync, spawnSync } from "node:child_process";
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
  const run = async (gauntlet: Gauntlet, command: string) => {
    const { ok, code } = await gauntlet.call({ tool: "bash", input: { command } });
    if (!ok) throw new Error(`bash did not run: ${code}`);
  };
  const [program, ...args] = await bareSandbox(workspace);
  const samples = await measureInTurns(
    {
      "bash true, sandboxed": () => run(sandboxed, "true"),
      "bash true, sandboxed, cold": () => run(sandboxed, coldCommand),
      "bare bubblewrap, same mounts": () => execFileSync(program, args),
      "bash true, no sandbox": () => run(plain, "true"),
      "bare bash -c true": () => execFileSync("bash", ["--noprofile", "--norc", "-c", "true"]),
    },
    { warmUp: 10, repetitions: 100, pauseMs: 30 },
  );
  await sandboxed.close();
  await plain.close();
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
  const entry = path.join(repository, "bin/gauntlet.mjs");
  return measureInTurns(
    {
      "gauntlet --version": () => execFileSync(process.execPath, [entry, "--version"]),
      "node -e 0": () => execFileSync(process.execPath, ["-e", "0"]),
    },
    { warmUp: 5, repetitions: 40 },
  );
}
