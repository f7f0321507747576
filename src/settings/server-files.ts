import path from "node:path";
import { createFiller, type Environment } from "../contract/fill-variables.ts";
import { launchOf, readLaunch, runsAnything } from "../contract/launcher.ts";
import { isInside } from "../contract/path-scope.ts";
import { type ServerSetting, type StdioServer, urlOfServer } from "../contract/server.ts";
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

interface ServerPlace extends NamedFiles {
  readonly environment: Environment;
}

/** A word with one of these is a program of its own, and may name anything in any way. */
const codeLike = /[\n;|&()<>"'`{}]/;
/** What a shell makes other names of. */
const shellLike = /[*?[\]$\\~!#]/;
const shells: ReadonlySet<string> = new Set(["sh", "ash", "bash", "dash", "fish", "ksh", "zsh", "busybox"]);
/** What a runtime tries when a name is none of a file. */
const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".py", ".sh"];
/** What a runtime starts, or a package begins with, when it is given a directory. */
const entries = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "__init__.py"];
/** Programs that are told by a file what to run. */
const orders: ReadonlyMap<string, string> = new Map([
  ...["npm", "pnpm", "yarn", "bun"].map((program) => [program, "package.json"] as const),
  ["deno", "deno.json"],
  ["make", "Makefile"],
  ["uv", "pyproject.toml"],
  ["poetry", "pyproject.toml"],
  ["just", "justfile"],
]);
/** They run what a directory holds, too, or another program that does. */
const runners: ReadonlySet<string> = new Set([
  ...["tsx", "ts-node", "ts-node-esm", "ts-node-dev", "vite-node", "jiti", "zx", "nodemon", "pm2", "electron"],
  ...["mocha", "jest", "vitest", "just", "tox", "nox", "pipenv", "gradle", "mvn", "mcp", "fastmcp", "concurrently"],
]);
/** What these are given first, if that is a file, is all that they run by themselves. */
const takesScript = /^(?:node|nodejs|tsx|python(?:\d[\d.]*)?)$/;
const scriptName = /^[^-].*\.(?:[cm]?[jt]s|py)$/;
/** By these a launcher takes a directory for a package. */
const packageFiles = ["package.json", "pyproject.toml", "setup.py", "setup.cfg"];
const mostBases = 8;
/** Every word may be a name from any letter of it on: what is longer than any command line is not gone through. */
const mostWords = 200;
const longestWord = 4_096;
const longestOption = 512;

/** Where names may begin, strongest first, and what is started there. */
interface Start {
  readonly bases: readonly string[];
  readonly programs: readonly string[];
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
  if (bases.length > mostBases) return { ok: false, why: "it names too many directories of the project" };
  const start = { bases, programs };
  for (const [at, word] of [...all, ...programs.map((program) => orders.get(program) ?? "")].entries()) {
    const isBehind = at < words.length && isBound(filled.slice(0, at), search);
    const refused = bindWord(word, fill, search, isBehind ? { ...start, data: search.base } : start);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  const unknown = refuseDirectory(setting, filled, search);
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
function refuseDirectory(setting: StdioServer, words: readonly string[], search: Search): Refused | undefined {
  const { base, workspace } = search;
  const read = readLaunch(setting, workspace);
  const isPackage = (name: string) => {
    const place = path.resolve(base, name);
    if (name === "" || !isInside(place, workspace)) return false;
    return packageFiles.some((file) => isThere(path.join(place, file), search));
  };
  const isOdd = read?.refused !== undefined && read.launch === undefined;
  if (isOdd && words.slice(1).flatMap(piecesOf).flatMap(namesIn).some(isPackage)) {
    return { why: `${path.basename(words[0] ?? "")} is given a directory to run` };
  }
  const isKnown = launchOf(setting, workspace) !== undefined || isBound(words, search);
  const said = words.slice(isKnown ? 1 : 0).flatMap((word) => word.split(/\s+/));
  const names = said.map((word) => path.basename(word));
  const runner = names.findIndex(isRunner);
  if (runner === -1 || !names.slice(runner + 1).some((name) => name === "." || name === "..")) return undefined;
  return { why: `${names[runner]} could run anything that lies in the directory behind it` };
}

function refuseCode(word: string, forShell: boolean): Refused | undefined {
  // With its defaults: they are the project's words as well.
  const literal = createFiller({}).fill(word);
  const isCode = codeLike.test(literal) || (forShell && shellLike.test(literal));
  if (!isCode || urlOfServer().safeParse(literal).success) return undefined;
  return { why: `the word ${JSON.stringify(word)} could be more than a name` };
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

function piecesOf(word: string): readonly string[] {
  return [...new Set([word, ...word.split(/[\s=:,]/)])];
}

function bindWord(written: string, fill: (text: string) => string, search: Search, start: Start): Refused | undefined {
  for (const piece of piecesOf(fill(written))) {
    const candidates = start.bases.flatMap((base) => [
      ...namesIn(piece).flatMap((name) => (name === "" ? [] : filesAt(path.resolve(base, name), search, start))),
      ...loadedBy(piece, base, search),
    ]);
    // A directory in a directory is no program that is found there, whatever it is called.
    const isNone = (file: string) => !entries.includes(path.basename(file)) && isDirectory(file, search);
    const done = bindNames([...new Set(candidates)], search, isNone);
    // Never the name itself: a variable may have put a secret there.
    if ("why" in done) return { why: `${JSON.stringify(written)} leads to something that cannot be bound` };
  }
  return undefined;
}

function filesAt(place: string, search: Search, { programs, data }: Start): readonly string[] {
  if (!isInside(place, search.workspace) || place === data) return [];
  if (!isDirectory(place, search)) return endings.map((ending) => `${place}${ending}`);
  return [...entries, ...programs].map((entry) => path.join(place, entry));
}

const moduleName = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;
const packageName = /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:@[^/]*)?$/;

/** `a.b` is a/b.py for `python -m`, and a package that is installed here is what `npx` runs. */
function loadedBy(name: string, base: string, { workspace }: Search): readonly string[] {
  const module = moduleName.test(name) ? path.join(base, name.replaceAll(".", "/")) : undefined;
  const modules = module === undefined ? [] : [`${module}.py`, `${module}/__main__.py`, `${module}/__init__.py`];
  const [, pack] = packageName.exec(name) ?? [];
  if (pack === undefined) return modules;
  const installed: string[] = [];
  for (let at = base; isInside(at, workspace); at = path.dirname(at)) {
    installed.push(path.join(at, "node_modules", pack, "package.json"));
    installed.push(path.join(at, "node_modules/.bin", path.basename(pack)));
    if (at === workspace) break;
  }
  return [...modules, ...installed];
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
