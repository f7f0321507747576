import path from "node:path";
import type { Environment } from "../contract/fill-variables.ts";
import { launchOf, readLaunch } from "../contract/launcher.ts";
import { isInside } from "../contract/path-scope.ts";
import type { StdioServer } from "../contract/server.ts";
import { isBound, isRunner } from "./bound-program.ts";
import { wordsOfPackage } from "./known-words.ts";
import { isDirectory, isThere, namesIn, type Refused, type Search } from "./named-files.ts";
import type { ReadText } from "./parse-settings-text.ts";
import { interpreters, namedByScripts, packageFiles, runners, runsAll, startsItsWords, wrappers } from "./runtimes.ts";
import { piecesOf } from "./unclear-path.ts";

/** Where it is looked up which programs are installed, and what they are. */
export interface Installed {
  readonly environment: Environment;
  readonly readText: ReadText;
}

/** What runs directories may run the one that it is given, and of all that lies there nobody can say what that is. */
export function refuseDirectory(
  setting: StdioServer,
  words: readonly string[],
  search: Search,
  installed: Installed,
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
  const said = words
    .slice(wordsOfPackage(setting, workspace) ?? (isKnown ? 1 : 0))
    .flatMap((word) => word.split(/\s+/));
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
  return isGiven && isInterpreter(program, search, installed) ? refused(path.basename(program)) : undefined;
}

/** The directory that it starts in, or one that holds that. */
function isHere(word: string, { base, workspace }: Search): boolean {
  if (word === "") return false;
  const place = path.resolve(base, word);
  const holds = isInside(base, place) && isInside(place, workspace);
  return holds || [".", ".."].includes(path.basename(word));
}

/** Is it one that is installed, by another name? A link to it has its bytes, and so has a copy. */
function isInterpreter(program: string, search: Search, installed: Installed): boolean {
  const file = path.resolve(search.base, program);
  const hash = search.found.get(file);
  if (hash === undefined || isRunner(path.basename(program))) return false;
  // The others are large, and no script of Node's is one of them.
  const names = isForNode(file, installed.readText) ? [...runners] : [...interpreters, ...runners];
  return installedWith(hash, names, search, installed) !== undefined;
}

/** What a program of the project is called on the machine, where it is a link to one that runs its words, or a copy. */
export function nameElsewhere(file: string, search: Search, installed: Installed): string | undefined {
  if (!isInside(file, search.workspace) || isText(file, installed.readText)) return undefined;
  try {
    const hash = search.hashFile(file);
    return hash === undefined ? undefined : installedWith(hash, runsItsWords, search, installed);
  } catch {
    // Nobody can bind that, whatever it is.
    return undefined;
  }
}

const runsItsWords = [...namedByScripts, ...startsItsWords, ...wrappers, "java", "make", "julia", "tclsh"];

function installedWith(
  hash: string,
  names: readonly string[],
  search: Search,
  { environment }: Installed,
): string | undefined {
  const { PATH = "" } = environment;
  const places = [...PATH.split(":"), "/usr/bin", "/usr/local/bin", path.join(search.workspace, "node_modules/.bin")];
  const known = [...new Set(places.filter(path.isAbsolute))].flatMap((place) =>
    names.map((name) => path.join(place, name)),
  );
  const same = [...new Set(known)].find((one) => {
    try {
      return search.hashFile(one) === hash;
    } catch {
      // What cannot be hashed is larger than anything that was bound, or nothing that anybody here runs.
      return false;
    }
  });
  return same === undefined ? undefined : path.basename(same);
}

/** A program of the machine is none. */
function isText(file: string, readText: ReadText): boolean {
  try {
    const text = readText(file);
    return text === undefined || !/^(?:\u007fELF|.{0,3}\uFFFD)/.test(text);
  } catch {
    return false;
  }
}

function isForNode(file: string, readText: ReadText): boolean {
  try {
    return /^#!.*\bnode\b/.test(readText(file) ?? "");
  } catch {
    return false;
  }
}
