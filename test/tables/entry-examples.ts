/** Commands, or paths, that an entry of a table covers, and some that it does not. */
export interface Examples {
  readonly match: readonly string[];
  readonly noMatch: readonly string[];
}

/** Commands by what they do: run code, run code and connect, only print, or only read. */
export interface RunnerExamples {
  readonly run: readonly string[];
  readonly connect: readonly string[];
  readonly print?: readonly string[];
  readonly describe?: readonly string[];
}

export interface EntryExamples<E = Examples> {
  /** The name of the entry: the first one if it has several. */
  readonly entry: string;
  readonly examples: E;
}

/** The entries of a table, each with its examples. Throws unless the examples name every entry, in the same order. */
export function withExamples<T extends object, E>(
  entries: readonly T[],
  examples: readonly EntryExamples<E>[],
  nameOf: (entry: T) => string,
): readonly (T & { readonly examples: E })[] {
  const surplus = examples[entries.length];
  if (surplus !== undefined) throw new Error(`No entry for the examples of "${surplus.entry}".`);
  return entries.map((entry, index) => {
    const name = nameOf(entry);
    const found = examples[index];
    if (found?.entry !== name) {
      throw new Error(`Expected the examples of "${name}", found ${found ? `those of "${found.entry}"` : "none"}.`);
    }
    return { ...entry, examples: found.examples };
  });
}
