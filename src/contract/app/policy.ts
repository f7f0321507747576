import type { Outcome } from "../codes.ts";
import type { Risk } from "../effect.ts";
import type { RequestId, SessionId } from "../ids.ts";
import type { ChangedItem, RuleText } from "../settings.ts";
import type { DecisionSource, Mode, PermissionAnswer, PermissionRequest, Verdict } from "../verdict.ts";
import type { UntrustedItem } from "./skill.ts";

/** One thing that is wrong with a policy file, and where. */
export interface PolicyProblem {
  readonly level: "error" | "warning";
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** `permissions.allow[2]` */
  readonly field?: string;
  readonly rule?: string;
  readonly action?: RuleText["action"];
}

export interface PolicyCheck {
  readonly file: string;
  /** No errors; there may be warnings. */
  readonly ok: boolean;
  readonly rules: number;
  readonly problems: readonly PolicyProblem[];
}

/** How a recorded call was judged, and how it would be. */
export interface PolicyTrial {
  readonly session: SessionId;
  /** Of the recorded decision. */
  readonly seq: number;
  readonly intentId: string;
  readonly tool: string;
  /** As recorded, secrets redacted. */
  readonly input: unknown;
  readonly mode: Mode;
  readonly before: TriedVerdict;
  readonly after: TriedVerdict;
  readonly changed: boolean;
  /** Why the verdict changed, where that is not this policy's doing. */
  readonly otherwise?: string;
  /** What this judgement cannot know: the workspace is gone, the input is redacted, a hook had decided. */
  readonly notes: readonly string[];
}

/** A session whose log could not be read: nothing is said about it. */
export interface UntriedSession {
  readonly session: SessionId;
  readonly problem: string;
}

export interface TriedVerdict {
  readonly decision: Verdict["decision"];
  readonly risk: Risk;
  readonly reason: string;
  readonly source: DecisionSource | "refusal";
  readonly rule?: string;
}

export interface TrialRange {
  /** All sessions when absent. */
  readonly sessions?: readonly SessionId[];
  /** Only the latest so many. */
  readonly limit?: number;
}

export interface TrustReport {
  /** Where the person's trust in this project is kept. */
  readonly file: string;
  readonly items: readonly (UntrustedItem & { readonly trusted: boolean })[];
  /** Hashes that are trusted, of items that are not in the project now: they would be in force if they came back. */
  readonly absent: readonly string[];
  /** What items were called when they were trusted, by their hashes, as far as that is known. */
  readonly names?: Readonly<Record<string, string>>;
  /** Items that were trusted as something else: their hashes now and then, and in a sentence what differs. */
  readonly changed?: readonly ChangedItem[];
}

/** What is asked about policies rather than about calls. Nothing of it runs a tool. */
export interface PolicyDesk {
  /** Fails only when the file cannot be read. */
  check(file: string, options: { readonly project: boolean }): Promise<Outcome<PolicyCheck>>;
  /** Judges recorded calls by another policy in place of the person's own. */
  try(file: string, range: TrialRange): Outcome<AsyncIterable<PolicyTrial | UntriedSession>>;
  /** What this project asks for; first trusts these items, or no longer. Hashes in full. */
  trust(change?: { readonly accept?: readonly string[]; readonly revoke?: readonly string[] }): Outcome<TrustReport>;
}

export interface WaitingRequest extends PermissionRequest {
  /** What the client that made the call says that it is. */
  readonly client?: string;
}

/** Whose call it is that asks. */
export interface QuestionOrigin {
  /** An answer for the session is for no other one. */
  readonly session: SessionId;
  /** What the client that made the call says that it is. */
  readonly client?: string;
  /** What is kept, and shown to others, is without secrets. */
  redact<Value>(value: Value): Value;
}

/**
 * Questions that nobody could be asked while their call waited. They are kept for a person, whose answer is for the next
 * call that asks exactly the same.
 */
export interface Unanswered {
  list(): Outcome<readonly WaitingRequest[]>;
  /**
   * The answer that a person has given to exactly this question; it is used up with it. Otherwise the question is kept,
   * and this is its name.
   */
  take(
    request: PermissionRequest,
    origin: QuestionOrigin,
  ): Outcome<{ readonly answer: PermissionAnswer } | { readonly waitsAs: RequestId }>;
  answer(answer: PermissionAnswer): Outcome<PermissionRequest>;
}
