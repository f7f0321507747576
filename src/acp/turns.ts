/** Work on things that have names: for each name one after another. */
export interface Turns {
  take<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
  /** Settles once nobody works on it, or on anything, and never rejects. */
  over(name?: string): Promise<void>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    take(name, work) {
      const mine = (last.get(name) ?? Promise.resolve()).then(work);
      const settled: Promise<void> = mine
        .then(
          () => {},
          () => {},
        )
        .then(() => {
          if (last.get(name) === settled) last.delete(name);
        });
      last.set(name, settled);
      return mine;
    },
    async over(name) {
      const open = () => (name === undefined ? last.values().next().value : last.get(name));
      for (let turn = open(); turn !== undefined; turn = open()) await turn;
    },
  };
}
