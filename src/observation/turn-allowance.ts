/** Enough to say what was left out and how to read it. */
const smallestShare = 400;

/** Characters that each call of a turn may give to the model. Equal shares, so that no call depends on its neighbours. */
export function turnAllowance(turnChars: number, batchSize: number): number {
  return Math.max(smallestShare, Math.floor(turnChars / Math.max(1, batchSize)));
}
