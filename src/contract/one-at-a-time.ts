/** Takes one piece of work after another, whatever became of the one before. */
export type OneAtATime = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** The same for things that have names, for each of them by itself. */
export interface OneAtATimeByName {
  take<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
  /** Settles once nobody works on it, or on anything, and never rejects. */
  over(name?: string): Promise<void>;
}

export function createOneAtATimeByName(): OneAtATimeByName {
  const last = new Map<string, Promise<void>>();
  return {
    take(name, work) {
      const done = (last.get(name) ?? Promise.resolve()).then(work);
      const forget = () => {
        if (last.get(name) === settled) last.delete(name);
      };
      const settled = done.then(forget, forget);
      last.set(name, settled);
      return done;
    },
    async over(name) {
      const open = () => (name === undefined ? last.values().next().value : last.get(name));
      for (let one = open(); one !== undefined; one = open()) await one;
    },
  };
}
