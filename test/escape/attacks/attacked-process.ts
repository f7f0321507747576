import { fork } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import type { Answer, OpenMessage, TryMessage } from "./attacked-child.ts";

export interface AttackedProcess {
  /** What the attacker got. */
  attempt(title: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts a process that makes attempts as a user. */
export async function startAttackedProcess(uid: number | undefined): Promise<AttackedProcess> {
  const socketDirectories = uid === undefined && process.getuid?.() !== 0 ? [] : [daemonDirectory(uid)];
  const child = fork(path.join(import.meta.dirname, "attacked-child.ts"), [], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: { PATH: process.env.PATH },
  });
  const waiting = new Map<string, (breaches: readonly string[]) => void>();
  let ended = "";
  child.on("message", (message: Answer) => {
    if (message.kind === "tried") waiting.get(message.title)?.(message.breaches);
  });
  child.on("exit", (code, signal) => {
    ended = `the process with the session ended: ${code ?? signal}`;
    for (const tell of waiting.values()) tell([ended]);
  });
  const opened = once(child, "message");
  const message: OpenMessage = { kind: "open", socketDirectories, ...(uid === undefined ? {} : { uid }) };
  child.send(message);
  const [first] = (await Promise.race([opened, once(child, "exit")])) as [Answer | number | null];
  if (typeof first !== "object" || first?.kind !== "opened") throw new Error(ended);

  return {
    attempt(title) {
      if (ended !== "") return Promise.resolve([ended]);
      const request: TryMessage = { kind: "try", title };
      return new Promise((resolve) => {
        waiting.set(title, resolve);
        child.send(request);
      });
    },
    async close() {
      if (ended === "") {
        const exited = once(child, "exit");
        child.kill();
        await exited;
      }
      for (const directory of [...socketDirectories, first.repository])
        rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Where a daemon of the machine would have its socket, outside of everything temporary. */
function daemonDirectory(uid: number | undefined): string {
  const directory = mkdtempSync("/run/attack-");
  if (uid !== undefined) chownSync(directory, uid, uid);
  return directory;
}
