import type { Failure } from "./codes.ts";

/** Thrown where the events of a session are read and its file does not give them back. */
export class UnreadableLog extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** For whoever reads events and can say why it came to nothing; anything else that was thrown is a bug. */
export function unreadable(error: unknown): { readonly ok: false; readonly failure: Failure } {
  if (!(error instanceof UnreadableLog)) throw error;
  return { ok: false, failure: error.failure };
}
