import type { Outcome } from "../codes.ts";
import type { SessionId } from "../ids.ts";
import type { IntentInput } from "../intent.ts";
import type {
  FinishReason,
  ModelChain,
  ModelNeed,
  ModelProfile,
  ModelRef,
  ProviderError,
  TokenUsage,
} from "../model.ts";
import type { WithReadonlyLists } from "../observation.ts";
import type { RunLimits } from "../settings.ts";
import type { Verification } from "../verification.ts";
import type { Door, DoorNotice, DoorOptions } from "./door.ts";
import type { ResultLine } from "./stream-line.ts";

export type AgentNotice =
  | DoorNotice
  | { readonly kind: "piped"; readonly bytes: number; readonly lines: number; readonly omittedBytes: number }
  | { readonly kind: "turn_started"; readonly turnId: string; readonly turn: number; readonly model: ModelRef }
  | { readonly kind: "text"; readonly turnId: string; readonly text: string }
  | { readonly kind: "reasoning"; readonly turnId: string; readonly text: string }
  | {
      readonly kind: "proposing";
      readonly turnId: string;
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
    }
  | { readonly kind: "proposed"; readonly intentId: string; readonly tool: string; readonly input: unknown }
  | { readonly kind: "revised"; readonly intentId: string; readonly hook: string; readonly input: unknown }
  | {
      readonly kind: "turn_ended";
      readonly turnId: string;
      readonly reason: FinishReason;
      readonly usage: TokenUsage;
      readonly costUsd?: number;
      readonly pressure: number;
    }
  | { readonly kind: "provider_error"; readonly turnId: string; readonly error: ProviderError }
  | { readonly kind: "retrying"; readonly turnId: string; readonly attempt: number; readonly delayMs: number }
  | { readonly kind: "fallback"; readonly turnId: string; readonly from: ModelRef; readonly to: ModelRef }
  | { readonly kind: "compacted"; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly kind: "verified"; readonly verification: Verification };

export interface MessageOptions extends RunLimits {
  /** Read the files that the message names as `@path` before the model is asked. */
  readonly readMentions?: boolean;
  /** Calls made in the person's name; their results are shown to the model. */
  readonly calls?: readonly Pick<IntentInput, "tool" | "input">[];
  /** Data for the model beside the message. */
  readonly piped?: string;
}

export interface AgentOptions extends Omit<DoorOptions, "onNotice"> {
  readonly model?: ModelNeed;
  readonly by?: "person" | "program";
  readonly onNotice?: (notice: AgentNotice) => void;
}

export type RunReport = WithReadonlyLists<
  Omit<ResultLine, "v" | "type" | "session" | "policyPatch" | "exitCode" | "error">
> & {
  readonly sessionId: SessionId;
  readonly error?: ProviderError;
};
export type UnansweredAsk = RunReport["unanswered"][number];
export type ChangedPath = RunReport["changed"][number];

export interface ContextUse {
  readonly tokens: number;
  readonly limit: number;
  readonly assumed: boolean;
}

export interface Agent {
  readonly sessionId: SessionId;
  readonly door: Door;
  readonly chain: ModelChain;
  readonly notices: readonly string[];
  readonly isRunning: boolean;
  context(): ContextUse;
  send(message: string, options?: MessageOptions): Promise<RunReport>;
  interrupt(note?: string): Promise<void>;
  setModel(need: ModelNeed): Outcome<ModelProfile>;
  compact(): Promise<Outcome<{ readonly tokensBefore: number; readonly tokensAfter: number }>>;
  close(): Promise<void>;
}
