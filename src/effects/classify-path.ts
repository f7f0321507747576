import { ownSkills } from "../contract/app/skill.ts";
import { isInside, isInsideAny } from "../contract/effect.ts";
import type { PathClass, SecretStanding } from "../contract/gate.ts";
import { isScratch, type Scratch } from "../contract/ports.ts";
import { comparedName, findEntry, mayEndWith, namesOf } from "./path-class-index.ts";
import { type PathClassEntry, pathClasses } from "./path-classes.ts";

export interface PathPlaces {
  readonly roots: readonly string[];
  readonly home: string;
  readonly stateDirectory: string;
  readonly scratch?: Scratch;
  /** Of a path below a root that has a secret's name; `undefined` for what stays closed, as do all when absent. */
  readonly standing?: (path: string) => SecretStanding | undefined;
}

/** Callers ask for the written and for the resolved path: either may be the dangerous one. */
export function classifyPath(path: string, places: PathPlaces): PathClass | undefined {
  if (isInside(path, places.stateDirectory))
    return isOfOwnSkill(path, places) ? classOfOwnSkill(path, places) : "state";
  // Only what commands could read can be in there.
  if (isScratch(path, places.scratch)) return undefined;
  const root = innermostRoot(path, places.roots);
  const names = namesOf(path);
  const from = root === undefined ? 0 : namesOf(root).length;
  const closed = findEntry(names, { from });
  const standing = closed?.class === "secret" ? standingOf(path, names, from, places) : undefined;
  if (standing === "valued") return "committed";
  const entry = standing === undefined ? closed : findEntry(names, { from, open: true });
  if (entry !== undefined) return entry.class;
  return root !== undefined && names.slice(from, -1).some((name) => name.startsWith(".")) ? "hidden" : undefined;
}

function standingOf(path: string, names: readonly string[], from: number, { standing }: PathPlaces) {
  const above = findEntry(names.slice(0, -1), { from });
  return from === 0 || above?.class === "secret" ? undefined : standing?.(path);
}

export function isProtectedWhenOpen(path: string): boolean {
  return findEntry(namesOf(path), { from: 0, endsLast: true, open: true })?.class === "protected";
}

/**
 * Is it content of a skill of the person's own? Below a root it stays closed with the rest of the state: what lies
 * in a workspace can be written, and is hidden from commands as a whole.
 */
export function isOfOwnSkill(path: string, { roots, stateDirectory }: PathPlaces): boolean {
  const skills = ownSkills(stateDirectory);
  return path !== skills && isInside(path, skills) && !isInsideAny(path, roots);
}

function classOfOwnSkill(path: string, { stateDirectory }: PathPlaces): PathClass | undefined {
  return findEntry(namesOf(path), { from: namesOf(ownSkills(stateDirectory)).length })?.class;
}

export function describeClass(path: string): string | undefined {
  return findEntry(namesOf(path), { from: 0 })?.what;
}

/** Is this in the store of a repository, which holds every version of every file? Whoever reads it reads them all. */
export function isObjectStore(path: string): boolean {
  const names = namesOf(path);
  const repository = names.indexOf(".git");
  if (repository >= 0 && names.includes("objects", repository)) return true;
  return /\/objects\/(?:pack\/[^/]+|[0-9a-f]{2}\/[0-9a-f]{38,})$/.test(path);
}

/**
 * For scans, search and masks: is the entry of this name closed to reading, as a secret or as our own state?
 * `path` is absolute. True for the directory that is closed; whatever lies below it need not be asked for.
 */
export function isSecretName(name: string, path: string): boolean {
  const found = endingEntry(name, path);
  return found === "secret" || found === "state";
}

export function isProtectedName(name: string, path: string): boolean {
  return endingEntry(name, path) === "protected";
}

export const closedToReading: readonly PathClassEntry[] = pathClasses.filter(
  (entry) => entry.class === "secret" || entry.class === "state",
);

function endingEntry(name: string, path: string): PathClass | undefined {
  if (!mayEndWith(comparedName(name))) return undefined;
  return findEntry(namesOf(path), { from: 0, endsLast: true })?.class;
}

function innermostRoot(path: string, roots: readonly string[]): string | undefined {
  let found: string | undefined;
  for (const root of roots) {
    if (isInside(path, root) && root.length > (found?.length ?? 0)) found = root;
  }
  return found;
}
