import type { ContextUse, RunReport } from "../contract/app/agent.ts";
import { noUsage, type TokenUsage } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Elicitation } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Verification } from "../contract/verification.ts";
import { type Fence, fenceAfter, isTableRow } from "./markdown.ts";

export type Item =
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

/** What a person sees, as data. Its size follows what is under way, not how long the session lasts. */
export interface Screen {
  readonly items: readonly Item[];
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

export function withItem(screen: Screen, item: Item): Screen {
  return { ...screen, items: [...screen.items, item] };
}

export function verifiedItem({ passed, kinds, command }: Verification): Item {
  const text = `${kinds.join(", ")} ${passed ? "passed" : "failed"}: ${command}`;
  return { kind: "note", tone: passed ? "good" : "bad", text };
}

const longestLine = 4_000;
const mostTableRows = 100;

export function withText(screen: Screen, text: string): Screen {
  const rows = (screen.line + text).split("\n");
  const line = rows.pop() ?? "";
  // A line without an end would be read again with every piece that comes.
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

export function endLine(screen: Screen): Screen {
  const { line, table, fence } = screen;
  const rows = line === "" ? table : [...table, line];
  let ended: Screen = { ...withSaid(screen, rows), line: "", table: [] };
  ended = { ...ended, wanted: 0, fence: line === "" ? fence : fenceAfter(fence, line) };
  for (let left = screen.wanted; left > 0; left--) ended = withOutput(ended);
  return ended;
}

function withSaid(screen: Screen, rows: readonly string[]): Screen {
  if (rows.length === 0) return screen;
  const { fence, spoke } = screen;
  const item: Item = {
    kind: "said",
    text: rows.join("\n"),
    first: !spoke,
    fence,
  };
  return { ...withItem(screen, item), spoke: true };
}

export function withOutput(screen: Screen): Screen {
  const observation = screen.outputs.at(-1);
  if (observation === undefined) {
    return withItem(screen, { kind: "note", tone: "quiet", text: "No call has more output to show." });
  }
  return { ...withItem(screen, { kind: "output", observation }), outputs: screen.outputs.slice(0, -1) };
}
