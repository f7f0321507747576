const smallestShare = 400;

export function turnAllowance(turnChars: number, batchSize: number): number {
  return Math.max(smallestShare, Math.floor(turnChars / Math.max(1, batchSize)));
}
