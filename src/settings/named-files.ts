import path from "node:path";
import { isInside, isInsideAny } from "../contract/path-scope.ts";
import type { HookHandler } from "../contract/settings.ts";
import { hasCode, hasOddEnv, interpretersIn, scriptsOf } from "./command-code.ts";
import { isLiteral, plainWords } from "./plain-words.ts";
import { endingsFor, namedByScripts, plainName, shells } from "./runtimes.ts";
import { unclearPath } from "./unclear-path.ts";

export interface NamedFiles {
  readonly workspace: string;
  /** Of the bytes. `undefined` only when nothing is there; what cannot be hashed is thrown. */
  readonly hashFile: (file: string) => string | undefined;
}

export type BoundFiles = readonly (readonly [file: string, hash: string])[];

/** Every file of the project that a command names, with its hash; or why they cannot be told for certain. */
export type Binding = { readonly ok: true; readonly files: BoundFiles } | { readonly ok: false; readonly why: string };

const mostFiles = 20;
/** How many names one entry may make us look for, and how many we think of on the way. */
const mostNames = 8_000;
const mostSteps = 12_000;

/** Here lie programs that no project brings along. */
const systemPlaces = ["/usr", "/bin", "/sbin", "/opt", "/nix"];

/**
 * Trust in `./check.sh` is trust in what it says today, so a hook whose files cannot all be named and hashed
 * cannot be trusted at all. What such a file loads in turn is not followed.
 */
export function namedFiles(
  { command, args }: Pick<HookHandler, "command" | "args">,
  { workspace, hashFile }: NamedFiles,
): Binding {
  const read = args === undefined ? plainWords(command, workspace) : { ok: true as const, words: [command, ...args] };
  if (!read.ok) return read;
  const search = searchIn({ workspace, hashFile });
  const given = interpretersIn(read.words);
  const isForOne = given.some(({ name }) => !shells.has(name)) || read.words.some((word) => plainName(word) === "java");
  // What an interpreter tries behind a name; no shell tries anything.
  const endings = isForOne ? endingsFor(read.words).filter((ending) => ending !== ".sh") : [""];
  for (const word of read.words) {
    const refused = bindHookWord(word, endings, search);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  const unknown = refuseScripts(namedHere(read.words, search), endings, search);
  return unknown === undefined ? { ok: true, files: filesOf(search) } : { ok: false, why: unknown.why };
}

export interface Search extends NamedFiles {
  /** Where a relative name starts. */
  readonly base: string;
  readonly found: Map<string, string>;
  asked: number;
  steps: number;
}

export interface Refused {
  readonly why: string;
}

export function searchIn(files: NamedFiles): Search {
  return { ...files, base: files.workspace, found: new Map(), asked: 0, steps: 0 };
}

/** Throws when one entry took more than all of its words are worth. */
export function spend(search: Search, steps: number): void {
  search.steps += steps;
  if (isExhausted(search)) throw new Error("it has too many words");
}

export function isExhausted({ asked, steps }: Search): boolean {
  return asked > mostNames || steps > mostSteps;
}

export function filesOf({ workspace, found }: Search): BoundFiles {
  return [...found].map(([file, hash]) => [path.relative(workspace, file), hash] as const);
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
  if (hasOddEnv(words)) return { why: "env is given more than variables and a program" };
  if (hasCode(words)) return { why: "it has code on its command line" };
  if (given.some(({ name, options }) => name.startsWith("node") && options.some((one) => ofItsOwnAccord.test(one)))) {
    return { why: "node would run what it does not name" };
  }
  const isBound = (word: string) => endings.some((ending) => found.has(path.resolve(workspace, word + ending)));
  const isKnown = (word: string) => isOfTheSystem(word) || [word, ...word.split(/[ =:,]/)].some(isBound);
  const odd = given.flatMap(scriptsOf).find((word) => !isKnown(word));
  return odd === undefined ? undefined : { why: `it would run ${odd || "nothing"}, which is no file of the project` };
}

function bindHookWord(word: string, endings: readonly string[], search: Search): Refused | undefined {
  const { workspace } = search;
  const written = word.startsWith(`${workspace}/`) ? word.slice(workspace.length) : word;
  if (word !== "" && !isLiteral(written.replaceAll(" ", ""))) {
    return { why: `the word ${JSON.stringify(word)} could be more than a name` };
  }
  const unclear = unclearPath(word, { ...search, mayClimb: true });
  if (unclear !== undefined) return { why: `${JSON.stringify(word)} ${unclear}` };
  const whole = bindNames(withEndings([word], endings), search);
  if ("why" in whole) return whole;
  if (whole.bound === 0 && word.includes(" ")) return { why: `${JSON.stringify(word)} is no file of the project` };
  for (const piece of word.split(/[ =:,]/)) {
    const refused = bindPiece(piece, search, { endings, required: whole.bound === 0 });
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

/** An option such as `-r./x` may give its value from any letter on, and `@x` often means what x holds. */
export function namesIn(piece: string): readonly string[] {
  if (/^-[^-]/.test(piece)) return Array.from(piece, (_, at) => piece.slice(at));
  return piece.includes("@") ? [piece, piece.slice(piece.indexOf("@") + 1)] : [piece];
}

/** What cannot be hashed is refused, unless it is something that nobody could run by that name. */
export function bindNames(
  names: readonly string[],
  search: Search,
  isNone: (file: string) => boolean = () => false,
): { readonly bound: number } | Refused {
  const { workspace, base, hashFile, found } = search;
  let bound = 0;
  for (const name of names) {
    const file = path.resolve(base, name);
    if (name === "" || !isInside(file, workspace)) continue;
    search.asked += 1;
    if (search.asked > mostNames) return { why: "it has too many words" };
    try {
      const hash = found.get(file) ?? hashFile(file);
      if (hash === undefined) continue;
      found.set(file, hash);
      bound += 1;
    } catch (error) {
      if (isNone(file)) continue;
      return { why: `it names ${name}, and ${error instanceof Error ? error.message : String(error)}` };
    }
    if (found.size > mostFiles) return { why: `it names more than ${mostFiles} files of the project` };
  }
  return { bound };
}

function isOfTheSystem(name: string): boolean {
  return path.isAbsolute(name) && isInsideAny(path.resolve(name), systemPlaces);
}

export function isThere(file: string, { hashFile }: NamedFiles): boolean {
  try {
    return hashFile(file) !== undefined;
  } catch {
    return true;
  }
}

/** Something is there, and something could be in it. */
export function isDirectory(place: string, { hashFile }: NamedFiles): boolean {
  try {
    hashFile(`${place}/.`);
    return false;
  } catch {
    return true;
  }
}
