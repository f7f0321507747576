import type { AgentNotice, ContextUse, RunReport } from "../contract/app/agent.ts";
import { addUsage, type ModelRef, modelName, noUsage } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Elicitation } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Verification } from "../contract/verification.ts";
import { keepOutput } from "./call-output.ts";
import {
  emptyScreen,
  endLine,
  type Item,
  type LiveCall,
  type NoteTone,
  type Screen,
  verifiedItem,
  withItem,
  withOutput,
  withText,
} from "./screen-state.ts";

export type Action =
  | { readonly kind: "notice"; readonly notice: AgentNotice }
  | { readonly kind: "sent"; readonly text: string }
  | { readonly kind: "commanded"; readonly text: string }
  | { readonly kind: "refused"; readonly text: string; readonly why: string }
  | { readonly kind: "output_wanted" }
  | { readonly kind: "queued_up"; readonly text: string }
  | { readonly kind: "queue_returned" }
  | { readonly kind: "ended"; readonly report: RunReport }
  | { readonly kind: "broke"; readonly text: string }
  | { readonly kind: "asked"; readonly request: PermissionRequest }
  | { readonly kind: "answered"; readonly request: string }
  | { readonly kind: "elicited"; readonly question: Elicitation }
  | { readonly kind: "elicitation_over"; readonly id: string }
  | { readonly kind: "note"; readonly tone: NoteTone; readonly text: string }
  | { readonly kind: "past"; readonly items: readonly Item[]; readonly outputs: readonly Observation[] }
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

function isSaying({ working, spoke, line, table, calls }: Screen): boolean {
  return working && calls.length === 0 && (spoke || line !== "" || table.length > 0);
}

function atRest(screen: Screen): Screen {
  const ended = endLine({ ...screen, failed: "", working: false, waiting: "", thought: "", calls: [], verified: [] });
  return { ...ended, items: [...ended.items, ...screen.verified.map(verifiedItem)] };
}

function withNotice(screen: Screen, notice: AgentNotice): Screen {
  switch (notice.kind) {
    case "turn_started":
      return {
        ...endLine(screen),
        fence: undefined,
        spoke: false,
        thought: "",
        waiting: "",
        turns: notice.turn,
        model: modelName(notice.model),
      };
    case "text":
      return withText({ ...screen, thought: "" }, notice.text);
    case "reasoning":
      return { ...screen, thought: lastWords(screen.thought + notice.text) };
    case "proposing":
      return withCall(endLine(screen), notice.callId, (before) => ({
        id: notice.callId,
        tool: notice.tool,
        title: notice.tool,
        state: "proposing",
        progress: "",
        tail: "",
        arguments: lastWords((before?.arguments ?? "") + notice.text, 4_000),
      }));
    case "queued":
    case "started": {
      const running = {
        id: notice.intentId,
        tool: notice.tool,
        title: notice.title,
        state: notice.kind === "queued" ? "queued" : "running",
        progress: "",
        tail: "",
        arguments: "",
      } as const;
      return withCall(withoutProposals(endLine(screen)), notice.intentId, () => running);
    }
    case "menu_changed":
    case "resource_updated":
    case "piped":
    case "proposed":
    case "revised":
      return screen;
    case "server":
      return withServer(screen, notice);
    case "progressed":
      return withCall(screen, notice.intentId, (before) =>
        before === undefined
          ? undefined
          : { ...before, progress: notice.progress.message, tail: notice.progress.tail ?? before.tail },
      );
    case "observed": {
      const { intentId } = notice.observation;
      const { text } = notice.observation.user;
      const own = screen.verified.filter((one) => one.intentId === intentId && !saysResult(text, one));
      const ended = withItem(withoutProposals(endLine(screen)), { kind: "call", observation: notice.observation });
      return {
        ...ended,
        outputs: keepOutput(screen.outputs, notice.observation),
        calls: ended.calls.filter(({ id }) => id !== intentId),
        verified: screen.verified.filter((one) => one.intentId !== intentId),
        items: [...ended.items, ...notKept(notice.observation), ...own.map(verifiedItem)],
      };
    }
    case "turn_ended":
      return {
        ...withoutProposals(endLine(screen)),
        failed: "",
        usage: addUsage(screen.usage, notice.usage),
        costUsd:
          screen.costUsd === undefined || notice.costUsd === undefined ? undefined : screen.costUsd + notice.costUsd,
        context: { ...screen.context, tokens: Math.round(notice.pressure * screen.context.limit) },
      };
    case "provider_error": {
      const { provider, kind, message } = notice.error;
      const failed = `${provider}: ${kind}: ${message}`;
      if (failed === screen.failed) return endLine(screen);
      return withItem({ ...endLine(screen), failed }, { kind: "note", tone: "bad", text: failed });
    }
    case "retrying": {
      const attempt = `attempt ${notice.attempt} in ${(notice.delayMs / 1000).toFixed(1)} s`;
      const waiting = `the model did not answer; ${attempt}`;
      return { ...withItem(screen, { kind: "note", tone: "warning", text: attempt }), waiting };
    }
    case "fallback":
      return withItem(
        { ...screen, model: modelName(notice.to) },
        { kind: "note", tone: "warning", text: `${modelName(notice.to)} takes over from ${modelName(notice.from)}` },
      );
    case "compacted":
      return withItem(screen, {
        kind: "note",
        tone: "quiet",
        text: `Compacted the older conversation: ${notice.tokensBefore} → ${notice.tokensAfter} tokens`,
      });
    case "verified":
      return { ...screen, verified: [...screen.verified, notice.verification] };
    case "hook":
      return withItem(screen, { kind: "note", tone: "warning", text: `${notice.event} hook: ${notice.message}` });
  }
}

