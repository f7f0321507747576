import path from "node:path";
import type { StdioServer } from "../contract/server.ts";
import { isBound } from "./bound-program.ts";
import { bindNames, isDirectory, type Refused, type Search } from "./named-files.ts";
import { takesScript } from "./runtimes.ts";

const compiledElsewhere = /pycache_?prefix/i;
const pythons = [
  ...Array.from({ length: 15 }, (_, at) => `cpython-3${at + 6}`),
  ...Array.from({ length: 8 }, (_, at) => `pypy3${at + 6}`),
];

/** Of a module Python runs what was once compiled, and need not look at its source. A script it always compiles. */
export function bindCompiled({ env = {} }: StdioServer, words: readonly string[], search: Search): Refused | undefined {
  if ([...words, ...Object.keys(env)].some((word) => compiledElsewhere.test(word))) {
    return { why: "it says where compiled files of Python lie" };
  }
  if (takesScript.test(path.basename(words[0] ?? "")) && isBound(words, search)) return undefined;
  const sources = [...search.found.keys()].filter((file) => file.endsWith(".py"));
  const compiled = sources.flatMap((file) => {
    const place = path.join(path.dirname(file), "__pycache__", path.basename(file, ".py"));
    if (!isDirectory(path.dirname(place), search)) return [];
    return pythons.flatMap((python) => ["", ".opt-1", ".opt-2"].map((level) => `${place}.${python}${level}.pyc`));
  });
  const done = bindNames(compiled, search);
  return "why" in done ? { why: "compiled files of Python lie beside what it runs, and cannot be bound" } : undefined;
}
