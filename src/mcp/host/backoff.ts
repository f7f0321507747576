const firstMs = 500;
const longestMs = 30_000;

/** How long to leave a server alone that failed this many times in a row. `random` is from 0 to 1. */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole * (0.5 + random / 2));
}
