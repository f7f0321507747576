import type { AgentNotice, ContextUse, RunReport } from "../contract/app/agent.ts";
import { addUsage, type ModelRef, modelName, noUsage, type TokenUsage } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Elicitation } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Verification } from "../contract/verification.ts";
import { keepOutput } from "./call-output.ts";
import { type Fence, fenceAfter, isTableRow } from "./markdown.ts";

export type ScreenItem =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "command"; readonly text: string }
  | {
      readonly kind: "said";
      readonly text: string;
      readonly first: boolean;
      readonly fence?: Fence;
    }
  | { readonly kind: "call"; readonly observation: Observation }
  | { readonly kind: "output"; readonly observation: Observation }
  | { readonly kind: "note"; readonly tone: NoteTone; readonly text: string }
  | { readonly kind: "report"; readonly report: RunReport };

export type NoteTone = "plain" | "good" | "bad" | "warning" | "quiet";

export interface LiveCall {
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  readonly state: "proposing" | "queued" | "running";
  readonly progress: string;
  readonly tail: string;
  readonly arguments: string;
}

/** What the user sees, as data. Its size must not grow with the length of the session. */
export interface Screen {
  readonly items: readonly ScreenItem[];
  readonly returned: readonly string[];
  readonly line: string;
  readonly fence: Fence | undefined;
  readonly table: readonly string[];
  readonly spoke: boolean;
  readonly thought: string;
  readonly calls: readonly LiveCall[];
  readonly verified: readonly Verification[];
  readonly working: boolean;
  readonly waiting: string;
  readonly questions: readonly PermissionRequest[];
  readonly elicitations: readonly Elicitation[];
  readonly queue: readonly string[];
  readonly outputs: readonly Observation[];
  readonly wanted: number;
  readonly failed: string;
  readonly model: string;
  readonly mode: string;
  readonly turns: number;
  readonly usage: TokenUsage;
  readonly costUsd: number | undefined;
  readonly context: ContextUse;
}

export const emptyScreen: Screen = {
  items: [],
  returned: [],
  line: "",
  fence: undefined,
  table: [],
  spoke: false,
  thought: "",
  calls: [],
  verified: [],
  working: false,
  waiting: "",
  questions: [],
  elicitations: [],
  queue: [],
  outputs: [],
  wanted: 0,
  failed: "",
  model: "",
  mode: "",
  turns: 0,
  usage: noUsage,
  costUsd: 0,
  context: { tokens: 0, limit: 0, assumed: false },
};

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
  | { readonly kind: "past"; readonly items: readonly ScreenItem[]; readonly outputs: readonly Observation[] }
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
        ...withNote(withItem(screen, { kind: "command", text: action.text }), "bad", action.why),
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
      return withNote(atRest(screen), "bad", action.text);
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
    case "queued":
    case "started":
    case "progressed":
      return withCallNotice(screen, notice);
    case "observed":
      return withObservation(screen, notice.observation);
    case "menu_changed":
    case "resource_updated":
    case "piped":
    case "proposed":
    case "revised":
      return screen;
    case "server":
      return withServer(screen, notice);
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
      const ended = endLine(screen);
      return failed === screen.failed ? ended : withNote({ ...ended, failed }, "bad", failed);
    }
    case "retrying": {
      const attempt = `attempt ${notice.attempt} in ${(notice.delayMs / 1000).toFixed(1)} s`;
      return withNote({ ...screen, waiting: `the model did not answer; ${attempt}` }, "warning", attempt);
    }
    case "fallback": {
      const [from, to] = [modelName(notice.from), modelName(notice.to)];
      return withNote({ ...screen, model: to }, "warning", `${from} failed; using ${to}`);
    }
    case "compacted": {
      const { tokensBefore, tokensAfter } = notice;
      return withNote(screen, "quiet", `Compacted the older conversation: ${tokensBefore} → ${tokensAfter} tokens`);
    }
    case "verified":
      return { ...screen, verified: [...screen.verified, notice.verification] };
    case "hook":
      return withNote(screen, "warning", `${notice.event} hook: ${notice.message}`);
  }
}

type CallNotice = Extract<AgentNotice, { readonly kind: "proposing" | "queued" | "started" | "progressed" }>;

function withCallNotice(screen: Screen, notice: CallNotice): Screen {
  switch (notice.kind) {
    case "proposing": {
      const { callId: id, tool, text } = notice;
      return withCall(endLine(screen), id, (before) => ({
        ...{ id, tool, title: tool, state: "proposing", progress: "", tail: "" },
        arguments: lastWords((before?.arguments ?? "") + text, 4_000),
      }));
    }
    case "queued":
    case "started": {
      const { intentId: id, tool, title } = notice;
      const state = notice.kind === "queued" ? "queued" : "running";
      const call = { id, tool, title, state, progress: "", tail: "", arguments: "" } as const;
      return withCall(withoutProposals(endLine(screen)), id, () => call);
    }
    case "progressed": {
      const { message: progress, tail } = notice.progress;
      return withCall(
        screen,
        notice.intentId,
        (before) => before && { ...before, progress, tail: tail ?? before.tail },
      );
    }
  }
}

