import path from "node:path";
import { createFiller } from "../contract/fill-variables.ts";
import { isInside } from "../contract/path-scope.ts";
import { type ServerSetting, urlOfServer } from "../contract/server.ts";
import { bindWord, type Start } from "./bind-word.ts";
import { isBound } from "./bound-program.ts";
import { bindCompiled } from "./compiled-python.ts";
import { createDescribe } from "./described-files.ts";
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
import { type Installed, refuseDirectory } from "./run-directory.ts";
import { orders } from "./runtimes.ts";
import { piecesOf, unclearPath } from "./unclear-path.ts";

interface ServerPlace extends NamedFiles, Installed {}

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
