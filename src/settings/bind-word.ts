import path from "node:path";
import { isInside } from "../contract/path-scope.ts";
import { packageBeginnings } from "./compiled-python.ts";
import { type Describe, describedMains, targetsOf } from "./described-files.ts";
import { bindNames, isDirectory, isExhausted, namesIn, type Refused, type Search, spend } from "./named-files.ts";
import { entries } from "./runtimes.ts";
import { piecesOf } from "./unclear-path.ts";

/** Where names may begin, strongest first, and what is started there. */
export interface Start {
  readonly bases: readonly string[];
  readonly programs: readonly string[];
  /** What is tried behind a name that is none of a file. */
  readonly endings: readonly string[];
  /** May a name be one of Python's modules? */
  readonly imports: boolean;
  readonly describe: Describe;
  /** What the program works on, and does not start: where it is, or every directory. */
  readonly data?: "here" | "directories";
  /** What it writes itself. */
  readonly isOwnData?: (file: string) => boolean;
}

const tooMuch = { why: "it has too many words" };

/** What stands in an entry, and how people are told of it: it may be a secret, and a variable may put one there. */
export interface Word {
  readonly filled: string;
  readonly shown: string;
}

export function bindWord({ filled, shown }: Word, search: Search, start: Start): Refused | undefined {
  for (const piece of piecesOf(filled)) {
    const candidates = candidatesFor(piece, search, start);
    if ("why" in candidates) return candidates;
    // A directory in a directory is no program that is found there, whatever it is called.
    const isNone = (file: string) => !entries.includes(path.basename(file)) && isDirectory(file, search);
    const names = candidates.filter((file) => start.isOwnData?.(file) !== true);
    const done = bindNames([...new Set(names)], search, isNone);
    if ("why" in done) return isExhausted(search) ? tooMuch : unbound(shown, done);
  }
  return undefined;
}

function unbound(shown: string, { because }: Refused): Refused {
  return { why: `${shown} leads to something that cannot be bound${because === undefined ? "" : `: ${because}`}` };
}

function candidatesFor(piece: string, search: Search, start: Start): readonly string[] | Refused {
  const names = namesIn(piece).filter((name) => name !== "");
  try {
    return start.bases.flatMap((base) => [
      ...names.flatMap((name) => filesAt(path.resolve(base, name), search, start)),
      ...names.flatMap((name) => modulesAt(name, base, search, start)),
      ...loadedBy(piece, base, search, start),
    ]);
  } catch (error) {
    return isExhausted(search) ? tooMuch : undescribed(error, search);
  }
}

/** Which one is said only where no variable can have led to it. */
function undescribed(error: unknown, { base, workspace }: Search): Refused {
  const { message, cause: directory } = error instanceof Error ? error : new Error("it cannot be read");
  const isAbove = typeof directory === "string" && isInside(base, directory);
  const file = isAbove ? path.relative(workspace, path.join(directory, "package.json")) : undefined;
  return { why: `${file ?? "a package.json that its words lead to"} cannot be read: ${message}` };
}

/** A directory, and a file that has its name but for the ending, may both be what is meant. */
function filesAt(place: string, search: Search, start: Start): readonly string[] {
  const { programs, data, describe } = start;
  if (!isInside(place, search.workspace) || (data !== undefined && place === search.base)) return [];
  spend(search, start.endings.length);
  const beside = withEndings(place, start);
  if (!isDirectory(place, search)) return beside;
  if (data === "directories") return beside.slice(1);
  const mains = describedMains(describe(place)).flatMap((main) => mainAt(path.resolve(place, main), search, start));
  return [...[...entries, ...programs].map((entry) => path.join(place, entry)), ...mains, ...beside.slice(1)];
}

function mainAt(place: string, search: Search, start: Start): readonly string[] {
  const inside = isDirectory(place, search) ? entries.map((entry) => path.join(place, entry)) : [];
  return [...inside, ...withEndings(place, start).slice(inside.length === 0 ? 0 : 1)];
}

function withEndings(place: string, { endings }: Start): readonly string[] {
  return endings.map((ending) => `${place}${ending}`);
}

/** `a.b` is a/b.py for `python -m`, and `a` begins first; `A::B` is A/B.pm. */
function modulesAt(name: string, base: string, search: Search, { data, ...start }: Start): readonly string[] {
  const parts = name.split(/::|\./);
  if (name.includes("/") || !isInside(base, search.workspace)) return [];
  const files: string[] = [];
  let place = base;
  for (const [at, part] of parts.entries()) {
    if (part === "") break;
    place = path.join(place, part);
    const isLast = at === parts.length - 1;
    if (isLast && at > 0) files.push(...filesAt(place, search, start));
    else if (!isLast && start.imports) files.push(...[".py", ".pyc", ".so"].map((ending) => place + ending));
    spend(search, 1);
    if (!isDirectory(place, search)) break;
    const isWorkedOn = parts.length === 1 && data === "directories";
    if (start.imports && !isWorkedOn) files.push(...packageBeginnings(place));
  }
  return files;
}

/** Names that are looked for in each directory on the way up. */
const mostPerLevel = 12;
const packageName = /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:@[^/]*)?(?:\/(.+))?$/;

/** A package that is installed here is what `npx` runs and `node -r` loads. */
function loadedBy(name: string, base: string, search: Search, start: Start): readonly string[] {
  const [, pack, inner] = packageName.exec(name) ?? [];
  const asked = inner === undefined ? "." : `./${inner}`;
  const loaded: string[] = [];
  for (let at = base; isInside(at, search.workspace); at = path.dirname(at)) {
    spend(search, mostPerLevel);
    const described = start.describe(at);
    const own = pack !== undefined && described.name === pack ? lookUp(described.exports, asked, search) : [];
    const inward = name.startsWith("#") ? lookUp(described.imports, name, search) : [];
    if (own.length + inward.length > 0) loaded.push(path.join(at, "package.json"));
    loaded.push(...[...own, ...inward].map((target) => path.resolve(at, target)));
    loaded.push(
      ...inward.filter((target) => /^[\w@]/.test(target)).flatMap((target) => loadedBy(target, at, search, start)),
    );
    if (pack !== undefined) loaded.push(...installed(path.join(at, "node_modules"), { pack, asked }, search, start));
    if (at === search.workspace) break;
  }
  return loaded;
}

function installed(
  modules: string,
  { pack, asked }: { readonly pack: string; readonly asked: string },
  search: Search,
  { data: _, ...start }: Start,
): readonly string[] {
  const directory = path.join(modules, pack);
  const files = [
    path.join(directory, "package.json"),
    path.join(modules, ".bin", path.basename(pack)),
    ...[".js", ".json", ".node"].map((end) => directory + end),
  ];
  if (!isDirectory(directory, search)) return files;
  const targets = lookUp(start.describe(directory).exports, asked, search);
  return [
    ...files,
    ...targets.map((target) => path.resolve(directory, target)),
    ...filesAt(path.join(directory, asked), search, start),
  ];
}

function lookUp(table: unknown, asked: string, search: Search): readonly string[] {
  const targets = targetsOf(table, asked);
  spend(search, targets.length + Math.ceil(Object.keys(table ?? {}).length / 5));
  return targets;
}
