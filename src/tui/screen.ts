import type { AgentNotice, ContextUse, RunReport } from "../contract/app/agent.ts";
import { type ModelRef, modelName, noUsage } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Elicitation } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { withNotice } from "./screen-notice.ts";
import { type Item, type NoteTone, type Screen, verifiedItem, withItem } from "./screen-state.ts";
import { endLine, withOutput } from "./screen-text.ts";

export type Action =
  | { readonly kind: "notice"; readonly notice: AgentNotice }
  | { readonly kind: "sent"; readonly text: string }
  | { readonly kind: "commanded"; readonly text: string }
  /** It was not sent. */
  | { readonly kind: "refused"; readonly text: string; readonly why: string }
  /** All of the output of the last call that was not looked at in this way yet. */
  | { readonly kind: "output_wanted" }
  | { readonly kind: "queued_up"; readonly text: string }
  | { readonly kind: "queue_returned" }
  | { readonly kind: "ended"; readonly report: RunReport }
  /** A bug ended it. */
  | { readonly kind: "broke"; readonly text: string }
  | { readonly kind: "asked"; readonly request: PermissionRequest }
  | { readonly kind: "answered"; readonly request: string }
  | { readonly kind: "elicited"; readonly question: Elicitation }
  | { readonly kind: "elicitation_over"; readonly id: string }
  | { readonly kind: "note"; readonly tone: NoteTone; readonly text: string }
  /** What an earlier process has shown, and what of it can be asked for. */
  | { readonly kind: "past"; readonly items: readonly Item[]; readonly outputs: readonly Observation[] }
  /** Another session is in force from here on. */
  | { readonly kind: "opened"; readonly model: ModelRef; readonly mode: string; readonly context: ContextUse }
  | { readonly kind: "model"; readonly model: ModelRef; readonly context: ContextUse }
  | { readonly kind: "measured"; readonly context: ContextUse }
  | { readonly kind: "mode"; readonly mode: string };

export function reduceScreen(before: Screen, action: Action): Screen {
  const screen = { ...before, items: [], returned: [] };
  switch (action.kind) {
    case "notice":
      return withNotice(screen, action.notice);
    case "sent":
      return {
        ...withItem(screen, { kind: "message", text: action.text }),
        working: true,
        queue: withoutFirst(screen.queue, action.text),
      };
    case "commanded":
      return withItem(screen, { kind: "command", text: action.text });
    case "refused":
      return {
        ...withItem(withItem(screen, { kind: "command", text: action.text }), {
          kind: "note",
          tone: "bad",
          text: action.why,
        }),
        queue: withoutFirst(screen.queue, action.text),
      };
    case "output_wanted":
      return isSaying(screen) ? { ...screen, wanted: screen.wanted + 1 } : withOutput(screen);
    case "queue_returned":
      return { ...screen, queue: [], returned: screen.queue };
    case "queued_up":
      return { ...screen, queue: [...screen.queue, action.text] };
    case "ended":
      return withItem(atRest(screen), { kind: "report", report: action.report });
    case "broke":
      return withItem(atRest(screen), { kind: "note", tone: "bad", text: action.text });
    case "asked":
      return { ...screen, questions: [...screen.questions, action.request] };
    case "answered":
      return { ...screen, questions: screen.questions.filter(({ id }) => id !== action.request) };
    case "elicited":
      return { ...screen, elicitations: [...screen.elicitations, action.question] };
    case "elicitation_over":
      return { ...screen, elicitations: screen.elicitations.filter(({ id }) => id !== action.id) };
    case "note":
      return withItem(screen, action);
    case "past":
      return { ...screen, items: action.items, outputs: action.outputs };
    case "opened":
      return {
        ...screen,
        model: modelName(action.model),
        mode: action.mode,
        context: action.context,
        turns: 0,
        usage: noUsage,
        costUsd: 0,
      };
    case "model":
      return { ...screen, model: modelName(action.model), context: action.context };
    case "measured":
      return { ...screen, context: action.context };
    case "mode":
      return { ...screen, mode: action.mode };
  }
}

function withoutFirst(queue: readonly string[], text: string): readonly string[] {
  return queue[0] === text ? queue.slice(1) : queue;
}

/** A line of the answer is half written, or the next one follows at once. */
function isSaying({ working, spoke, line, table, calls }: Screen): boolean {
  return working && calls.length === 0 && (spoke || line !== "" || table.length > 0);
}

function atRest(screen: Screen): Screen {
  const ended = endLine({ ...screen, failed: "", working: false, waiting: "", thought: "", calls: [], verified: [] });
  return { ...ended, items: [...ended.items, ...screen.verified.map(verifiedItem)] };
}