function withObservation(screen: Screen, observation: Observation): Screen {
  const { intentId, user } = observation;
  const own = screen.verified.filter((one) => one.intentId === intentId && !saysResult(user.text, one));
  const ended = withItem(withoutProposals(endLine(screen)), { kind: "call", observation });
  return {
    ...ended,
    outputs: keepOutput(screen.outputs, observation),
    calls: ended.calls.filter(({ id }) => id !== intentId),
    verified: screen.verified.filter((one) => one.intentId !== intentId),
    items: [...ended.items, ...notKept(observation), ...own.map(verifiedItem)],
  };
}

function saysResult(text: string, { kinds }: Verification): boolean {
  return kinds.every((kind) => kind === "tests") && /\btests? (?:passed|failed)\b/.test(text);
}

function notKept({ permission }: Observation): readonly ScreenItem[] {
  const problem = permission?.remembered?.problem;
  return problem === undefined ? [] : [{ kind: "note", tone: "warning", text: problem }];
}

function withServer(screen: Screen, { status, message }: Extract<AgentNotice, { readonly kind: "server" }>): Screen {
  const words = message ?? status.detail;
  if ((status.state !== "failed" && status.state !== "needs_login") || words === undefined) return screen;
  return withNote(screen, "warning", `${status.name}: ${words}`);
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

function withItem(screen: Screen, item: ScreenItem): Screen {
  return { ...screen, items: [...screen.items, item] };
}

function withNote(screen: Screen, tone: NoteTone, text: string): Screen {
  return withItem(screen, { kind: "note", tone, text });
}

export function verifiedItem({ passed, kinds, command }: Verification): ScreenItem {
  const text = `${kinds.join(", ")} ${passed ? "passed" : "failed"}: ${command}`;
  return { kind: "note", tone: passed ? "good" : "bad", text };
}

const longestLine = 4_000;
const mostTableRows = 100;

function withText(screen: Screen, text: string): Screen {
  const rows = (screen.line + text).split("\n");
  const line = rows.pop() ?? "";
  // A line that never ends would be processed again for every chunk.
  if (line.length > longestLine) return { ...withRows(screen, [...rows, line]), line: "" };
  return { ...withRows(screen, rows), line };
}

function withRows(screen: Screen, rows: readonly string[]): Screen {
  const ready: string[] = [];
  let { fence, table } = screen;
  for (const row of rows) {
    if (fence === undefined && isTableRow(row) && table.length < mostTableRows) {
      table = [...table, row];
      continue;
    }
    ready.push(...table, row);
    table = [];
    fence = fenceAfter(fence, row);
  }
  return { ...withSaid(screen, ready), fence, table };
}

function endLine(screen: Screen): Screen {
  const { line, table, fence } = screen;
  const rows = line === "" ? table : [...table, line];
  const after = line === "" ? fence : fenceAfter(fence, line);
  let ended: Screen = { ...withSaid(screen, rows), line: "", table: [], wanted: 0, fence: after };
  for (let left = screen.wanted; left > 0; left--) ended = withOutput(ended);
  return ended;
}

function withSaid(screen: Screen, rows: readonly string[]): Screen {
  if (rows.length === 0) return screen;
  const { fence, spoke } = screen;
  return { ...withItem(screen, { kind: "said", text: rows.join("\n"), first: !spoke, fence }), spoke: true };
}

function withOutput(screen: Screen): Screen {
  const observation = screen.outputs.at(-1);
  if (observation === undefined) return withNote(screen, "quiet", "No call has more output to show.");
  return { ...withItem(screen, { kind: "output", observation }), outputs: screen.outputs.slice(0, -1) };
}

export interface ScreenStore {
  readonly screen: () => Screen;
  apply(action: Action): void;
  subscribe(listener: () => void): () => void;
  attach(output: ScreenOutput): void;
}

interface ScreenOutput {
  write(items: readonly ScreenItem[]): void;
  giveBack(texts: readonly string[]): void;
}

export function createScreenStore(): ScreenStore {
  let screen = emptyScreen;
  let output: ScreenOutput | undefined;
  let early: readonly ScreenItem[] = [];
  const listeners = new Set<() => void>();
  return {
    screen: () => screen,
    apply(action) {
      screen = reduceScreen(screen, action);
      if (screen.items.length > 0) {
        if (output === undefined) early = [...early, ...screen.items];
        else output.write(screen.items);
      }
      if (screen.returned.length > 0) output?.giveBack(screen.returned);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    attach(attached) {
      output = attached;
      if (early.length > 0) attached.write(early);
      early = [];
    },
  };
}
