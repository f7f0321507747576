import type { ContextUse, RunReport } from "../contract/app/agent.ts";
import { noUsage, type TokenUsage } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Elicitation } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Verification } from "../contract/verification.ts";
import type { Fence } from "./markdown.ts";

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
  /** Messages that waited and are not sent: back to who wrote them, and gone with the next action. */
  readonly returned: readonly string[];
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
  /** So many of them were asked for while the model was saying something, and stand behind that. */
  readonly wanted: number;
  /** What was last wrong with the provider: said once, however often it is tried again. */
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
