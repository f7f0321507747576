import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { startOf } from "../../src/host/process/process-table.ts";
import { commandLine } from "./command.ts";
import type { Workspace } from "./workspace.ts";

/** The built command on a real terminal, with a person's hands and eyes. */
export interface Terminal {
  /** As it stands in the window now. */
  screen(): Promise<string>;
  /** The window and all that was moved out of it at the top. */
  transcript(): Promise<string>;
  type(text: string): void;
  /** As one piece, as a terminal tells it apart from typing. */
  paste(text: string): void;
  /** Keys by the names of tmux: Enter, Escape, Up, BTab, C-c. */
  press(...keys: readonly string[]): void;
  /** Waits until the transcript fits, and gives it. */
  shows(expected: string | RegExp): Promise<string>;
  /** Waits until the window fits. */
  stands(expected: string | RegExp | ((screen: string) => boolean)): Promise<string>;
  resize(columns: number, rows: number): void;
  /** Every byte that the command wrote so far. */
  written(): string;
  /** Waits for the end of the command, and gives its exit code. */
  exitCode(): Promise<number>;
  /** Of the command, while it runs. */
  pid(): number;
}

const configuration = `set -g remain-on-exit on
set -g remain-on-exit-format ''
set -g escape-time 0
set -g history-limit 50000
set -g status off
set -g default-terminal xterm-256color
`;
/** Bounds a hang, not the work: when every processor is busy, a screen may take many seconds to stand. */
const patienceMs = 45_000;
/** To look starts a program, to notice that something was written does not. */
const noticeEveryMs = 10;
const lookAtLeastEveryMs = 250;

export function openTerminal(
  workspace: Workspace,
  args: readonly string[],
  options: {
    readonly columns?: number;
    readonly rows?: number;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Terminal {
  const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-tty-"));
  const socket = path.join(place, "s");
  const record = path.join(place, "written");
  writeFileSync(path.join(place, "tmux.conf"), configuration);
  const { command, options: child } = commandLine(workspace, args, options.environment);
  const { NO_COLOR: _, ...environment } = child.env;
  const env = { ...environment, ...options.environment, LANG: "C.UTF-8" };
  const words = (args: readonly string[]) => ["-S", socket, "-f", path.join(place, "tmux.conf"), ...args];
  const tmux = (...args: readonly string[]) => execFileSync("tmux", words(args), { env, encoding: "utf8" });
  const look = async (...args: readonly string[]) => (await promisify(execFile)("tmux", words(args), { env })).stdout;
  const size = ["-x", String(options.columns ?? 100), "-y", String(options.rows ?? 40)];
  const processes = (): readonly string[] => {
    try {
      const shellId = tmux("display-message", "-p", "#{pane_pid}").trim();
      return [shellId, ...childrenOf(shellId)];
    } catch {
      return [];
    }
  };
  onTestFinished(async () => {
    const ids = processes();
    try {
      tmux("kill-server");
    } catch {
      // It is gone already.
    }
    // What it still writes must not come behind those who clear up after it.
    const alive = async () => ids.filter((id) => startOf(Number(id)) !== undefined).join(" ");
    await until(alive, (left) => left === "", { expected: "no process any more", record });
    rmSync(place, { recursive: true, force: true });
  });
  // The command waits until everything that it writes is recorded. Its shell keeps how it ended.
  const begun = path.join(place, "begun");
  const code = path.join(place, "code");
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const shell = `trap : INT; until [ -e '${begun}' ]; do :; done; ${quoted}; echo $? > '${code}.new'; mv '${code}.new' '${code}'`;
  tmux("new-session", "-d", ...size, "-c", child.cwd, "sh", "-c", shell);
  tmux("pipe-pane", "-o", `cat >> '${record}'`);
  writeFileSync(begun, "");

  const screen = async () => trimmed(await look("capture-pane", "-p"));
  const transcript = async () => trimmed(await look("capture-pane", "-p", "-J", "-S", "-"));
  const written = () => textOf(record);

  return {
    screen,
    transcript,
    written,
    type: (text) => void tmux("send-keys", "-l", "--", text),
    paste(text) {
      tmux("set-buffer", "-b", "pasted", "--", text);
      tmux("paste-buffer", "-p", "-d", "-b", "pasted");
    },
    press: (...keys) => void tmux("send-keys", ...keys),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    shows: (expected) => until(transcript, (seen) => fits(seen, expected), { expected, record }),
    stands: (expected) =>
      until(screen, (seen) => (typeof expected === "function" ? expected(seen) : fits(seen, expected)), {
        expected,
        record,
      }),
    exitCode: async () =>
      Number(
        await until(
          async () => textOf(code),
          (text) => text !== "",
          { expected: "an end", record: code },
        ),
      ),
    pid() {
      return Number(processes()[1]);
    },
  };
}

function childrenOf(id: string): readonly string[] {
  return readFileSync(`/proc/${id}/task/${id}/children`, "utf8")
    .trim()
    .split(" ")
    .filter((child) => child !== "");
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** A new look when the file has grown since the last one, and now and then in any case. */
async function until(
  look: () => Promise<string>,
  isThere: (seen: string) => boolean,
  { expected, record }: { readonly expected: unknown; readonly record: string },
): Promise<string> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const before = sizeOf(record);
    const next = performance.now() + lookAtLeastEveryMs;
    const seen = await look();
    if (isThere(seen)) return seen;
    if (performance.now() > deadline)
      throw new Error(`The terminal never showed ${String(expected)}. It shows:\n${seen}`);
    do await delay(noticeEveryMs);
    while (sizeOf(record) === before && performance.now() < next);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function fits(seen: string, expected: string | RegExp): boolean {
  return typeof expected === "string" ? seen.includes(expected) : expected.test(seen);
}

function trimmed(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}
