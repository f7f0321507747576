import { Buffer } from "node:buffer";
import { posix } from "node:path";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { type Failure, ok } from "../../contract/codes.ts";
import { type EffectReport, isInsideAny } from "../../contract/effect.ts";
import type { CommandResult, EffectView, PreconditionView, WorkspaceFacts } from "../../contract/ports.ts";
import { defineTool, type RawResult, type Tool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import type { analyseShell } from "../../shell/analyse-shell.ts";
import { spellings } from "../file/input.ts";
import { shownPath } from "../file/open-file.ts";
import { type BashResult, summarizeBash, titleOf } from "./bash-summary.ts";
import { type HintedCommand, sandboxHints } from "./sandbox-hints.ts";
import { shownChange, shownSettled } from "./shown-changes.ts";

const maxCommandBytes = 128 * 1024;
const longestMs = 24 * 60 * 60 * 1_000;

const input = lazy(() =>
  z.strictObject({
    command: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= maxCommandBytes, `must be at most ${maxCommandBytes} bytes`)
      .refine((text) => !text.includes("\0"), "must not contain a zero byte"),
    description: z.exactOptional(z.string().max(200)).describe("What it does, in a few words"),
    timeout_ms: z
      .exactOptional(z.int().min(1).max(longestMs))
      .describe("Kill after this time. Without it, long commands move to the background"),
    run_in_background: z.exactOptional(z.boolean()).describe("Run in the background; read it with task_output"),
    cwd: z.exactOptional(z.string().min(1)).describe("Default: the last one"),
  }),
);
type BashInput = z.infer<ReturnType<typeof input>>;

export interface CommandLimits {
  readonly commandTimeoutMs: number;
  /** After this time the command moves to the background. */
  readonly foregroundMs: number;
}

export function createBash(limits: CommandLimits): Tool<BashInput, BashResult> {
  let loaded: Analyse | undefined;
  const analyse: Analyse = (command, options) => {
    if (loaded === undefined) throw new Error("bash was asked about a command before it was prepared.");
    return loaded(command, options);
  };
  let lastText: TextFacts | undefined;
  const factsOf = (command: string): TextFacts => {
    if (lastText?.command !== command) lastText = readText(command, analyse);
    return lastText;
  };
  return defineTool<BashInput, BashResult>({
    name: "bash",
    version: "1",
    description:
      "Runs a bash command in a sandbox, each in a fresh shell; the working directory is kept. For tests, builds and git. Use read, grep, glob, list and edit for files.",
    family: "terminal",
    risks: ["read", "write", "execute"],
    searchHint: "shell command terminal run execute test build git npm",
    aliases: aliasesOf("bash"),
    inputAliases: spellings({
      command: "cmd script",
      timeout_ms: "timeout",
      run_in_background: "background is_background",
      cwd: "workdir directory working_directory",
    }),
    input,
    describeCall: ({ command, description }) => titleOf(command, description),
    async prepare() {
      // A large part of the program, and many sessions never run a command.
      if (loaded === undefined) loaded = (await import("../../shell/analyse-shell.ts")).analyseShell;
    },
    readOnly: ({ command }) => factsOf(command).onlyReads,
    concurrency: ({ command }) => (factsOf(command).onlyReads ? "safe" : "exclusive"),
    timeoutMs: (call) => timesOf(call, limits).timeoutMs,
    backgroundable: true,
    maxResultChars: 16_000,
    alwaysLoad: true,
    // In plan mode too: the gate refuses every command that does more than read.
    visible: () => ({ visible: true }),

    effects: (call, view) => report(call, view, analyse),

    preconditions(call, view) {
      const { syntaxError } = factsOf(call.command);
      if (syntaxError !== undefined) return rejectedByBash(syntaxError);
      return checkDirectory(call.cwd ?? view.workspace.cwd, view);
    },

    async run(call, context) {
      const ran = await context.processes.runPermitted(timesOf(call, limits));
      if (!ran.ok) return ran;
      const { cwd, cwdAfter } = ran.value;
      // The shell only reports where it ended: the accepted directory is shown.
      const moved =
        cwdAfter === undefined || cwdAfter === cwd ? undefined : context.session.setWorkingDirectory(cwdAfter);
      return judge(ran.value, {
        ...ran.value,
        command: call.command,
        shownCwd: shownPath(context.workspace, cwd),
        shownCwdAfter: moved && shownPath(context.workspace, moved),
        shownChanges: shownChanges(ran.value, context.workspace),
        ...(ran.value.settled && { settled: shownSettled(ran.value.settled, context.workspace) }),
        hints: sandboxHints(ran.value, factsOf(call.command), context.workspace),
        shownHidden: (ran.value.hidden ?? []).map((one) => ({ ...one, path: shownPath(context.workspace, one.path) })),
      });
    },

    summarize: summarizeBash,
  });
}

