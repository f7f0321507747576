import type { Archive } from "../contract/app/archive.ts";
import type { StreamLine } from "../contract/app/stream-line.ts";
import { type Code, codes, type Failure, fail, type Outcome } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import type { Observation } from "../contract/observation.ts";
import { below, lines, type Shown, say } from "./render/shown.ts";
import { viewOn } from "./render/wrap.ts";
import type { Surface } from "./surface.ts";

export async function printShown(surface: Surface, shown: Shown): Promise<void> {
  await surface.stdout.write(shown.text);
}

export async function printJson(surface: Surface, value: unknown): Promise<void> {
  await surface.stdout.write(`${JSON.stringify(value, plainMaps)}\n`);
}

export async function printNotice(surface: Surface, notice: Shown): Promise<void> {
  await surface.stderr.write(`${notice.text}\n`);
}

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

export function failureLine({ code, message, field, recovery = codes[code].recovery }: Failure): FailureLine {
  return { ok: false, code, message, field, recovery };
}

export interface ReportForm {
  readonly json?: boolean | "versioned";
}

/** The exit code of a command, or a failure that is not reported yet. */
export type Ended = ExitCode | Extract<Outcome<never>, { ok: false }>;

export async function exitCodeOfEnded(surface: Surface, ended: Ended, form: ReportForm): Promise<ExitCode> {
  return typeof ended === "number" ? ended : reportFailure(surface, ended.failure, form);
}

export async function reportFailure(surface: Surface, failure: Failure, { json }: ReportForm): Promise<ExitCode> {
  const { paint, wrap } = viewOn(surface.stderr);
  const line = failureLine(failure);
  const message = line.message.replace(/(?<![.!?])$/, ".");
  const rows = [...below(say`${paint("bad", "gauntlet:")} `, message, 2), paint("quiet", line.recovery)];
  await surface.stderr.write(lines(rows.map(wrap)).text);
  if (json === "versioned") await printJson(surface, { v: 1, type: "failed", ...line } satisfies StreamLine);
  else if (json) await printJson(surface, line);
  return exitCodeOf[failure.code];
}

export function mistake(message: string, recovery: string): Extract<Outcome<never>, { ok: false }> {
  return fail("bad_request", message, { recovery });
}

function plainMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  approvalNeeded: 4,
  providerFailed: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const { done, failed, usage, denied, approvalNeeded, interrupted } = exitCodes;

export const exitCodeOf: Readonly<Record<Code, ExitCode>> = {
  ok: done,
  bad_request: usage,
  unknown_tool: usage,
  tool_not_visible: denied,
  tool_not_loaded: usage,
  schema_invalid: usage,
  runtime_precondition_failed: failed,
  file_not_found: failed,
  text_not_found: failed,
  ambiguous_target: failed,
  stale_file_baseline: failed,
  policy_denied: denied,
  hook_denied: denied,
  user_denied: denied,
  approval_unavailable: approvalNeeded,
  approval_expired: approvalNeeded,
  timeout: failed,
  cancelled: interrupted,
  interrupted: interrupted,
  tool_failed: failed,
  command_failed: failed,
  sandbox_unavailable: failed,
  effect_not_permitted: denied,
  server_unavailable: failed,
  budget_exceeded: failed,
  output_invalid: failed,
  log_unavailable: failed,
};

export function exitCodeOfObservation(observation: Observation): ExitCode {
  return observation.ok ? exitCodes.done : exitCodeOf[observation.code];
}

export const endsWithOne = "Exits 1 if the log of the session is damaged.";

export async function checkChain(surface: Surface, archive: Archive, session: SessionId): Promise<ExitCode> {
  const checked = archive.verify(session);
  if (checked.ok && checked.value.every((report) => report.ok)) return exitCodes.done;
  const { paint, line } = viewOn(surface.stderr);
  const [first] = checked.ok ? checked.value.flatMap((report) => report.problems) : [];
  const where = first === undefined ? "" : `event ${first.seq}: ${first.problem.replace(/\.$/, "")}. `;
  const warning = paint("bad", "The log is damaged:");
  await printNotice(surface, line`${warning} ${where}Do not rely on it. Run gauntlet audit verify ${session}.`);
  return exitCodes.failed;
}
