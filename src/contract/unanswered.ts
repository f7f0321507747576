import type { Outcome } from "./codes.ts";
import type { RequestId, SessionId } from "./ids.ts";
import type { PermissionAnswer, PermissionRequest } from "./verdict.ts";

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
