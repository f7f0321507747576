import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Workspace } from "./workspace.ts";

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const entry = path.join(repository, "bin/gauntlet.cjs");

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** The built command on a temporary workspace, with nothing of the caller's environment but PATH. */
export function commandLine(workspace: Workspace, args: readonly string[], environment: Environment = {}) {
  const own = { PATH: process.env.PATH, HOME: workspace.home, GAUNTLET_HOME: workspace.state, NO_COLOR: "1" };
  const env = { ...own, ...environment };
  return { command: [process.execPath, entry, ...args] as const, options: { cwd: workspace.root, env } };
}

export function startCommand(
  workspace: Workspace,
  args: readonly string[],
  environment: Environment = {},
): ChildProcessWithoutNullStreams {
  const {
    command: [program, ...words],
    options,
  } = commandLine(workspace, args, environment);
  return spawn(program, words, options);
}

export async function runCommand(
  workspace: Workspace,
  args: readonly string[],
  input = "",
  environment: Environment = {},
): Promise<Finished> {
  const child = startCommand(workspace, args, environment);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A command may end before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on("close", (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: Buffer.concat(stderr).toString("utf8"),
      }),
    );
  });
}

/** Lines of a running command as they come. */
export function linesOf(child: ChildProcessWithoutNullStreams): AsyncIterable<string> {
  return createInterface({ input: child.stdout });
}

export function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.on("close", () => resolve());
  });
}
