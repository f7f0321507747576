/** At once, and whatever comes meanwhile once more afterwards: a server must not keep every client busy. */
export function atMostEvery(ms: number, tell: () => void): () => void {
  let isResting = false;
  let isDue = false;
  return function told() {
    isDue = isResting;
    if (isResting) return;
    isResting = true;
    tell();
    setTimeout(() => {
      isResting = false;
      if (isDue) told();
    }, ms).unref();
  };
}
