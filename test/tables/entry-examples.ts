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

/** The entries of a table, each with its examples. Throws where an entry has none, or examples have no entry. */
export function withExamples<T extends object, E extends object>(
  entries: readonly T[],
  examples: readonly EntryExamples<E>[],
  namesOf: (entry: T) => readonly string[],
): readonly (T & { readonly examples: E })[] {
  const surplus = examples.find(({ entry }) => !entries.some((one) => namesOf(one).includes(entry)));
  if (surplus !== undefined) throw new Error(`No entry for the examples of "${surplus.entry}".`);
  // Several entries may have one name: then the order tells them apart.
  const inOrder =
    entries.length === examples.length &&
    entries.every((entry, at) => namesOf(entry).includes(examples[at]?.entry ?? ""));
  return entries.map((entry, at) => {
    const rows = inOrder ? examples.slice(at, at + 1) : examples.filter((row) => namesOf(entry).includes(row.entry));
    const found = rows.map((row) => row.examples);
    const [first] = found;
    if (first === undefined) throw new Error(`No examples of "${namesOf(entry)[0]}".`);
    const joined = (key: string) =>
      found.flatMap((one) => Object.entries(one).find(([name]) => name === key)?.[1] ?? []);
    return {
      ...entry,
      examples: Object.assign({}, first, ...Object.keys(first).map((key) => ({ [key]: joined(key) }))),
    };
  });
}
