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
import type { RunLimits } from "../settings.ts";
import type { CheckedClaim, Verification } from "../verification.ts";
import type { Door, DoorNotice, DoorOptions } from "./door.ts";

export type { RunLimits } from "../settings.ts";

/** Why a run ended. A closed list. */
export const runStops = [
  "done",
  "max_turns",
  "budget",
  "interrupted",
  "provider_error",
  "hook_stopped",
  "log_unavailable",
] as const;
export type RunStop = (typeof runStops)[number];

export type AgentNotice =
  | DoorNotice
  /** What was piped in lies before the model, without so many of its bytes. It can read those as well. */
  | { readonly kind: "piped"; readonly bytes: number; readonly lines: number; readonly omittedBytes: number }
  | { readonly kind: "turn_started"; readonly turnId: string; readonly turn: number; readonly model: ModelRef }
  | { readonly kind: "text"; readonly turnId: string; readonly text: string }
  | { readonly kind: "reasoning"; readonly turnId: string; readonly text: string }
  /** The arguments of a call while they stream. Nothing of it runs before they are complete. */
  | {
      readonly kind: "proposing";
      readonly turnId: string;
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
    }
  /** A call is on record, with its input as it stands there. Whether it may run is decided after it. */
  | { readonly kind: "proposed"; readonly intentId: string; readonly tool: string; readonly input: unknown }
  /** A hook put another input in its place. */
  | { readonly kind: "revised"; readonly intentId: string; readonly hook: string; readonly input: unknown }
  | {
      readonly kind: "turn_ended";
      readonly turnId: string;
      readonly reason: FinishReason;
      readonly usage: TokenUsage;
      readonly costUsd?: number;
      /** Share of the model's context that the next request will take, from 0 to 1. */
      readonly pressure: number;
    }
  | { readonly kind: "provider_error"; readonly turnId: string; readonly error: ProviderError }
  | { readonly kind: "retrying"; readonly turnId: string; readonly attempt: number; readonly delayMs: number }
  | { readonly kind: "fallback"; readonly turnId: string; readonly from: ModelRef; readonly to: ModelRef }
  | { readonly kind: "compacted"; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly kind: "verified"; readonly verification: Verification };

/** How far a run may go, and what belongs to its message. */
export interface MessageOptions extends RunLimits {
  /**
   * Files and directories that the message names as `@path` or `@"path"` are read before the model is asked: calls
   * through the door like all others, in the person's name. Names of nothing stay words.
   */
  readonly readMentions?: boolean;
  /** Calls that the person chose, made in their name in the same way: what they bring lies before the model too. */
  readonly calls?: readonly Pick<IntentInput, "tool" | "input">[];
  /** Text that came with the message and is no part of it. The model is given it as data, as far as it fits. */
  readonly piped?: string;
}

export interface AgentOptions extends Omit<DoorOptions, "onNotice"> {
  readonly model?: ModelNeed;
  /** Who speaks: a person unless it is said otherwise. On record only. */
  readonly by?: "person" | "program";
  readonly onNotice?: (notice: AgentNotice) => void;
}

/** An ask that nobody answered, with what would have been agreed to. */
export interface UnansweredAsk {
  readonly intentId: string;
  readonly tool: string;
  readonly title: string;
  readonly rules: readonly string[];
  /** What else would have let it run. */
  readonly recovery?: string;
  /** Of a command that ran: the artifact that lists what it would have changed. */
  readonly changes?: string;
}

export interface ChangedPath {
  /** Relative to the workspace where it lies inside. */
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "moved";
  /** It changed while a command ran, and nothing says that the command did it. */
  readonly whileRunning?: true;
}

/** What happened, built from the log and from nothing that the model said. */
export interface RunReport {
  readonly runId: string;
  readonly sessionId: SessionId;
  readonly stop: RunStop;
  /** In one sentence, when it is not `done`. */
  readonly detail?: string;
  readonly error?: ProviderError;
  /** The model's last words. A claim, not a fact. */
  readonly answer: string;
  readonly model: ModelRef;
  readonly turns: number;
  readonly calls: { readonly all: number; readonly failed: number; readonly denied: number };
  readonly usage: TokenUsage;
  /** Absent when a model's price is unknown. */
  readonly costUsd?: number;
  readonly durationMs: number;
  readonly changed: readonly ChangedPath[];
  /** So many more, in dependencies, caches and git's own books. Absent when there are none. */
  readonly unlisted?: number;
  /** Sequence number of the session's last change of a file; a check with another `afterChange` is older than it. */
  readonly lastChange: number;
  readonly verifications: readonly Verification[];
  readonly claims: readonly CheckedClaim[];
  readonly unanswered: readonly UnansweredAsk[];
}

/** How much of the model's context the next request would take. */
export interface ContextUse {
  readonly tokens: number;
  /** What the model can take in, beside its answer. */
  readonly limit: number;
  /** The model is not known, so its context window is a guess. */
  readonly assumed: boolean;
}

/** A session with a model. Its calls go through the door like everybody else's. */
export interface Agent {
  readonly sessionId: SessionId;
  readonly door: Door;
  readonly chain: ModelChain;
  /** What a person should know about how it was opened, a sentence each. */
  readonly notices: readonly string[];
  /** A message is under way. */
  readonly isRunning: boolean;
  context(): ContextUse;
  /** One message of a person, and everything that follows until the model stops. One at a time. */
  send(message: string, options?: MessageOptions): Promise<RunReport>;
  /** Ends the run at its next safe point; what was recorded stays consistent, and the next message goes on from it. */
  interrupt(note?: string): Promise<void>;
  /** From the next turn on. Nothing that was said is lost. */
  setModel(need: ModelNeed): Outcome<ModelProfile>;
  /** Replaces older history by its facts. */
  compact(): Promise<Outcome<{ readonly tokensBefore: number; readonly tokensAfter: number }>>;
  close(): Promise<void>;
}
