import type { IntentId } from "./ids.ts";
import type { Keepsake } from "./model.ts";
import type { Tool } from "./tool.ts";
import type { ToolSource } from "./tool-facts.ts";

export interface IntentOrigin {
  readonly source: "program" | "model" | "agent" | "server" | "mcp" | "person";
  readonly client?: string;
  readonly turnId?: string;
  readonly modelMessageId?: string;
  readonly provider?: {
    readonly name: string;
    readonly model: string;
    readonly callId: string;
    readonly keepsake?: Keepsake;
  };
}

export interface IntentInput {
  readonly id?: IntentId;
  readonly tool: string;
  readonly input: unknown;
  /** Recorded and shown, never read by the gate. */
  readonly reason?: string;
  readonly origin?: IntentOrigin;
  readonly sources?: readonly ToolSource[];
  readonly signal?: AbortSignal;
}

export interface ToolIntent {
  readonly id: IntentId;
  readonly tool: string;
  readonly input: unknown;
  readonly reason?: string;
  readonly origin: IntentOrigin;
  readonly createdAt: string;
}

export interface AcceptedSpelling {
  readonly written: string;
  readonly canonical: string;
}

export interface IdentifiedIntent {
  readonly intent: ToolIntent;
  readonly tool: Tool;
  readonly input: unknown;
  readonly digest: string;
  readonly spellings: readonly AcceptedSpelling[];
}

declare const checked: unique symbol;

export interface CheckedIntent extends IdentifiedIntent {
  readonly [checked]: true;
}
