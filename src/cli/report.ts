import type { StreamLine } from "../contract/app/stream-line.ts";
import { codes, type Failure } from "../contract/codes.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-code.ts";
import { below, lines, type Shown, say } from "./render/shown.ts";
import { viewOn } from "./render/wrap.ts";
import type { Surface } from "./surface.ts";

export async function printShown(surface: Surface, shown: Shown): Promise<void> {
  await surface.stdout.write(shown.text);
}

export async function printJson(surface: Surface, value: unknown): Promise<void> {
  await surface.stdout.write(`${JSON.stringify(value, plainMaps)}\n`);
}

/** Progress and notices: beside the output, never in it. */
export async function printNotice(surface: Surface, notice: Shown): Promise<void> {
  await surface.stderr.write(`${notice.text}\n`);
}

/** What a person should know beside what they asked for. */
export async function printNotices(surface: Surface, notices: readonly string[]): Promise<void> {
  const { paint, wrap } = viewOn(surface.stderr);
  for (const notice of notices) {
    for (const row of below(say`${paint("warning", "notice:")} `, notice, 2)) await printNotice(surface, wrap(row));
  }
}

export interface FailureLine {
  readonly ok: false;
  readonly code: Failure["code"];
  readonly message: string;
  readonly field?: string;
  readonly recovery: string;
}

export function failureLine(failure: Failure): FailureLine {
  return {
    ok: false,
    code: failure.code,
    message: failure.message,
    ...(failure.field === undefined ? {} : { field: failure.field }),
    recovery: failure.recovery ?? codes[failure.code].recovery,
  };
}

/** `versioned`: as a line of `run --output json` and `stream-json`. */
export interface ReportForm {
  readonly json: boolean | "versioned";
}

async function printFailure(surface: Surface, line: FailureLine, { json }: ReportForm): Promise<void> {
  if (json === "versioned") await printJson(surface, { v: 1, type: "failed", ...line } satisfies StreamLine);
  else if (json) await printJson(surface, line);
}

/** Tells a person on stderr and, where JSON was asked for, the program on stdout. */
export async function reportFailure(surface: Surface, failure: Failure, options: ReportForm): Promise<ExitCode> {
  const { paint, wrap } = viewOn(surface.stderr);
  const line = failureLine(failure);
  await surface.stderr.write(
    lines([...below(say`${paint("bad", "gauntlet:")} `, line.message, 2), paint("quiet", line.recovery)].map(wrap))
      .text,
  );
  await printFailure(surface, line, options);
  return exitCodeOf[failure.code];
}

/** A mistake in the arguments, told before anything is started. */
export async function reportUsage(
  surface: Surface,
  mistake: { readonly message: string; readonly hint: string },
  options: ReportForm,
): Promise<ExitCode> {
  const { message, hint } = mistake;
  const { paint, wrap } = viewOn(surface.stderr);
  const told = [say`${paint("bad", "gauntlet:")} ${message.replace(/(?<![.!?])$/, ".")}`, paint("quiet", hint)];
  await surface.stderr.write(lines(told.map(wrap)).text);
  await printFailure(surface, failureLine({ code: "bad_request", message, recovery: hint }), options);
  return exitCodes.usage;
}

function plainMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
