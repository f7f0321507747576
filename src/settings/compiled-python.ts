import path from "node:path";
import type { StdioServer } from "../contract/server.ts";
import { isBound } from "./bound-program.ts";
import { bindNames, isDirectory, type Refused, type Search } from "./named-files.ts";
import { takesScript } from "./runtimes.ts";

const compiledElsewhere = /pycache_?prefix/i;
const cpythons = Array.from({ length: 15 }, (_, at) => `cpython-3${at + 6}`);
const pythons = [...cpythons, ...Array.from({ length: 8 }, (_, at) => `pypy3${at + 6}`)];
const platforms = [
  ...["x86_64", "aarch64"].flatMap((machine) => [`${machine}-linux-gnu`, `${machine}-linux-musl`]),
  "darwin",
];
/** Machine code, which Python prefers to a source beside it. */
const extensions = [
  ".so",
  ".abi3.so",
  ...cpythons.flatMap((python) => platforms.map((platform) => `.${python}-${platform}.so`)),
];

/** What runs first of all when anything below a directory is imported. */
export function packageBeginnings(directory: string): readonly string[] {
  return [".py", ".pyc", ...extensions].map((ending) => path.join(directory, `__init__${ending}`));
}

/** Of a module Python runs what was once compiled, and need not look at its source. A script it always compiles. */
export function bindCompiled({ env = {} }: StdioServer, words: readonly string[], search: Search): Refused | undefined {
  if ([...words, ...Object.keys(env)].some((word) => compiledElsewhere.test(word))) {
    return { why: "it says where compiled files of Python lie" };
  }
  if (takesScript.test(path.basename(words[0] ?? "")) && isBound(words, search)) return undefined;
  const sources = [...search.found.keys()].filter((file) => file.endsWith(".py"));
  const compiled = sources.flatMap((file) => {
    const [directory, name] = [path.dirname(file), path.basename(file, ".py")];
    const place = path.join(directory, "__pycache__");
    const kept = isDirectory(place, search)
      ? pythons.flatMap((python) => ["", ".opt-1", ".opt-2"].map((level) => `${name}.${python}${level}.pyc`))
      : [];
    return [
      ...extensions.map((ending) => path.join(directory, name + ending)),
      ...kept.map((one) => path.join(place, one)),
    ];
  });
  const done = bindNames(compiled, search);
  return "why" in done ? { why: "compiled files of Python lie beside what it runs, and cannot be bound" } : undefined;
}
