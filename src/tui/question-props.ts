import type { KeyPlace } from "./key-by-key.ts";

/** Of every dialog that asks a person something. */
export interface QuestionProps<Answer> {
  /** Questions behind it. */
  readonly more: number;
  readonly colour: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Keys are for it. Otherwise somebody is writing something else, and it says how to turn to it. */
  readonly isActive: boolean;
  /** The person has just answered another one. */
  readonly follows: boolean;
  /** No key is an answer before it has been there this long. */
  readonly unreadMs?: number;
  /** A key that came with letters, or behind keys whose doing has not been seen yet, settles nothing. */
  keyPlace(): KeyPlace;
  onAnswer(answer: Answer): void;
  /** What was typed and is no answer. */
  onTyped(text: string): void;
}

/** Below this nothing is broken into rows any more; the terminal cuts. */
export const narrowest = 32;
