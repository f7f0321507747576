import type { IntentId } from "./ids.ts";
import type { Keepsake } from "./model.ts";
import type { Tool } from "./tool.ts";
import type { ToolSource } from "./tool-facts.ts";

/** Who proposed an intent, and out of which model message. */
export interface IntentOrigin {
  /** `person`: somebody named it in a message. */
  readonly source: "program" | "model" | "agent" | "server" | "mcp" | "person";
  /** What a client of the protocol says that it is. */
  readonly client?: string;
  readonly turnId?: string;
  readonly modelMessageId?: string;
  readonly provider?: {
    readonly name: string;
    readonly model: string;
    readonly callId: string;
    /** What this provider wants to see again with the call. */
    readonly keepsake?: Keepsake;
  };
}

/** What a caller hands to the door. */
export interface IntentInput {
  readonly id?: IntentId;
  readonly tool: string;
  readonly input: unknown;
  /** Recorded and shown, never read by the gate. */
  readonly reason?: string;
  readonly origin?: IntentOrigin;
  /** Whoever proposes it knows tools from these sources only: one from another is as unknown to them as none. */
  readonly sources?: readonly ToolSource[];
  /** Cancels this call alone, as an interrupt would. */
  readonly signal?: AbortSignal;
}

/** What is proposed: a request, not an action. */
export interface ToolIntent {
  readonly id: IntentId;
  readonly tool: string;
  readonly input: unknown;
  readonly reason?: string;
  readonly origin: IntentOrigin;
  readonly createdAt: string;
}

/** A spelling known from elsewhere that was accepted, for the record. */
export interface AcceptedSpelling {
  readonly written: string;
  readonly canonical: string;
}

/** An intent whose tool exists, is visible, and whose input has the right shape. */
export interface IdentifiedIntent {
  readonly intent: ToolIntent;
  readonly tool: Tool;
  /** Normalised: aliases replaced, defaults filled in. */
  readonly input: unknown;
  /** Over tool name, version and normalised input: what an approval is bound to. */
  readonly digest: string;
  readonly spellings: readonly AcceptedSpelling[];
}

declare const checked: unique symbol;

/** One whose preconditions held when it was looked at. Only `intent/check-intent.ts` makes one. */
export interface CheckedIntent extends IdentifiedIntent {
  readonly [checked]: true;
}
