import type { AgentNotice, RunReport } from "../../contract/app/agent.ts";
import type { ResultLine, StreamLine } from "../../contract/app/stream-line.ts";
import type { ProviderError } from "../../contract/model.ts";
import type { ExitCode } from "../exit-code.ts";
import { boundedInput } from "./bounded-input.ts";

const v = 1 as const;

/** What a program is told about a notice. Arguments that still stream are nothing to act on, and are left out. */
export function streamLineOf(notice: AgentNotice): StreamLine | undefined {
  switch (notice.kind) {
    case "turn_started":
      return { v, type: "turn", turnId: notice.turnId, turn: notice.turn, model: notice.model };
    case "text":
    case "reasoning":
      return { v, type: notice.kind, turnId: notice.turnId, text: notice.text };
    case "proposed":
      return { v, type: "proposed", intentId: notice.intentId, tool: notice.tool, ...boundedInput(notice.input) };
    case "revised":
      return { v, type: "revised", intentId: notice.intentId, hook: notice.hook, ...boundedInput(notice.input) };
    case "queued":
    case "started":
      return {
        v,
        type: "call",
        intentId: notice.intentId,
        tool: notice.tool,
        title: notice.title,
        state: notice.kind,
      };
    case "progressed":
      return { v, type: "progress", intentId: notice.intentId, message: notice.progress.message };
    case "observed":
      return { v, type: "observation", observation: notice.observation };
    case "provider_error":
      return { v, type: "provider_error", turnId: notice.turnId, error: withoutDebug(notice.error) };
    case "piped":
    case "turn_ended":
    case "retrying":
    case "fallback":
    case "compacted":
    case "verified":
    case "hook": {
      const { kind, ...rest } = notice;
      return { v, type: kind, ...rest } as StreamLine;
    }
    case "proposing":
      return undefined;
  }
}

export function resultLineOf(
  report: RunReport,
  exitCode: ExitCode,
  /** Why a run that is done ends otherwise all the same. */
  because: string | undefined = undefined,
): ResultLine {
  const { sessionId, error, changed, verifications, claims, unanswered, ...rest } = report;
  const rules = [...new Set(unanswered.flatMap((ask) => ask.rules))];
  return {
    v,
    type: "result",
    session: sessionId,
    ...rest,
    ...(because === undefined ? {} : { detail: because }),
    ...(error === undefined ? {} : { error: withoutDebug(error) }),
    changed: [...changed],
    verifications: [...verifications],
    claims: [...claims],
    unanswered: unanswered.map((ask) => ({ ...ask, rules: [...ask.rules] })),
    ...(rules.length === 0 ? {} : { policyPatch: { permissions: { allow: rules } } }),
    exitCode,
  };
}

/** What a provider sent stays in the log. */
function withoutDebug({ debug: _, ...error }: ProviderError): Omit<ProviderError, "debug"> {
  return error;
}
