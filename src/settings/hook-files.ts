import path from "node:path";
import { isInsideAny } from "../contract/path-scope.ts";
import type { HookHandler } from "../contract/settings.ts";
import { bindBesideScripts } from "./bind-implied.ts";
import { hasCode, hasOddEnv, interpretersIn, scriptsOf } from "./command-code.ts";
import { bindLaunched, launchedBy } from "./hook-launchers.ts";
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
import { isLiteral, plainWords } from "./plain-words.ts";
import { endingsFor, namedByScripts, plainName, shells } from "./runtimes.ts";
import { unclearPath } from "./unclear-path.ts";

/** Here lie programs that no project brings along. */
const systemPlaces = ["/usr", "/bin", "/sbin", "/opt", "/nix"];

/**
 * Trust in `./check.sh` is trust in what it says today, so a hook whose files cannot all be named and hashed
 * cannot be trusted at all. What such a file loads in turn is not followed.
 */
export function namedFiles(
  { command, args }: Pick<HookHandler, "command" | "args">,
  { workspace, hashFile, readText }: NamedFiles & { readonly readText: ReadText },
): Binding {
  const read = args === undefined ? plainWords(command, workspace) : { ok: true as const, words: [command, ...args] };
  if (!read.ok) return { ...read, byScript: true };
  const search = searchIn({ workspace, hashFile });
  const given = interpretersIn(read.words);
  const isForOne = given.some(({ name }) => !shells.has(name)) || read.words.some((word) => plainName(word) === "java");
  // What an interpreter tries behind a name; no shell tries anything.
  const endings = isForOne ? endingsFor(read.words).filter((ending) => ending !== ".sh") : [""];
  const launched = launchedBy(read.words);
  if (launched !== undefined && "why" in launched) return { ok: false, ...launched };
  for (const [at, word] of read.words.entries()) {
    const isPackage = word === launched?.name && at === read.words.indexOf(word);
    const refused = bindHookWord(word, { endings, isPackage }, search);
    if (refused !== undefined) return { ok: false, ...refused };
  }
  const unknown =
    (launched === undefined ? undefined : bindLaunched(launched.name, search, readText)) ??
    bindBesideScripts(read.words, search, [workspace]) ??
    refuseScripts(namedHere(read.words, search), endings, search);
  return unknown === undefined ? { ok: true, files: filesOf(search) } : { ok: false, ...unknown };
}

/** With the name of the machine's program where the first word is a link to it, or a copy, and is given an option. */
function namedHere(words: readonly string[], { workspace, found, hashFile }: Search): readonly string[] {
  const [program = "", ...rest] = words;
  const hash = found.get(path.resolve(workspace, program));
  if (hash === undefined || !rest.some((word) => /^-[^-]/.test(word))) return words;
  const known = ["/usr/bin", "/usr/local/bin"].flatMap((place) => namedByScripts.map((name) => path.join(place, name)));
  const same = known.find((file) => {
    try {
      return hashFile(file) === hash;
    } catch {
      // It is larger than anything that was bound.
      return false;
    }
  });
  return same === undefined ? words : [same, ...rest];
}

const ofItsOwnAccord = /^--(?:run|test|watch-path)(?:=|$)/;

function refuseScripts(
  words: readonly string[],
  endings: readonly string[],
  { workspace, found }: Search,
): Refused | undefined {
  const given = interpretersIn(words);
  if (hasOddEnv(words)) return { why: "env is given more than variables and a program", byScript: true };
  if (hasCode(words)) return { why: "it has code on its command line", byScript: true };
  if (given.some(({ name, options }) => name.startsWith("node") && options.some((one) => ofItsOwnAccord.test(one)))) {
    return { why: "node would run what it does not name", byScript: true };
  }
  const isBound = (word: string) => endings.some((ending) => found.has(path.resolve(workspace, word + ending)));
  const isKnown = (word: string) => isOfTheSystem(word) || [word, ...word.split(/[ =:,]/)].some(isBound);
  const odd = given.flatMap(scriptsOf).find((word) => !isKnown(word));
  return odd === undefined ? undefined : { why: `it would run ${odd || "nothing"}, which is no file of the project` };
}

function bindHookWord(
  word: string,
  { endings, isPackage }: { readonly endings: readonly string[]; readonly isPackage: boolean },
  search: Search,
): Refused | undefined {
  const { workspace } = search;
  const written = word.startsWith(`${workspace}/`) ? word.slice(workspace.length) : word;
  if (word !== "" && !isLiteral(written.replaceAll(" ", ""))) {
    return { why: `the word ${JSON.stringify(word)} could be more than a name`, byScript: true };
  }
  const unclear = unclearPath(word, { ...search, mayClimb: true });
  if (unclear !== undefined) return { why: `${JSON.stringify(word)} ${unclear}` };
  const whole = bindNames(withEndings([word], endings), search);
  if ("why" in whole) return whole;
  if (whole.bound === 0 && word.includes(" ")) return { why: `${JSON.stringify(word)} is no file of the project` };
  for (const piece of word.split(/[ =:,]/)) {
    const refused = bindPiece(piece, search, { endings, required: whole.bound === 0 && !isPackage });
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** What leads somewhere must lead to a file that can be bound, unless the word as a whole did already. */
function bindPiece(
  piece: string,
  search: Search,
  { endings, required }: { readonly endings: readonly string[]; readonly required: boolean },
): Refused | undefined {
  const names = namesIn(piece);
  const done = bindNames(withEndings(names, endings), search);
  if ("why" in done) return done;
  const leads = piece.includes("/") || piece === "..";
  if (!required || !leads || done.bound > 0 || names.some(isOfTheSystem)) return undefined;
  return { why: `it names ${piece}, which is no file of the project` };
}

function withEndings(names: readonly string[], endings: readonly string[]): readonly string[] {
  return names.filter((name) => name !== "").flatMap((name) => endings.map((ending) => name + ending));
}

function isOfTheSystem(name: string): boolean {
  return path.isAbsolute(name) && isInsideAny(path.resolve(name), systemPlaces);
}
