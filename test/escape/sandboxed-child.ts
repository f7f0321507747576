/** A process of its own that holds a sandbox, perhaps as another user, so that tests can kill it or change who it is. */
import { Buffer } from "node:buffer";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/create-sandbox.ts";

export interface OpenMessage {
  readonly kind: "open";
  readonly uid?: number;
  readonly options: SandboxOptions;
}

export interface RunMessage {
  readonly kind: "run";
  readonly id: number;
  readonly text: string;
  readonly cwd: string;
  readonly profile: SandboxProfile;
}

export interface Ran {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cwd?: string;
  readonly failure?: string;
  readonly stdout: string;
  readonly stderr: string;
}

export type Answer = { readonly id: number; readonly ran: Ran } | { readonly opened: true };

async function open({ uid, options }: OpenMessage): Promise<void> {
  if (uid !== undefined) {
    process.setgroups?.([]);
    process.setgid?.(uid);
    process.setuid?.(uid);
  }
  const created = await createSandbox(options);
  if (!created.ok) throw new Error(created.failure.message);
  process.on("message", (message: RunMessage) => {
    run(message).then((ran) => answer({ id: message.id, ran }));
  });
  answer({ opened: true });

  async function run({ text, cwd, profile }: RunMessage): Promise<Ran> {
    const output = { stdout: "", stderr: "" };
    if (!created.ok) throw new Error("unreachable");
    const started = created.value.shell(text, {
      cwd,
      profile,
      onStdout: (chunk) => {
        output.stdout += Buffer.from(chunk).toString();
      },
      onStderr: (chunk) => {
        output.stderr += Buffer.from(chunk).toString();
      },
    });
    if (!started.ok) return { exitCode: null, signal: null, failure: started.failure.message, ...output };
    const { failure, ...exit } = await started.value.exited;
    return { ...exit, ...(failure !== undefined && { failure: failure.message }), ...output };
  }
}

function answer(message: Answer): void {
  process.send?.(message);
}

process.once("message", open);
