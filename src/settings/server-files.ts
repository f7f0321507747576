import path from "node:path";
import { createFiller, type Environment } from "../contract/fill-variables.ts";
import { launchOf, readLaunch, runsAnything } from "../contract/launcher.ts";
import { isInside } from "../contract/path-scope.ts";
import { type ServerSetting, type StdioServer, urlOfServer } from "../contract/server.ts";
import { createDescribe, type Describe, describedMains, targetsOf } from "./described-files.ts";
import {
  type Binding,
  bindNames,
  filesOf,
  type NamedFiles,
  namesIn,
  type Refused,
  type Search,
  searchIn,
} from "./named-files.ts";
import type { ReadText } from "./parse-settings-text.ts";
import {
  endings,
  entries,
  interpreters,
  orders,
  packageFiles,
  runners,
  runsAll,
  scriptName,
  takesScript,
} from "./runtimes.ts";
import { piecesOf, unclearPath } from "./unclear-path.ts";

interface ServerPlace extends NamedFiles {
  readonly environment: Environment;
  readonly readText: ReadText;
}

/** A word with one of these is a program of its own, and may name anything in any way. */
const codeLike = /[\n;|&()<>"'`{}]/;
/** What a shell makes other names of. */
const shellLike = /[*?[\]$\\~!#]/;
const shells: ReadonlySet<string> = new Set(["sh", "ash", "bash", "dash", "fish", "ksh", "zsh", "busybox"]);
/** Variables that hold words for a program. */
const ofOptions = /(?:OPTS?|OPTIONS|FLAGS)$/i;
const mostBases = 8;
/** Every word may be a name from any letter of it on: what is longer than any command line is not gone through. */
const mostWords = 200;
const longestWord = 4_096;
const longestOption = 512;

/** Where names may begin, strongest first, and what is started there. */
interface Start {
  readonly bases: readonly string[];
  readonly programs: readonly string[];
  readonly describe: Describe;
  /** What the program works on, and does not start. */
  readonly data?: string;
}

/**
 * The files of the project that a server's program, its arguments and its environment lead to. Packages and
 * addresses are names too, so a name that leads nowhere is no reason to refuse: when a file of that name comes, it
 * is bound and asked about. Variables are looked into, because they may lead into the project; what they hold is
 * never told. A directory that is named may be where the program looks for all other names. The one that it starts in is
 * none of that behind a program that is bound itself: a server is given it to work on.
 */
export function serverFiles(setting: ServerSetting, place: ServerPlace): Binding {
  if (!("command" in setting)) return { ok: true, files: [] };
  const { command, args = [], env = {}, cwd = "." } = setting;
  const { fill } = createFiller(place.environment);
  const search: Search = { ...searchIn(place), base: path.resolve(place.workspace, fill(cwd)) };
  const words = [command, ...args];
  const filled = words.map(fill);
  const programs = filled.map((word) => path.basename(word));
  const forShell = programs.some((program) => shells.has(program));
  for (const word of words) {
    const refused = refuseCode(word, forShell);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  const all = [...words, ...Object.values(env)];
  const tooMuch = refuseAmount(all.map(fill));
  if (tooMuch !== undefined) return { ok: false, why: tooMuch.why };
  const bases = basesOf(all.map(fill), search);
  const unclear = refuseUnclear(all, cwd, fill, { ...search, bases });
  if (unclear !== undefined) return { ok: false, why: unclear.why };
  const quoting = Object.keys(env).find((name) => ofOptions.test(name) && /["'\\]/.test(fill(env[name] ?? "")));
  if (quoting !== undefined) return { ok: false, why: `${quoting} has quotes, and could be more than names` };
  if (bases.length > mostBases) return { ok: false, why: "it names too many directories of the project" };
  const start = { bases, programs, describe: createDescribe(place.readText) };
  for (const [at, word] of [...all, ...programs.flatMap((program) => orders.get(program) ?? [])].entries()) {
    const isBehind = at < words.length && isBound(filled.slice(0, at), search);
    const refused = bindWord(word, fill, search, isBehind ? { ...start, data: search.base } : start);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  const compiled = bindCompiled(setting, filled, search);
  if (compiled !== undefined) return { ok: false, why: compiled.why };
  const unknown = refuseDirectory(setting, filled, search, place);
  if (unknown !== undefined) return { ok: false, why: unknown.why };
  return { ok: true, files: filesOf(search) };
}

/** Is it known by now what these first words of the command run? */
function isBound([program = "", script = ""]: readonly string[], { base, found }: Search): boolean {
  const isFile = (word: string) => found.has(path.resolve(base, word));
  const name = path.basename(program);
  if (takesScript.test(name)) return scriptName.test(script) && isFile(script);
  return program.includes("/") && isFile(program) && !isRunner(name);
}

function isRunner(name: string): boolean {
  return runners.has(name) || runsAnything(name);
}

/** What runs directories may run the one that it is given, and of all that lies there nobody can say what that is. */
function refuseDirectory(
  setting: StdioServer,
  words: readonly string[],
  search: Search,
  place: ServerPlace,
): Refused | undefined {
  const { base, workspace } = search;
  const read = readLaunch(setting, workspace);
  const isPackage = (name: string) => {
    const directory = path.resolve(base, name);
    if (name === "" || !isInside(directory, workspace)) return false;
    return packageFiles.some((file) => isThere(path.join(directory, file), search));
  };
  const isOdd = read?.refused !== undefined && read.launch === undefined;
  if (isOdd && words.slice(1).flatMap(piecesOf).flatMap(namesIn).some(isPackage)) {
    return { why: `${path.basename(words[0] ?? "")} is given a directory to run` };
  }
  const isKnown = launchOf(setting, workspace) !== undefined || isBound(words, search);
  const said = words.slice(isKnown ? 1 : 0).flatMap((word) => word.split(/\s+/));
  const names = said.map((word) => path.basename(word));
  const refused = (name = "") => ({ why: `${name} could run anything that lies in the directory behind it` });
  const runner = names.findIndex(isRunner);
  if (runner !== -1 && said.slice(runner + 1).some((word) => isHere(word, search))) return refused(names[runner]);
  const all = names.findIndex((name) => runsAll.has(name));
  const parts = said.slice(all + 1).map((word) => path.resolve(base, word));
  const isPart = (part: string) => part !== base && isInside(part, workspace) && isDirectory(part, search);
  if (all !== -1 && parts.some(isPart)) return refused(names[all]);
  const [program = "", ...rest] = words;
  const isGiven = rest.flatMap((word) => word.split(/\s+/)).some((word) => isHere(word, search));
  return isGiven && isInterpreter(program, search, place) ? refused(path.basename(program)) : undefined;
}

/** The directory that it starts in, or one that holds that. */
function isHere(word: string, { base, workspace }: Search): boolean {
  if (word === "") return false;
  const place = path.resolve(base, word);
  const holds = isInside(base, place) && isInside(place, workspace);
  return holds || [".", ".."].includes(path.basename(word));
}

/** Is it one that is installed, by another name? A link to it has its bytes, and so has a copy. */
function isInterpreter(program: string, search: Search, { environment, readText }: ServerPlace): boolean {
  const file = path.resolve(search.base, program);
  const hash = search.found.get(file);
  if (hash === undefined || isRunner(path.basename(program))) return false;
  const { PATH = "" } = environment;
  const places = [...PATH.split(":"), "/usr/bin", "/usr/local/bin", path.join(search.workspace, "node_modules/.bin")];
  // The others are large, and no script of Node's is one of them.
  const names = isForNode(file, readText) ? [...runners] : [...interpreters, ...runners];
  const known = places.filter(path.isAbsolute).flatMap((place) => names.map((name) => path.join(place, name)));
  return [...new Set(known)].some((one) => {
    try {
      return search.hashFile(one) === hash;
    } catch {
      // What cannot be hashed is larger than anything that was bound, or nothing that anybody here runs.
      return false;
    }
  });
}

function isForNode(file: string, readText: ReadText): boolean {
  try {
    return /^#!.*\bnode\b/.test(readText(file) ?? "");
  } catch {
    return false;
  }
}

function refuseCode(word: string, forShell: boolean): Refused | undefined {
  // With its defaults: they are the project's words as well.
  const literal = createFiller({}).fill(word);
  const isCode = codeLike.test(literal) || (forShell && shellLike.test(literal));
  if (!isCode || urlOfServer().safeParse(literal).success) return undefined;
  return { why: `the word ${JSON.stringify(word)} could be more than a name` };
}

function refuseUnclear(
  words: readonly string[],
  cwd: string,
  fill: (text: string) => string,
  { workspace, base, bases }: Search & Pick<Start, "bases">,
): Refused | undefined {
  const unclear = unclearPath(fill(cwd), { base: workspace, workspace, mayClimb: true });
  if (unclear !== undefined) return { why: `its directory ${JSON.stringify(cwd)} ${unclear}` };
  const start = { base, workspace, mayClimb: bases.every((directory) => directory === workspace) };
  for (const word of words) {
    const why = unclearPath(fill(word), start);
    if (why !== undefined) return { why: `${JSON.stringify(word)} ${why}` };
  }
  return undefined;
}

function refuseAmount(words: readonly string[]): Refused | undefined {
  if (words.length > mostWords) return { why: `it has more than ${mostWords} words` };
  const isTooLong = (word: string) => word.length > (word.startsWith("-") ? longestOption : longestWord);
  return words.flatMap((word) => word.split(/\s/)).some(isTooLong)
    ? { why: "it has a word that is too long" }
    : undefined;
}

function basesOf(words: readonly string[], search: Search): readonly string[] {
  const { base, workspace } = search;
  const named = words.flatMap(piecesOf).flatMap(namesIn);
  const found = new Set([base]);
  for (const name of new Set(named)) {
    const directory = path.resolve(base, name);
    if (name !== "" && isInside(directory, workspace) && isDirectory(directory, search)) found.add(directory);
    if (found.size > mostBases) break;
  }
  return [...found];
}

function bindWord(written: string, fill: (text: string) => string, search: Search, start: Start): Refused | undefined {
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

const compiledElsewhere = /pycache_?prefix/i;
const pythons = [
  ...Array.from({ length: 15 }, (_, at) => `cpython-3${at + 6}`),
  ...Array.from({ length: 8 }, (_, at) => `pypy3${at + 6}`),
];

/** Of a module Python runs what was once compiled, and need not look at its source. A script it always compiles. */
function bindCompiled({ env = {} }: StdioServer, words: readonly string[], search: Search): Refused | undefined {
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

function isThere(file: string, { hashFile }: Search): boolean {
  try {
    return hashFile(file) !== undefined;
  } catch {
    return true;
  }
}

/** Something is there, and something could be in it. */
function isDirectory(place: string, { hashFile }: Search): boolean {
  try {
    hashFile(`${place}/.`);
    return false;
  } catch {
    return true;
  }
}
