import path from "node:path";
import { isInside } from "../contract/path-scope.ts";
import type { StdioServer } from "../contract/server.ts";
import { bindNames, isDirectory, type Refused, type Search } from "./named-files.ts";
import { climbingOrders, namedByScripts, orders, packageManagers, plainName, runsInstalled } from "./runtimes.ts";

/** The files that tell a program what to run, wherever it looks for them. */
export function bindOrders(programs: readonly string[], search: Search, bases: readonly string[]): Refused | undefined {
  const above = bases.flatMap((base) => upwards(base, search.workspace));
  const names = programs.map(plainName);
  const files = names.flatMap((name) => [
    ...namesOf(orders.get(name), bases),
    ...namesOf(climbingOrders.get(name), above),
  ]);
  // Python itself is mostly too large, and most often a link out of the project.
  const others = programs.filter(
    (program, at) => !program.startsWith("-") && !/^(?:python|pypy)/.test(names[at] ?? ""),
  );
  const places = names.some((name) => runsInstalled.has(name))
    ? above.map((place) => path.join(place, ".venv/bin"))
    : [];
  const refused = bindAll([...files, ...namesOf(others, places)], search, "what tells it what to run cannot be bound");
  return refused ?? (names.includes("just") ? refuseUnheld("just", search) : undefined);
}

/** It takes its file in any spelling, and two of them for a mistake: only the one that lies there keeps others away. */
function refuseUnheld(name: string, { base, found }: Search): Refused | undefined {
  const isThere = climbingOrders.get(name)?.some((file) => found.has(path.join(base, file)));
  return isThere ? undefined : { why: `${name} would run files that nobody names` };
}

/** A script names its program in its first line, and that is looked for in these directories. */
export function bindSearched(value: string, search: Search): Refused | undefined {
  const places = value.split(":").map((entry) => path.resolve(search.base, entry));
  const own = places.filter((place) => value !== "" && isInside(place, search.workspace));
  return bindAll(namesOf(namedByScripts, own), search, "a program in its PATH cannot be bound");
}

/** The same for scripts of a package, whose managers look into node_modules/.bin first. */
export function bindBesideScripts(
  programs: readonly string[],
  search: Search,
  bases: readonly string[],
): Refused | undefined {
  if (!programs.some((program) => packageManagers.has(plainName(program)))) return undefined;
  const places = bases.flatMap((base) => upwards(base, search.workspace));
  return bindInstalledPrograms(places, search);
}

export function bindInstalledPrograms(places: readonly string[], search: Search): Refused | undefined {
  const files = namesOf(
    namedByScripts,
    places.map((place) => path.join(place, "node_modules/.bin")),
  );
  return bindAll(files, search, "a program in node_modules/.bin cannot be bound");
}

/** By rules of its own it makes a file that it reads anew, from one with another ending beside it. */
export function refuseRemade(
  { sandbox }: StdioServer,
  programs: readonly string[],
  { workspace, found }: Search,
  bases: readonly string[],
): Refused | undefined {
  if (!programs.some((program) => /^g?make$/.test(plainName(program)))) return undefined;
  const read = [...bases, ...[...found.keys()].map((file) => path.dirname(file))];
  const written = (sandbox?.write ?? []).map((place) => path.resolve(workspace, place));
  return written.some((place) => read.some((directory) => isInside(directory, place)))
    ? { why: "make could write anew what tells it what to run" }
    : undefined;
}

const takesLibraries = /^(?:perl|raku|ruby|jruby|java|javaw|kotlin|scala|groovy|lua|luajit)$/;
const libraryOption = /^(?:-I|-cp|-classpath|--class-path|-p|--module-path|-L)$/;
const libraryValue = /^(?:-I|--(?:class|module)-path=)(.+)$/;

/** Of a library of the project, what is named has to be there: it would come from somewhere else, or later. */
export function refuseLibraries(said: readonly string[], search: Search): Refused | undefined {
  const program = said.map(plainName).find((name) => takesLibraries.test(name));
  if (program === undefined) return undefined;
  const values = said.flatMap((word, at) => {
    const value = libraryOption.test(said[at - 1] ?? "") ? word : libraryValue.exec(word)?.[1];
    return value === undefined ? [] : value.split(":");
  });
  const isUnknown = (place: string) =>
    isInside(place, search.workspace) && ![...search.found.keys()].some((file) => isInside(file, place));
  return values.some((value) => isUnknown(path.resolve(search.base, value)))
    ? { why: `what ${program} takes from a directory of the project cannot be told` }
    : undefined;
}

function upwards(base: string, workspace: string): readonly string[] {
  const places: string[] = [];
  for (let at = base; isInside(at, workspace); at = path.dirname(at)) {
    places.push(at);
    if (at === workspace) break;
  }
  return places;
}

function namesOf(names: readonly string[] = [], places: readonly string[]): readonly string[] {
  return places.flatMap((place) => names.map((name) => path.join(place, name)));
}

function bindAll(files: readonly string[], search: Search, why: string): Refused | undefined {
  const done = bindNames([...new Set(files)], search, (file) => isDirectory(file, search));
  return "why" in done ? { why: `${why}${done.because === undefined ? "" : `: ${done.because}`}` } : undefined;
}