type Analyse = typeof analyseShell;

function report(call: BashInput, view: EffectView, analyse: Analyse): EffectReport {
  const cwd = view.resolve(call.cwd ?? view.workspace.cwd, view.workspace.cwd);
  if (!cwd.ok) return { effects: [{ op: "unknown", why: cwd.failure.message }] };
  const { effects, parts, raiseTo, raisedBecause, next } = analyse(call.command, {
    view,
    cwd: cwd.value.resolved,
  });
  return {
    effects,
    parts,
    command: { text: call.command, cwd: cwd.value },
    ...(call.run_in_background === true ? { background: true } : {}),
    raiseTo,
    raisedBecause,
    narrower: next,
  };
}

/** A call with a deadline waits for it. */
function timesOf(
  { timeout_ms, run_in_background }: BashInput,
  { commandTimeoutMs, foregroundMs }: CommandLimits,
): { readonly timeoutMs: number; readonly foregroundMs: number } {
  if (run_in_background === true) return { timeoutMs: timeout_ms ?? longestMs, foregroundMs: 0 };
  if (timeout_ms !== undefined) return { timeoutMs: timeout_ms, foregroundMs: timeout_ms };
  return { timeoutMs: commandTimeoutMs, foregroundMs };
}

const anywhere: WorkspaceFacts = { root: "/w", roots: ["/w"], cwd: "/w", home: "/h" };

/** The analysis of a command's text alone. Several stages need it, so the last one is cached. */
interface TextFacts extends HintedCommand {
  readonly command: string;
  readonly onlyReads: boolean;
  readonly syntaxError: string | undefined;
}

/**
 * Only the kinds of effects matter here, not the paths, so every path counts as written and as a directory. The gate
 * judges the resolved paths.
 */
function readText(command: string, analyse: Analyse): TextFacts {
  const view: EffectView = {
    workspace: anywhere,
    resolve: (written, from = anywhere.root) =>
      ok({ written, resolved: posix.resolve(from, written), kind: "directory" }),
  };
  const { effects, syntaxError, raiseTo, parts, mayPipe } = analyse(command, { view, cwd: anywhere.cwd });
  const harmless = raiseTo === undefined && effects.every(({ op }) => op === "read" || op === "list");
  return { command, onlyReads: syntaxError === undefined && harmless, syntaxError, parts, mayPipe };
}

function rejectedByBash(syntaxError: string): Failure {
  return {
    code: "runtime_precondition_failed",
    field: "command",
    message: `Bash would reject this command: ${syntaxError}`,
    recovery: "Fix the syntax and call again.",
    happened: "nothing",
  };
}

function checkDirectory(written: string, view: PreconditionView): Failure | undefined {
  const cwd = view.resolve(written, view.workspace.cwd);
  if (!cwd.ok) return { ...cwd.failure, field: "cwd" };
  const facts = { code: "runtime_precondition_failed", field: "cwd", happened: "nothing" } as const;
  if (!isInsideAny(cwd.value.resolved, view.workspace.roots)) {
    return { ...facts, message: "cwd is outside the workspace.", recovery: "Use a directory of the workspace." };
  }
  if (cwd.value.kind === "directory") return undefined;
  const recovery = `Give cwd, for example ${JSON.stringify(view.workspace.root)}.`;
  return { ...facts, message: `The working directory ${written} is not a directory, or no longer exists.`, recovery };
}

function judge({ exitCode, signal, job }: CommandResult, data: BashResult): RawResult<BashResult> {
  if (job !== undefined || (exitCode === 0 && signal === null)) return { ok: true, data };
  const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
  return { ok: false, failure: { code: "command_failed", message: `The command ${how}.` }, data };
}

function shownChanges({ changed }: CommandResult, workspace: WorkspaceFacts): BashResult["shownChanges"] {
  return changed.map((change) => shownChange(change, workspace));
}
