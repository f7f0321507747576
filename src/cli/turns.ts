/** Takes one piece of work after another: a terminal has one person, and an answer must not meet the wrong question. */
export type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
