import path from "node:path";
import { createFiller } from "../contract/fill-variables.ts";
import { isInside } from "../contract/path-scope.ts";
import type { ServerSetting } from "../contract/server.ts";
import { bindBesideScripts, bindOrders, bindSearched, refuseLibraries, refuseRemade } from "./bind-implied.ts";
import { bindWord, type Start, type Word } from "./bind-word.ts";
import { isBound } from "./bound-program.ts";
import { bindCompiled } from "./compiled-python.ts";
import { createDescribe } from "./described-files.ts";
import { startAnother, wordsOfPackage, wordsOfProgram } from "./known-words.ts";
import { mountedNames } from "./mounted-names.ts";
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
import { createOwnData, givesOrders, type Place } from "./own-data.ts";
import { refuseContainer } from "./refuse-container.ts";
import { refuseEnvironment } from "./refuse-environment.ts";
import { refuseJava } from "./refuse-java.ts";
import { refuseAbove, refuseLinks } from "./refuse-places.ts";
import { refuseInstalled, refuseProgram, runsScriptOfPackage } from "./refuse-program.ts";
import { refuseAmount, refuseCode, refuseUnprintable, shownWord } from "./refuse-words.ts";
import { type Installed, nameElsewhere, refuseDirectory } from "./run-directory.ts";
import { endingsFor } from "./runtimes.ts";
import { piecesOf, unclearPath } from "./unclear-path.ts";

interface ServerPlace extends NamedFiles, Installed {}

/** Variables that hold words for a program. */
const ofOptions = /(?:OPTS?|OPTIONS|FLAGS)$/i;
/** These import nothing of Python. */
const onlyScripts = /^(?:node|nodejs|tsx|deno|bun)$/;
const mostBases = 8;
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
  const named = namedHere(filled, search, place);
  const unreadable = refuseUnprintable(setting) ?? refuseAmount(all.map(fill)) ?? refuseCode(setting, named, search);
  if (unreadable !== undefined) return { ok: false, ...unreadable };
  const parts = filled.flatMap((word, at) => word.split(/\s+/).map((part) => ({ part, at })));
  const told: readonly Word[] = [
    ...words.map((word, at) => ({ filled: fill(word), shown: shownWord(words, at) })),
    ...Object.entries(env).map(([name, value]) => ({ filled: fill(value), shown: name })),
    ...mountedNames(parts.map(({ part }) => part)).map(([which, name]) => ({
      filled: name,
      shown: shownWord(words, parts[which]?.at ?? 0),
    })),
  ];
  const bases = basesOf(all.map(fill), search);
  const quoting = Object.keys(env).find((name) => ofOptions.test(name) && /["'\\]/.test(fill(env[name] ?? "")));
  const elsewhere =
    refuseUnclear(told, { filled: fill(cwd), shown: JSON.stringify(cwd) }, { ...search, bases }) ??
    (quoting === undefined ? undefined : { why: `${quoting} has quotes, and could be more than names` });
  if (elsewhere !== undefined) return { ok: false, ...elsewhere };
  if (bases.length > mostBases) return { ok: false, why: "it names too many directories of the project" };
  const said = named.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "");
  const odd =
    refuseProgram(setting, { said, ofNode: fill(env.NODE_OPTIONS ?? "").split(/\s+/) }, search) ??
    refuseEnvironment(env, { fill, environment: place.environment }, search);
  if (odd !== undefined) return { ok: false, ...odd };
  const programs = said.map((word) => path.basename(word));
  const start = {
    bases,
    programs: [...programs, ...filled.map((word) => path.basename(word))],
    endings: endingsFor(said),
    imports: !onlyScripts.test(path.basename(command)),
    describe: createDescribe(place.readText),
  };
  const ofPackage = wordsOfPackage(setting, place.workspace);
  const isOwnData = createOwnData(setting, place.workspace);
  for (const [at, word] of told.entries()) {
    const from = ofPackage ?? wordsOfProgram(setting, named, search) ?? told.length;
    const isKnown = at >= from && !startAnother(named.slice(from, at + 1));
    const refused = bindWord(word, search, {
      ...start,
      ...worksOn(at < words.length ? named.slice(0, at + 1) : [], { search, ofPackage }),
      ...(isKnown ? { isOwnData: (file: string) => isOwnData(file, placeOf(told, at, words.length)) } : {}),
    });
    if (refused !== undefined) return { ok: false, ...refused };
  }
  const ordered = runsScriptOfPackage(said) ? [...programs, "npm"] : programs;
  const refused =
    refuseAbove(setting, named, search) ??
    refuseLinks(setting, named, search, bases) ??
    bindOrders(ordered, search, bases) ??
    bindSearched(fill(env.PATH ?? ""), search) ??
    bindBesideScripts(ordered, search, bases) ??
    refuseRemade(setting, ordered, search, bases) ??
    refuseJava(said, { env, fill }, search) ??
    bindCompiled(setting, filled, search) ??
    refuseLibraries(said, search) ??
    refuseDirectory(setting, filled, search, place) ??
    refuseInstalled(setting, said, place.workspace) ??
    refuseContainer({ said, words: filled, values: Object.values(env).map(fill) }, search);
  return refused === undefined ? { ok: true, files: filesOf(search) } : { ok: false, ...refused };
}

/** A directory behind a program that is bound, or a server that is fetched, is what that works on. */
function worksOn(
  words: readonly string[],
  { search, ofPackage }: { readonly search: Search; readonly ofPackage: number | undefined },
): Partial<Start> {
  const [word = "", before = ""] = words.toReversed();
  if (words.length === 0) return {};
  if (isBound(words.slice(0, -1), search)) return { imports: false, data: "here" };
  const isTold = ofPackage !== undefined && words.length > ofPackage && ![word, before].some(givesOrders);
  return isTold ? { data: "directories" } : {};
}

function placeOf(told: readonly Word[], at: number, words: number): Place {
  const { filled = "", shown = "" } = told[at] ?? {};
  if (at >= words) return { variable: shown };
  const before = told[at - 1]?.filled ?? "";
  return { option: `${before.startsWith("-") ? before : ""} ${filled.includes("=") ? filled.split("=")[0] : ""}` };
}

/** With the name that a program of the project has on the machine, where it is one of those. */
function namedHere(filled: readonly string[], search: Search, place: ServerPlace): readonly string[] {
  const [program = "", ...rest] = filled;
  const known = program.includes("/") ? nameElsewhere(path.resolve(search.base, program), search, place) : undefined;
  return [known ?? program, ...rest];
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
