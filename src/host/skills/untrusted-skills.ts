import { lstatSync, readdirSync, type Stats } from "node:fs";
import path from "node:path";
import type { UntrustedSkills } from "../../contract/app/skill.ts";
import { isInside } from "../../contract/effect.ts";
import { realPathOf, statsOf } from "../files/look.ts";
import { skillContent, skillHash } from "./skill-folder.ts";
import { type SkillPlaces, skillPlaceNames } from "./skill-library.ts";

const lookMeans = { entries: 20_000, milliseconds: 2_000, now: () => performance.now() };

/** One look, for one question: whoever can write to the workspace can change them before the next. */
export function lookAtUntrustedSkills(
  { workspace, trusted }: Pick<SkillPlaces, "workspace" | "trusted">,
  { entries: most, milliseconds, now } = lookMeans,
): UntrustedSkills {
  const places = skillPlaceNames.map((name) => path.join(workspace, name)).filter(mayBeThere);
  if (places.length === 0) return { some: false, leadsInto: () => undefined, entries: () => [] };
  const until = now() + milliseconds;
  // A place may itself be a link: what lies behind it counts by both names.
  const roots = [...new Set(places.flatMap((place) => [place, realOf(place)]))];

  const known = new Map<string, boolean>();
  const isTrusted = (folder: string): boolean => {
    const found = known.get(folder) ?? (trusted.size > 0 && now() <= until && trusted.has(hashOf(folder) ?? ""));
    known.set(folder, found);
    return found;
  };

  const folderOf = (file: string): string | undefined => {
    const root = roots.find((one) => isInside(file, one) && file !== one);
    if (root === undefined) return undefined;
    const folder = path.join(root, path.relative(root, file).split(path.sep)[0] ?? "");
    return isTrusted(folder) ? undefined : folder;
  };

  let knownEntries: ReadonlySet<string> | undefined;
  const entries = (): ReadonlySet<string> => {
    if (knownEntries !== undefined) return knownEntries;
    const found = new Set(places.flatMap(foldersIn).filter((folder) => !isTrusted(folder)));
    // A set can grow while it is read: folders add what they hold.
    for (const folder of found) for (const name of namesBelow(folder)) if (found.size < most) found.add(name);
    knownEntries = found;
    return found;
  };

  let knownNodes: ReadonlyMap<string, string> | undefined;
  /** By what the file is, under whatever name. */
  const sameFile = (stat: Stats): string | undefined => {
    knownNodes ??= new Map([...entries()].map((file) => [nodeOf(statsOf(file)), file]));
    return knownNodes.get(nodeOf(stat));
  };

  return {
    some: true,
    leadsInto(file) {
      const folder = folderOf(file) ?? folderOf(realOf(file));
      if (folder !== undefined) return folder;
      const stat = statsOf(realOf(file));
      const same = stat?.isFile() && stat.nlink > 1 ? sameFile(stat) : undefined;
      return same === undefined ? undefined : folderOf(same);
    },
    entries: () => [...entries()],
  };
}

function hashOf(folder: string): string | undefined {
  const content = skillContent(folder);
  if (!content.ok || content.value.others.length > 0) return undefined;
  const hash = skillHash(folder, content.value);
  return hash.ok ? hash.value : undefined;
}

function nodeOf(stat: Stats | undefined): string {
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
}

function namesBelow(folder: string): readonly string[] {
  if (statsOf(folder)?.isDirectory() !== true) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((one) => one.isDirectory() || one.isFile()).map(({ name }) => path.join(folder, name));
  } catch {
    return [];
  }
}

function foldersIn(place: string): readonly string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(place, name));
  } catch {
    return mayBeThere(place) ? [place] : [];
  }
}

/** Only what is certainly absent is not. */
function mayBeThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function realOf(file: string): string {
  // Most words that are looked at are no paths, and an exception for each is dear.
  return statsOf(file) === undefined ? file : (realPathOf(file) ?? file);
}
