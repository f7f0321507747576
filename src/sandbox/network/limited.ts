/** At most so many calls of a function at once; the others wait their turn. */
export function limited<Argument, Value>(
  run: (argument: Argument) => Promise<Value>,
  atOnce: number,
): (argument: Argument) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (argument) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run(argument);
    } finally {
      // A place is handed on, never given up and taken again: nobody can slip in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
