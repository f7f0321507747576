import { type ChildProcess, fork, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import type { SandboxOptions } from "../../src/sandbox/create-sandbox.ts";
import type { Answer, OpenMessage, Ran, RunMessage } from "./sandboxed-child.ts";

export interface RemoteSandbox {
  readonly pid: number;
  run(text: string, where: { readonly cwd: string; readonly profile: SandboxProfile }): Promise<Ran>;
  /** Starts without waiting for the end. */
  start(text: string, where: { readonly cwd: string; readonly profile: SandboxProfile }): void;
  kill(): Promise<void>;
}

export interface RemoteOptions {
  readonly uid?: number;
  readonly options: SandboxOptions;
  /** Left open in the child as descriptor 40, as a careless parent would. */
  readonly leaked?: number;
}

/** A sandbox in a process of its own. Its environment is exactly the one in the options. */
export async function openRemoteSandbox({ uid, options, leaked }: RemoteOptions): Promise<RemoteSandbox> {
  const stdio: StdioOptions = ["ignore", "inherit", "inherit", "ipc"];
  if (leaked !== undefined) stdio[40] = leaked;
  const child = fork(join(import.meta.dirname, "sandboxed-child.ts"), [], {
    execArgv: [],
    env: { ...options.environment },
    stdio: Array.from(stdio, (entry) => entry ?? "ignore"),
  });
  // Told by the exit; a message that comes too late must not end the test as well.
  child.on("error", () => {});
  const opened = once(child, "message");
  const message: OpenMessage = { kind: "open", options, ...(uid !== undefined && { uid }) };
  child.send(message);
  await Promise.race([opened, diedFirst(child)]);
  let next = 0;
  const send = (text: string, where: { readonly cwd: string; readonly profile: SandboxProfile }) => {
    const id = next++;
    const request: RunMessage = { kind: "run", id, text, ...where };
    child.send(request);
    return id;
  };
  return {
    pid: child.pid ?? 0,
    start: send,
    run: (text, where) => answerTo(child, send(text, where)),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function answerTo(child: ChildProcess, id: number): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error(`The process with the sandbox ended: ${child.exitCode ?? child.signalCode}`));
    if (child.exitCode !== null || child.signalCode !== null) return died();
    const listen = (answer: Answer) => {
      if (!("id" in answer) || answer.id !== id) return;
      child.off("message", listen);
      child.off("exit", died);
      resolve(answer.ran);
    };
    child.on("message", listen);
    child.once("exit", died);
  });
}

async function diedFirst(child: ChildProcess): Promise<never> {
  await once(child, "exit");
  throw new Error("The process with the sandbox ended before it was ready");
}
