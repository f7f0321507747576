import type { AuditAnswer } from "./archive.ts";
import type { Code } from "./codes.ts";
import type { PipedData } from "./events/run.ts";
import type { CheckedClaim, Verification } from "./verification.ts";

export const replayViews = ["conversation", "input", "audit"] as const;
/** What was said and done; the exact bytes that a model was sent; or how each observation came about. */
export type ReplayView = (typeof replayViews)[number];

export interface ReplayOptions {
  readonly view: ReplayView;
  /** Only what belongs to this turn. */
  readonly turn?: string;
}

/** The events that an entry stands for, from the first to the last. Others may lie between them. */
export interface ReplaySpan {
  readonly from: number;
  readonly to: number;
  readonly at: string;
  readonly turnId?: string;
}

/** One call from its proposal to its end, without what lies only in the log. */
export interface ReplayCall {
  readonly kind: "call";
  readonly intentId: string;
  readonly tool: string;
  readonly input: unknown;
  /** `open`: the log ends before it. */
  readonly status: "ok" | "failed" | "denied" | "open";
  readonly code?: Code;
  readonly title: string;
  readonly summary: string;
  readonly decision?: { readonly decision: string; readonly source: string; readonly reason: string };
  /** Who answered where a person was asked, and how. */
  readonly answered?: { readonly answer: string; readonly by: string; readonly message?: string };
  /** Of a command on a view: what it proposed, who decided on it, and what became of it. */
  readonly proposed?: {
    readonly created: number;
    readonly modified: number;
    readonly deleted: number;
    readonly by?: string;
    readonly reason?: string;
    readonly outcome?: string;
  };
  readonly changed: readonly string[];
  readonly auditId?: string;
}

export interface SaidMessage {
  readonly kind: "message";
  readonly by: "person" | "program" | "runtime";
  readonly text: string;
  /** How much was piped in with it, and where all of it is kept. */
  readonly piped?: Omit<PipedData, "text">;
}

/** One step of what happened. */
export type ReplayEntry = ReplaySpan &
  (
    | SaidMessage
    | { readonly kind: "answer"; readonly text: string }
    | { readonly kind: "reasoning"; readonly text: string }
    | ReplayCall
    | { readonly kind: "verification"; readonly verification: Verification }
    | { readonly kind: "claim"; readonly claim: CheckedClaim }
    | { readonly kind: "note"; readonly about: string; readonly text: string; readonly bad?: true }
    | { readonly kind: "input"; readonly text: string; readonly bytes: number }
    | { readonly kind: "audit"; readonly answer: AuditAnswer }
  );
