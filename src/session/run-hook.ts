import { join, normalize } from "node:path/posix";
import { quoted } from "../base/text.ts";
import { isInsideAny, kernelTrees, systemTrees } from "../contract/effect.ts";
import type { PathClass } from "../contract/gate.ts";
import type { Metadata, RunningProcess, Sandbox } from "../contract/ports.ts";
import type { HookSetting } from "../contract/settings.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { collectBounded } from "../execution/spool.ts";
import type { CompiledHook } from "../gate/hooks/compile-hooks.ts";
import type { HookRun } from "../gate/hooks/hook-reply.ts";

interface HookStart {
  readonly sandbox: Sandbox;
  readonly profile: SandboxProfile;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly signal: AbortSignal;
}

const mostOutput = 1024 * 1024;
const mostErrors = 64 * 1024;

/** Runs one hook to its end. Nothing of its process tree is left afterwards. Never rejects. */
export async function runHook(hook: CompiledHook, start: HookStart): Promise<HookRun> {
  const { sandbox, profile, cwd, signal } = start;
  const stdout = collectBounded(mostOutput);
  const stderr = collectBounded(mostErrors);
  if (signal.aborted) return { ended: "cancelled", stderr: "" };
  let running: RunningProcess | undefined;
  const started = sandbox.shell(hookText(hook, start.environment), {
    cwd,
    profile,
    stdin: Buffer.from(start.stdin),
    onStdout: (chunk) => {
      if (!stdout.add(chunk)) void running?.kill();
    },
    onStderr: (chunk) => void stderr.add(chunk),
  });
  if (!started.ok) return { ended: "not_started", why: started.failure.message, stderr: "" };
  running = started.value;
  const early = await earlyEnd(running, signal, hook.timeoutMs);
  if (early !== undefined) await running.kill();
  const exit = await running.exited;
  if (exit.failure !== undefined) return { ended: "not_started", why: exit.failure.message, stderr: stderr.text() };
  if (stdout.full()) return { ended: "overflow", stderr: stderr.text() };
  if (early !== undefined) return { ended: early, stderr: stderr.text() };
  return { ended: "exit", exitCode: exit.exitCode ?? 128, stdout: stdout.text(), stderr: stderr.text() };
}

async function earlyEnd(
  { exited }: RunningProcess,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<"timeout" | "cancelled" | undefined> {
  const over = Promise.withResolvers<"timeout" | "cancelled">();
  const onAbort = () => over.resolve("cancelled");
  const timer = setTimeout(() => over.resolve("timeout"), timeoutMs);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([over.promise, exited.then(() => undefined)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** In exec form every word reaches the program as it is. */
function hookText({ setting: { handler } }: CompiledHook, environment: Readonly<Record<string, string>>): string {
  const assigned = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}`);
  const { command, args } = handler;
  const text = args === undefined ? command : `exec -- ${[command, ...args].map(quoted).join(" ")}`;
  return `export ${assigned.join(" ")}\n${text}`;
}

export interface OwnFilePlaces {
  readonly home: string;
  readonly stateDirectory: string;
  readonly metadata: Metadata;
  readonly classify: (path: string) => PathClass | undefined;
}

/** Of these every sandbox has its own, or they are not files. */
const ofTheSystem = [...systemTrees, ...kernelTrees, "/etc", "/run"];

/**
 * What a hook of the user needs outside the workspace: the folders for hooks, and the files that its own text names. A
 * hook of the project gets none: what it needs is in the project.
 */
export function ownFiles(
  { handler, layer }: HookSetting,
  roots: readonly string[],
  { home, stateDirectory, metadata, classify }: OwnFilePlaces,
): readonly string[] {
  if (layer === "project") return [];
  const kindOf = (path: string) => {
    try {
      return metadata.lstat(path)?.kind;
    } catch {
      return undefined;
    }
  };
  const isShowable = (path: string) => {
    const found = classify(path);
    return !isInsideAny(path, ofTheSystem) && found !== "secret" && found !== "state" && kindOf(path) === "file";
  };
  const folders = [join(stateDirectory, "hooks"), join(home, ".claude", "hooks")];
  const named = [handler.command, ...(handler.args ?? [])].flatMap((text) => pathsIn(text, home));
  const found = [...folders.filter((path) => kindOf(path) === "directory"), ...named.filter(isShowable)];
  // What is in the workspace is visible already, or hidden for a reason.
  return [...new Set(found)].filter((path) => !isInsideAny(path, roots));
}

/** Literal paths only; what a shell would have to compute is not looked for. */
function pathsIn(text: string, home: string): readonly string[] {
  const written = text.replace(/\$HOME\b|\$\{HOME\}/g, home);
  return [...written.matchAll(/(?<![^\s'"=;&|(])(?:~(?=\/)|(?=\/))[^\s'";&|()<>$`\\*?[\]{}]+/g)]
    .map(([path]) => (path.startsWith("~") ? home + path.slice(1) : path))
    .map(normalize);
}
