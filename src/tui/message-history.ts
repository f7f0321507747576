/** What was sent before, and where in it a person is looking. */
export interface MessageHistory {
  readonly past: readonly string[];
  /** Index into `past`; its length where the draft stands. */
  readonly at: number;
  readonly draft: string;
}

const mostKept = 200;

export const emptyHistory: MessageHistory = { past: [], at: 0, draft: "" };

export function remember({ past }: MessageHistory, message: string): MessageHistory {
  const kept = past.at(-1) === message ? past : [...past, message].slice(-mostKept);
  return { past: kept, at: kept.length, draft: "" };
}

/** The message before or after, or nothing at either end. What was being written is kept for the way back. */
export function lookBack(
  history: MessageHistory,
  by: -1 | 1,
  written: string,
): { readonly history: MessageHistory; readonly text: string } | undefined {
  const at = history.at + by;
  if (at < 0 || at > history.past.length) return undefined;
  const draft = history.at === history.past.length ? written : history.draft;
  return { history: { ...history, at, draft }, text: history.past[at] ?? draft };
}

/** What stands there is a message of before, as it was sent. */
export function isLookingBack({ past, at }: MessageHistory, written: string): boolean {
  return past[at] === written;
}
