import { launchOf } from "../contract/launcher.ts";
import { isInside } from "../contract/path-scope.ts";
import type { StdioServer } from "../contract/server.ts";
import { isOwnPath } from "../host/own-path.ts";
import { isBound } from "./bound-program.ts";
import { namesIn, type Refused, type Search } from "./named-files.ts";
import { holdsProject } from "./refuse-environment.ts";
import { piecesOf } from "./unclear-path.ts";

/** A program that works above the project has other names for what lies in it. */
export function refuseAbove(setting: StdioServer, words: readonly string[], search: Search): Refused | undefined {
  if (holdsProject(search.base, search)) return { why: "its directory holds the project" };
  if (isKnown(setting, words, search)) return undefined;
  const said = words.slice(1).flatMap((word) => word.split(/\s+/));
  const isOption = (word: string, at: number) => /^-|^\w+=/.test(word) || /^-/.test(said[at - 1] ?? "");
  const holds = (word: string) =>
    piecesOf(word)
      .flatMap(namesIn)
      .some((name) => holdsProject(name, search));
  return said.some((word, at) => isOption(word, at) && holds(word))
    ? { why: "an option of it names a directory that holds the project" }
    : undefined;
}

/** Names are looked for above where a directory really lies, and by its text nobody can tell where that is. */
export function refuseLinks(
  setting: StdioServer,
  words: readonly string[],
  search: Search,
  bases: readonly string[],
): Refused | undefined {
  const { base, workspace } = search;
  const isLinked = (directory: string) => isInside(directory, workspace) && !isOwnPath(directory, workspace);
  if (isLinked(base)) return { why: "its directory is a link, or lies behind one" };
  if (isKnown(setting, words, search)) return undefined;
  return bases.some(isLinked) ? { why: "it names a directory that is a link, or lies behind one" } : undefined;
}

/** What its further words mean is then a matter of that program. */
function isKnown(setting: StdioServer, words: readonly string[], search: Search): boolean {
  return launchOf(setting, search.workspace) !== undefined || isBound(words, search);
}