function saysResult(text: string, { kinds }: Verification): boolean {
  return kinds.every((kind) => kind === "tests") && /\btests? (?:passed|failed)\b/.test(text);
}

function notKept({ permission }: Observation): readonly Item[] {
  const problem = permission?.remembered?.problem;
  return problem === undefined ? [] : [{ kind: "note", tone: "warning", text: problem }];
}

function withServer(screen: Screen, { status, message }: Extract<AgentNotice, { readonly kind: "server" }>): Screen {
  const words = message ?? status.detail;
  if ((status.state !== "failed" && status.state !== "needs_login") || words === undefined) return screen;
  const note: Item = { kind: "note", tone: "warning", text: `${status.name}: ${words}` };
  return { ...screen, items: [...screen.items, note] };
}

function withCall(screen: Screen, id: string, next: (before: LiveCall | undefined) => LiveCall | undefined): Screen {
  const before = screen.calls.find((call) => call.id === id);
  const call = next(before);
  if (call === undefined) return screen;
  const calls =
    before === undefined ? [...screen.calls, call] : screen.calls.map((one) => (one.id === id ? call : one));
  return { ...screen, calls };
}

function withoutProposals(screen: Screen): Screen {
  return { ...screen, calls: screen.calls.filter(({ state }) => state !== "proposing") };
}

function lastWords(text: string, most = 400): string {
  return text.slice(-most);
}

export interface ScreenStore {
  readonly screen: () => Screen;
  apply(action: Action): void;
  subscribe(listener: () => void): () => void;
  attach(place: Place): void;
}

interface Place {
  write(items: readonly Item[]): void;
  giveBack(texts: readonly string[]): void;
}

export function createScreenStore(): ScreenStore {
  let screen = emptyScreen;
  let place: Place | undefined;
  let early: readonly Item[] = [];
  const listeners = new Set<() => void>();
  return {
    screen: () => screen,
    apply(action) {
      screen = reduceScreen(screen, action);
      if (screen.items.length > 0) {
        if (place === undefined) early = [...early, ...screen.items];
        else place.write(screen.items);
      }
      if (screen.returned.length > 0) place?.giveBack(screen.returned);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    attach(attached) {
      place = attached;
      if (early.length > 0) attached.write(early);
      early = [];
    },
  };
}
