import type { AgentNotice, RunReport } from "../contract/agent.ts";
import { addUsage, type ModelRef, modelName, noUsage, type TokenUsage } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Elicitation } from "../contract/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Verification } from "../contract/verification.ts";
import { keepOutput } from "./call-output.ts";
import { type Fence, fenceAfter, isTableRow } from "./markdown.ts";

/** Over and done with: written once above what moves, and never touched again. */
export type Item =
  | { readonly kind: "message"; readonly text: string }
  /** What the person told the terminal and not the model. */
  | { readonly kind: "command"; readonly text: string }
  /** Whole lines of what the model says. */
  | {
      readonly kind: "said";
      readonly text: string;
      readonly first: boolean;
      /** The fenced block that it goes on in. */
      readonly fence?: Fence;
    }
  | { readonly kind: "call"; readonly observation: Observation }
  /** All of what a call printed, because it was asked for. */
  | { readonly kind: "output"; readonly observation: Observation }
  | { readonly kind: "note"; readonly tone: NoteTone; readonly text: string }
  | { readonly kind: "report"; readonly report: RunReport };

export type NoteTone = "plain" | "good" | "bad" | "warning" | "quiet";

/** A call that has not ended. */
export interface LiveCall {
  /** Of the intent, or of the model's call while its arguments stream. */
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  readonly state: "proposing" | "queued" | "running";
  readonly progress: string;
  /** The last lines that it printed. */
  readonly tail: string;
  /** The arguments as far as they came. */
  readonly arguments: string;
}

/** What a person sees, as data. Its size follows what is under way, not how long the session lasts. */
export interface Screen {
  /** What the last action brought to an end: to be written out, and gone with the next. */
  readonly items: readonly Item[];
  /** The line that the model is still writing. */
  readonly line: string;
  /** The fenced block that this line stands in. */
  readonly fence: Fence | undefined;
  /** Rows of a table whose end has not come: how wide its columns are shows only then. */
  readonly table: readonly string[];
  /** Something of this turn's text stands above already. */
  readonly spoke: boolean;
  readonly thought: string;
  readonly calls: readonly LiveCall[];
  /** What calls under way have shown already; told below them. */
  readonly verified: readonly Verification[];
  readonly working: boolean;
  /** Why nothing moves, while a provider is waited for. */
  readonly waiting: string;
  readonly questions: readonly PermissionRequest[];
  /** What servers want to know. */
  readonly elicitations: readonly Elicitation[];
  readonly queue: readonly string[];
  /** The last calls that printed something, newest last: all of it can be asked for. */
  readonly outputs: readonly Observation[];
  readonly model: string;
  readonly mode: string;
  readonly turns: number;
  readonly usage: TokenUsage;
  readonly costUsd: number | undefined;
  readonly pressure: number;
}

export type Action =
  | { readonly kind: "notice"; readonly notice: AgentNotice }
  | { readonly kind: "sent"; readonly text: string }
  | { readonly kind: "commanded"; readonly text: string }
  /** All of the output of the last call that was not looked at in this way yet. */
  | { readonly kind: "output_wanted" }
  | { readonly kind: "queued_up"; readonly text: string }
  | { readonly kind: "queue_dropped" }
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
  | { readonly kind: "model"; readonly model: ModelRef }
  | { readonly kind: "mode"; readonly mode: string };

export const emptyScreen: Screen = {
  items: [],
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
  model: "",
  mode: "",
  turns: 0,
  usage: noUsage,
  costUsd: 0,
  pressure: 0,
};

export function reduceScreen(before: Screen, action: Action): Screen {
  const screen = { ...before, items: [] };
  switch (action.kind) {
    case "notice":
      return withNotice(screen, action.notice);
    case "sent":
      return {
        ...withItem(screen, { kind: "message", text: action.text }),
        working: true,
        queue: screen.queue[0] === action.text ? screen.queue.slice(1) : screen.queue,
      };
    case "commanded":
      return withItem(screen, { kind: "command", text: action.text });
    case "output_wanted":
      return withOutput(screen);
    case "queue_dropped":
      return { ...screen, queue: [] };
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
    case "model":
      return { ...screen, model: modelName(action.model) };
    case "mode":
      return { ...screen, mode: action.mode };
  }
}

function withOutput(screen: Screen): Screen {
  const observation = screen.outputs.at(-1);
  if (observation === undefined) {
    return withItem(screen, { kind: "note", tone: "quiet", text: "No call has more output to show." });
  }
  return { ...withItem(screen, { kind: "output", observation }), outputs: screen.outputs.slice(0, -1) };
}

