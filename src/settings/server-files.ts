import path from "node:path";
import { createFiller } from "../contract/fill-variables.ts";
import { readLaunch } from "../contract/launcher.ts";
import { isInside } from "../contract/path-scope.ts";
import { type ServerSetting, type StdioServer, urlOfServer } from "../contract/server.ts";
import { bindOrders, bindSearched, refuseLibraries } from "./bind-implied.ts";
import { bindWord, type Start, type Word } from "./bind-word.ts";
import { isBound } from "./bound-program.ts";
import { bindCompiled } from "./compiled-python.ts";
import { createDescribe } from "./described-files.ts";
import { discreetWord } from "./discreet-target.ts";
import {
  type Binding,
  filesOf,
  isDirectory,
  type NamedFiles,
  namesIn,
  type Refused,
  type Search,
  searchIn,
} from "./named-files.ts";
import { refuseEnvironment } from "./refuse-environment.ts";
import { refuseAbove, refuseLinks } from "./refuse-places.ts";
import { refuseProgram, runsScriptOfPackage } from "./refuse-program.ts";
import { type Installed, nameElsewhere, refuseDirectory } from "./run-directory.ts";
import { endingsFor, shells } from "./runtimes.ts";
import { piecesOf, unclearPath } from "./unclear-path.ts";

interface ServerPlace extends NamedFiles, Installed {}

/** A word with one of these is a program of its own, and may name anything in any way. */
const codeLike = /[\n;|&()<>"'`{}]/;
/** What many programs make other names of, and what only a shell does. */
const patternLike = /[*?[\]$\\!]|~[+-]/;
const shellLike = /[~#]/;
/** `npx server postgresql://host/base?ssl=yes`: a package is given it as it is. */
const address = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/[^*[\]$\\!~]+$/i;
/** `uv run --with mcp[cli]`: no file is named like that. */
const takesExtras = /^(?:uv|uvx|pipx)$/;
const extra = /^(?:--with=)?[A-Za-z0-9][\w.-]*\[[\w,-]+\](?:==[\w.]+)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: who reads an address drops them, and then it is another name.
const unprintable = /[\u0000-\u001f\u007f]/;
/** Variables that hold words for a program. */
const ofOptions = /(?:OPTS?|OPTIONS|FLAGS)$/i;
/** These import nothing of Python. */
const onlyScripts = /^(?:node|nodejs|tsx|deno|bun)$/;
const mostBases = 8;
/** Every word may be a name from any letter of it on: what is longer than any command line is not gone through. */
const mostWords = 200;
const longestWord = 4_096;
const longestOption = 512;

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
  const all = [...words, ...Object.values(env)];
  const filled = words.map(fill);
  const told: readonly Word[] = [
    ...words.map((word, at) => ({ filled: fill(word), shown: shownWord(words, at) })),
    ...Object.entries(env).map(([name, value]) => ({ filled: fill(value), shown: name })),
  ];
  const named = namedHere(filled, search, place);
  const unreadable =
    refuseUnprintable([...all, cwd]) ?? refuseCode(setting, named, place.workspace) ?? refuseAmount(all.map(fill));
  if (unreadable !== undefined) return { ok: false, why: unreadable.why };
  const bases = basesOf(all.map(fill), search);
  const quoting = Object.keys(env).find((name) => ofOptions.test(name) && /["'\\]/.test(fill(env[name] ?? "")));
  const elsewhere =
    refuseUnclear(told, { filled: fill(cwd), shown: JSON.stringify(cwd) }, { ...search, bases }) ??
    (quoting === undefined ? undefined : { why: `${quoting} has quotes, and could be more than names` });
  if (elsewhere !== undefined) return { ok: false, why: elsewhere.why };
  if (bases.length > mostBases) return { ok: false, why: "it names too many directories of the project" };
  const said = named.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "");
  const odd =
    refuseProgram(setting, { said, ofNode: fill(env.NODE_OPTIONS ?? "").split(/\s+/) }, place.workspace) ??
    refuseEnvironment(env, { fill, environment: place.environment }, search);
  if (odd !== undefined) return { ok: false, why: odd.why };
  const programs = said.map((word) => path.basename(word));
  const start = {
    bases,
    programs: [...programs, ...filled.map((word) => path.basename(word))],
    endings: endingsFor(said),
    imports: !onlyScripts.test(path.basename(command)),
    describe: createDescribe(place.readText),
  };
  for (const [at, word] of told.entries()) {
    const isBehind = at < words.length && isBound(named.slice(0, at), search);
    const refused = bindWord(word, search, isBehind ? { ...start, imports: false, data: search.base } : start);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  const refused =
    refuseAbove(setting, named, search) ??
    refuseLinks(setting, named, search, bases) ??
    bindOrders(runsScriptOfPackage(said) ? [...programs, "npm"] : programs, search, bases) ??
    bindSearched(fill(env.PATH ?? ""), search) ??
    bindCompiled(setting, filled, search) ??
    refuseLibraries(said, search) ??
    refuseDirectory(setting, filled, search, place);
  return refused === undefined ? { ok: true, files: filesOf(search) } : { ok: false, why: refused.why };
}

/** With the name that a program of the project has on the machine, where it is one of those. */
function namedHere(filled: readonly string[], search: Search, place: ServerPlace): readonly string[] {
  const [program = "", ...rest] = filled;
  const known = program.includes("/") ? nameElsewhere(path.resolve(search.base, program), search, place) : undefined;
  return [known ?? program, ...rest];
}

function refuseUnprintable(texts: readonly string[]): Refused | undefined {
  return texts.some((text) => unprintable.test(text)) ? { why: "it has a character that cannot be seen" } : undefined;
}

function refuseCode(setting: StdioServer, named: readonly string[], workspace: string): Refused | undefined {
  const forShell = named.some((word) => shells.has(path.basename(word)));
  const packages = readLaunch(setting, workspace)?.launch?.packages ?? [];
  const isAddress = (word: string) => packages.length > 0 && !forShell && address.test(word);
  const isExtra = (word: string) => !forShell && takesExtras.test(path.basename(setting.command)) && extra.test(word);
  const words = [setting.command, ...(setting.args ?? [])];
  const odd = words.findIndex((word) => {
    // With its defaults: they are the project's words as well.
    const literal = createFiller({}).fill(word);
    const isPackage = packages.some((name) => word === name || word.endsWith(`=${name}`)) || isExtra(word);
    const isPattern =
      (patternLike.test(literal) && !isPackage && !isAddress(literal)) || (forShell && shellLike.test(literal));
    const isCode = codeLike.test(isAddress(literal) ? literal.replaceAll("&", "") : literal);
    return (isCode || isPattern) && !urlOfServer().safeParse(literal).success;
  });
  return odd === -1 ? undefined : { why: `the word ${shownWord(words, odd)} could be more than a name` };
}

/** As lists show it, without what looks like a secret. */
function shownWord(words: readonly string[], at: number): string {
  return JSON.stringify(discreetWord(words[at] ?? "", words[at - 1] ?? ""));
}

function refuseUnclear(
  words: readonly Word[],
  cwd: Word,
  { workspace, base, bases }: Search & Pick<Start, "bases">,
): Refused | undefined {
  const unclear = unclearPath(cwd.filled, { base: workspace, workspace, mayClimb: true });
  if (unclear !== undefined) return { why: `its directory ${cwd.shown} ${unclear}` };
  const start = { base, workspace, mayClimb: bases.every((directory) => directory === workspace) };
  for (const { filled, shown } of words) {
    const why = unclearPath(filled, start);
    if (why !== undefined) return { why: `${shown} ${why}` };
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
