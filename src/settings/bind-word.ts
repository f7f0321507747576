import path from "node:path";
import { isInside } from "../contract/path-scope.ts";
import { type Describe, describedMains, targetsOf } from "./described-files.ts";
import { bindNames, isDirectory, namesIn, type Refused, type Search } from "./named-files.ts";
import { endings, entries } from "./runtimes.ts";
import { piecesOf } from "./unclear-path.ts";

/** Where names may begin, strongest first, and what is started there. */
export interface Start {
  readonly bases: readonly string[];
  readonly programs: readonly string[];
  readonly describe: Describe;
  /** What the program works on, and does not start. */
  readonly data?: string;
}

export function bindWord(
  written: string,
  fill: (text: string) => string,
  search: Search,
  start: Start,
): Refused | undefined {
  // Never the name itself: a variable may have put a secret there.
  const refused = { why: `${JSON.stringify(written)} leads to something that cannot be bound` };
  for (const piece of piecesOf(fill(written))) {
    const candidates = candidatesFor(piece, search, start);
    if (candidates === undefined) return refused;
    // A directory in a directory is no program that is found there, whatever it is called.
    const isNone = (file: string) => !entries.includes(path.basename(file)) && isDirectory(file, search);
    const done = bindNames([...new Set(candidates)], search, isNone);
    if ("why" in done) return refused;
  }
  return undefined;
}

/** None where a description on the way cannot be read. */
function candidatesFor(piece: string, search: Search, start: Start): readonly string[] | undefined {
  try {
    return start.bases.flatMap((base) => [
      ...namesIn(piece).flatMap((name) => (name === "" ? [] : filesAt(path.resolve(base, name), search, start))),
      ...loadedBy(piece, base, search, start),
    ]);
  } catch {
    return undefined;
  }
}

function filesAt(place: string, search: Search, { programs, data, describe }: Start): readonly string[] {
  if (!isInside(place, search.workspace) || place === data) return [];
  if (!isDirectory(place, search)) return withEndings(place);
  const mains = describedMains(describe(place)).flatMap((main) => mainAt(path.resolve(place, main), search));
  return [...[...entries, ...programs].map((entry) => path.join(place, entry)), ...mains];
}

function mainAt(place: string, search: Search): readonly string[] {
  return isDirectory(place, search) ? entries.map((entry) => path.join(place, entry)) : withEndings(place);
}

function withEndings(place: string): readonly string[] {
  return endings.map((ending) => `${place}${ending}`);
}

const moduleName = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;
const packageName = /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:@[^/]*)?(?:\/(.+))?$/;

/** `a.b` is a/b.py for `python -m`, and a package that is installed here is what `npx` runs and `node -r` loads. */
function loadedBy(name: string, base: string, search: Search, start: Start): readonly string[] {
  const module = moduleName.test(name) ? path.join(base, name.replaceAll(".", "/")) : undefined;
  const modules = module === undefined ? [] : [...withEndings(module), ...filesAt(module, search, start)];
  const [, pack, inner] = packageName.exec(name) ?? [];
  const asked = inner === undefined ? "." : `./${inner}`;
  const loaded: string[] = [];
  for (let at = base; isInside(at, search.workspace); at = path.dirname(at)) {
    const described = start.describe(at);
    const own = pack !== undefined && described.name === pack ? targetsOf(described.exports, asked) : [];
    const inward = name.startsWith("#") ? targetsOf(described.imports, name) : [];
    if (own.length + inward.length > 0) loaded.push(path.join(at, "package.json"));
    loaded.push(...[...own, ...inward].map((target) => path.resolve(at, target)));
    loaded.push(
      ...inward.filter((target) => /^[\w@]/.test(target)).flatMap((target) => loadedBy(target, at, search, start)),
    );
    if (pack !== undefined) loaded.push(...installed(path.join(at, "node_modules"), { pack, asked }, search, start));
    if (at === search.workspace) break;
  }
  return [...modules, ...loaded];
}

function installed(
  modules: string,
  { pack, asked }: { readonly pack: string; readonly asked: string },
  search: Search,
  start: Start,
): readonly string[] {
  const directory = path.join(modules, pack);
  const files = [path.join(directory, "package.json"), path.join(modules, ".bin", path.basename(pack))];
  if (!isDirectory(directory, search)) return [...files, ...[".js", ".json", ".node"].map((end) => directory + end)];
  const targets = targetsOf(start.describe(directory).exports, asked).map((target) => path.resolve(directory, target));
  return [...files, ...targets, ...filesAt(path.join(directory, asked), search, start)];
}