function atRest(screen: Screen): Screen {
  const ended = endLine({ ...screen, working: false, waiting: "", thought: "", calls: [], verified: [] });
  return { ...ended, items: [...ended.items, ...screen.verified.map(verifiedItem)] };
}

export function verifiedItem({ passed, kinds, command }: Verification): Item {
  const text = `${kinds.join(", ")} ${passed ? "passed" : "failed"}: ${command}`;
  return { kind: "note", tone: passed ? "good" : "bad", text };
}

/** Only what a person has to know: one that failed or wants something of them. */
function withServer(screen: Screen, { status, message }: Extract<AgentNotice, { readonly kind: "server" }>): Screen {
  const words = message ?? status.detail;
  if ((status.state !== "failed" && status.state !== "needs_login") || words === undefined) return screen;
  const note: Item = { kind: "note", tone: "warning", text: `${status.name}: ${words}` };
  return { ...screen, items: [...screen.items, note] };
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
    case "piped":
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
      const own = screen.verified.filter((one) => one.intentId === intentId);
      const ended = withItem(withoutProposals(endLine(screen)), { kind: "call", observation: notice.observation });
      return {
        ...ended,
        outputs: keepOutput(screen.outputs, notice.observation),
        calls: ended.calls.filter(({ id }) => id !== intentId),
        verified: screen.verified.filter((one) => one.intentId !== intentId),
        items: [...ended.items, ...own.map(verifiedItem)],
      };
    }
    case "turn_ended":
      return {
        ...withoutProposals(endLine(screen)),
        usage: addUsage(screen.usage, notice.usage),
        costUsd:
          screen.costUsd === undefined || notice.costUsd === undefined ? undefined : screen.costUsd + notice.costUsd,
        pressure: notice.pressure,
      };
    case "provider_error":
      return withItem(endLine(screen), {
        kind: "note",
        tone: "bad",
        text: `${notice.error.provider}: ${notice.error.kind}: ${notice.error.message}`,
      });
    case "retrying": {
      const seconds = (notice.delayMs / 1000).toFixed(1);
      return { ...screen, waiting: `the model did not answer; attempt ${notice.attempt} in ${seconds} s` };
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
        text: `older history is shown by its facts now: ${notice.tokensBefore} → ${notice.tokensAfter} tokens`,
      });
    case "verified":
      return { ...screen, verified: [...screen.verified, notice.verification] };
    case "hook":
      return withItem(screen, { kind: "note", tone: "warning", text: `${notice.event} hook: ${notice.message}` });
  }
}

const longestLine = 4_000;
const mostTableRows = 100;

/** Lines that are complete are written out at once: what is redrawn stays one line long, however long the answer. */
function withText(screen: Screen, text: string): Screen {
  const rows = (screen.line + text).split("\n");
  const line = rows.pop() ?? "";
  // A line without an end would be read again with every piece that comes.
  if (line.length > longestLine) return { ...withRows(screen, [...rows, line]), line: "" };
  return { ...withRows(screen, rows), line };
}

/** A table waits for its end, within reason. */
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
  return { ...withSaid(screen, rows), line: "", table: [], fence: line === "" ? fence : fenceAfter(fence, line) };
}

function withSaid(screen: Screen, rows: readonly string[]): Screen {
  if (rows.length === 0) return screen;
  const { fence, spoke } = screen;
  const item: Item = {
    kind: "said",
    text: rows.join("\n"),
    first: !spoke,
    ...(fence === undefined ? {} : { fence }),
  };
  return { ...withItem(screen, item), spoke: true };
}

function withItem(screen: Screen, item: Item): Screen {
  return { ...screen, items: [...screen.items, item] };
}

function withCall(screen: Screen, id: string, next: (before: LiveCall | undefined) => LiveCall | undefined): Screen {
  const before = screen.calls.find((call) => call.id === id);
  const call = next(before);
  if (call === undefined) return screen;
  const calls =
    before === undefined ? [...screen.calls, call] : screen.calls.map((one) => (one.id === id ? call : one));
  return { ...screen, calls };
}

/** Once the calls themselves are there, their arguments have been seen. */
function withoutProposals(screen: Screen): Screen {
  return { ...screen, calls: screen.calls.filter(({ state }) => state !== "proposing") };
}

function lastWords(text: string, most = 400): string {
  return text.slice(-most);
}
