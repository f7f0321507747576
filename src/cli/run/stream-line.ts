import { isRecord } from "../../base/json.ts";
import type { AgentNotice, RunReport } from "../../contract/app/agent.ts";
import type { ResultLine, StreamLine } from "../../contract/app/stream-line.ts";
import type { ProviderError } from "../../contract/model.ts";
import type { ExitCode } from "../report.ts";

const v = 1 as const;

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
  because: string | undefined = undefined,
): ResultLine {
  const { sessionId, error, changed, verifications, claims, unanswered, ...rest } = report;
  const rules = [...new Set(unanswered.flatMap((ask) => ask.rules))];
  return {
    v,
    type: "result",
    session: sessionId,
    ...rest,
    ...(because !== undefined && { detail: because }),
    ...(error === undefined ? {} : { error: withoutDebug(error) }),
    changed: [...changed],
    verifications: [...verifications],
    claims: [...claims],
    unanswered: unanswered.map((ask) => ({ ...ask, rules: [...ask.rules] })),
    ...(rules.length === 0 ? {} : { policyPatch: { permissions: { allow: rules } } }),
    exitCode,
  };
}

function withoutDebug({ debug: _, ...error }: ProviderError): Omit<ProviderError, "debug"> {
  return error;
}

const longestText = 2_000;
const longestWhole = 20_000;
const deepest = 30;

export function boundedInput(input: unknown): { readonly input: unknown; readonly omittedChars?: number } {
  let room = longestWhole;
  let omitted = 0;

  function text(value: string): string {
    const taken = value.slice(0, Math.max(0, Math.min(longestText, room)));
    room -= taken.length;
    omitted += value.length - taken.length;
    return taken;
  }

  function within(value: unknown, depth: number): readonly unknown[] {
    if (room > 0 && depth <= deepest) return [bound(value, depth)];
    omitted += lengthOf(value);
    return [];
  }

  function bound(value: unknown, depth: number): unknown {
    if (typeof value === "string") return text(value);
    room -= 2;
    if (Array.isArray(value)) return value.flatMap((one) => within(one, depth + 1));
    if (!isRecord(value)) return value;
    const members = Object.entries(value).flatMap(([name, one]) => {
      const [kept] = within([name, one], depth + 1);
      return Array.isArray(kept) && kept.length === 2 ? [[kept[0], kept[1]] as const] : [];
    });
    return Object.fromEntries(members);
  }

  const bounded = bound(input, 0);
  return omitted === 0 ? { input } : { input: bounded, omittedChars: omitted };
}

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // Too deep even for that: at least one character is.
    return 1;
  }
}
