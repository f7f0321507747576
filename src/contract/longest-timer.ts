/** In milliseconds. A timer that is set for longer fires at once. */
export const longestTimer = 2 ** 31 - 1;

/** The time of a timer, where it comes from settings, from a tool or from elsewhere. */
export function timerMs(milliseconds: number): number {
  return Math.min(milliseconds, longestTimer);
}
