import type { Outcome } from "./codes.ts";
import type { RequestId } from "./ids.ts";
import type { PermissionAnswer, PermissionRequest } from "./verdict.ts";

/**
 * Questions that nobody could be asked while their call waited. They are kept for a person, whose answer is for the next
 * call that asks exactly the same.
 */
export interface Unanswered {
  list(): Outcome<readonly PermissionRequest[]>;
  /**
   * The answer that a person has given to exactly this question; it is used up with it. Otherwise the question is kept,
   * and this is its name.
   */
  take(request: PermissionRequest): Outcome<{ readonly answer: PermissionAnswer } | { readonly waitsAs: RequestId }>;
  answer(answer: PermissionAnswer): Outcome<PermissionRequest>;
}
