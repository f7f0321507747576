import { join, normalize } from "node:path/posix";
import { type Effect, type FileEffect, isFileEffect, type PathRef } from "../contract/effect.ts";
import { isInside, isInsideAny } from "../contract/path-scope.ts";
import type { ChangedFile } from "../contract/ports.ts";
import { type KnownWrites, knownWrites } from "./known-writers.ts";
import { isOneMoment } from "./one-moment.ts";

/** Did the call say that it would change this? `isNew` tells which paths were not there before it. */
export type Declares = (change: ChangedFile, isNew: (path: string) => boolean) => boolean;

export interface DeclaredCall {
  readonly effects: readonly Effect[];
  /** Its command, and where that runs. */
  readonly text?: string;
  readonly cwd?: string;
  readonly roots: readonly string[];
  /** Outside of the workspace, where git keeps its books together with those of other trees. */
  readonly books?: readonly string[];
}

/**
 * A path that a call names is the call's. A tree that it names is so only if it is over in the moment in which it
 * writes there, because whoever works there meanwhile would be taken for the call.
 */
export function declaredChanges({ effects, text, cwd = "/", roots, books = [] }: DeclaredCall): Declares {
  const files = effects.filter(isFileEffect);
  const known = effects.flatMap((effect) => (runsSomething(effect) ? [writesOf(effect, { cwd, roots })] : []));
  const briefly = text === undefined ? known.length === 0 : isOneMoment(text);
  const understood = briefly && known.every((one) => one !== undefined && one.more === undefined);
  // Git's books and the files around them go back together or not at all: here all references are in one file.
  const inseparable = books.some((book) => book.endsWith("/reftable"));
  const programs = known.filter((one) => one !== undefined).filter((one) => !(inseparable && one.repository));
  const deletes = files.filter(({ op }) => op === "delete");
  const writes = files.filter(({ op }) => op === "write");
  const pathsOf = (chosen: readonly FileEffect[], scope: FileEffect["scope"]) =>
    chosen.filter((effect) => effect.scope === scope).flatMap(({ path }) => namesOf(path, cwd));
  const trees = [...pathsOf(writes, "tree"), ...programs.flatMap((one) => one.trees)];
  const cleared = pathsOf(deletes, "tree");
  const gone = new Set([...pathsOf(deletes, "file"), ...cleared]);
  // What is put where something was removed is named as well.
  const named = new Set([...pathsOf(writes, "file"), ...trees, ...programs.flatMap((one) => one.files), ...gone]);
  const ofGit = programs.some(({ repository }) => repository);
  const given = new Set(effects.flatMap((effect) => (effect.op === "exec" ? effect.argv : [])));
  const ofBooks = (path: string) =>
    isInsideAny(path, roots) ? `${path}/`.includes("/.git/") : isInsideAny(path, books) && isOwnBook(path, given);

  const ofTree = (path: string) => understood && (isInsideAny(path, trees) || (ofGit && ofBooks(path)));
  const leaves = (path: string) => gone.has(path) || isInsideAny(path, cleared) || ofTree(path);
  return ({ path, change, to, is, was, generated }, isNew) => {
    const arrives = (place: string) =>
      named.has(place) || ofTree(place) || trees.some((tree) => isNew(tree) && isInside(place, tree));
    if (generated) return true;
    if (change === "moved" && to !== undefined) return leaves(path) && (arrives(to) || isInsideAny(to, trees));
    if (change === "deleted") return leaves(path) || (was?.kind === "directory" && holdsAny(path, gone));
    return arrives(path) || (change === "created" && is?.kind === "directory" && holdsAny(path, named));
  };
}

function runsSomething({ op }: Effect): boolean {
  return op === "exec" || op === "unknown" || op === "call" || op === "delegate";
}

function writesOf(
  effect: Effect,
  place: { readonly cwd: string; readonly roots: readonly string[] },
): KnownWrites | undefined {
  return effect.op === "exec" ? knownWrites(effect.argv, place) : undefined;
}

/** Where it leads, and the name itself: a link is replaced, not what it points to. */
function namesOf({ written, resolved }: PathRef, cwd: string): readonly string[] {
  const name = written.startsWith("/") ? normalize(written) : join(cwd, written);
  return [resolved, name.replace(/(.)\/$/, "$1")];
}

/** On the way to something that was named. */
function holdsAny(directory: string, named: ReadonlySet<string>): boolean {
  return [...named].some((path) => isInside(path, directory));
}

const movesBranch = ["am", "cherry-pick", "commit", "merge", "pull", "rebase", "reset", "revert"];

/** Of what trees share, a reference that the words name, or a branch if they move the one that is checked out. */
function isOwnBook(path: string, given: ReadonlySet<string>): boolean {
  const [, kind, name] = /\/refs\/(?:(heads|tags|remotes)(?:\/|$))?(.+)?$/.exec(path) ?? [];
  if (name === undefined) return true;
  if (kind === "heads" && movesBranch.some((verb) => given.has(verb))) return true;
  return [...given].some((word) => word === name || word.startsWith(`${name}/`));
}
