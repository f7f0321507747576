import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import path from "node:path";
import { isInside } from "../../contract/path-scope.ts";
import type { UntrustedSkills } from "../../contract/skill.ts";
import { type FileWalk, walkFiles } from "./file-walk.ts";
import { type LookMeans, lookMeans, startAllowance } from "./look-limits.ts";
import { findSkillCopies, realOf, type SkillCopies, statOf } from "./skill-copies.ts";
import { skillContent, skillHash } from "./skill-folder.ts";
import { type SkillPlaces, skillPlaceNames } from "./skill-library.ts";

/**
 * One look, for one question: whoever can write to the workspace can change them before the next. A skill that is too
 * large to be trusted is compared all the same, as far as the limits go.
 */
export function lookAtUntrustedSkills(
  { workspace, trusted }: Pick<SkillPlaces, "workspace" | "trusted">,
  means: LookMeans = lookMeans,
): UntrustedSkills {
  const places = skillPlaceNames.map((name) => path.join(workspace, name)).filter(mayBeThere);
  // Most projects have none, and every command asks.
  if (places.length === 0) return noSkills;
  const allowance = startAllowance(means);
  // A place may itself be a link: what lies behind it counts by both names.
  const roots = [...new Set(places.flatMap((place) => [place, realOf(place)]))];

  const known = new Map<string, boolean>();
  function isTrusted(folder: string): boolean {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const found = isTrustedNow(folder);
    known.set(folder, found);
    return found;
  }

  function isTrustedNow(folder: string): boolean {
    if (trusted.size === 0 || allowance.isOver()) return false;
    const content = skillContent(folder);
    if (!content.ok || content.value.others.length > 0) return false;
    const hash = skillHash(folder, content.value);
    return hash.ok && trusted.has(hash.value);
  }

  function folderOf(file: string): string | undefined {
    const root = roots.find((one) => isInside(file, one) && file !== one);
    if (root === undefined) return undefined;
    const folder = path.join(root, path.relative(root, file).split(path.sep)[0] ?? "");
    return isTrusted(folder) ? undefined : folder;
  }

  let walked: readonly (FileWalk & { readonly folder: string })[] | undefined;
  function walks() {
    let left = allowance.entries;
    walked ??= places
      .flatMap(foldersIn)
      .filter((folder) => !isTrusted(folder))
      .map((folder) => {
        const walk = walkFiles(folder, left);
        left -= walk.seen;
        return { folder, ...walk };
      });
    return walked;
  }

  function unlisted(): readonly string[] {
    return walks().flatMap(({ folder, whole }) => (whole ? [] : [folder]));
  }

  let knownFiles: readonly string[] | undefined;
  function untrustedFiles(): readonly string[] {
    knownFiles ??= [...walks().flatMap(({ files }) => files), ...unlisted()];
    return knownFiles;
  }

  let knownNodes: ReadonlyMap<string, string> | undefined;
  /** By what the file is, under whatever name. */
  function fileOf(stat: Stats): string | undefined {
    knownNodes ??= new Map(untrustedFiles().map((file) => [nodeOf(statOf(file)), file]));
    return knownNodes.get(nodeOf(stat));
  }

  let found: SkillCopies | undefined;
  function copies(): SkillCopies {
    found ??= findSkillCopies({
      workspace,
      places: roots,
      files: untrustedFiles(),
      unlisted: unlisted(),
      allowance,
      folderOf,
    });
    return found;
  }

  let knownEntries: readonly string[] | undefined;
  function entries(): readonly string[] {
    knownEntries ??= [...new Set(untrustedFiles().flatMap((file) => withParents(file, places)))];
    return knownEntries;
  }

  const knownEndings = new Map<number, ReadonlyMap<string, string>>();
  function endings(names: number): ReadonlyMap<string, string> {
    const before = knownEndings.get(names);
    if (before !== undefined) return before;
    const found = new Map<string, string>();
    const add = (ending: string, file: string) => found.has(ending) || found.set(ending, file);
    for (const entry of names === 1 ? untrustedFiles() : entries()) {
      add(lastNames(entry, names), entry);
      if (names > 1) add(lastNames(withoutExtension(entry), names), entry);
    }
    knownEndings.set(names, found);
    return found;
  }

  return {
    some: true,
    leadsInto(file) {
      const folder = folderOf(file) ?? folderOf(realOf(file));
      if (folder !== undefined) return folder;
      const stat = statOf(realOf(file));
      if (stat === undefined || !stat.isFile() || stat.nlink < 2) return undefined;
      const same = fileOf(stat);
      return same === undefined ? undefined : folderOf(same);
    },
    files: untrustedFiles,
    entries,
    copiedFrom: (file) => copies().copiedFrom(file),
    copiedInto: (directory) => copies().copiedInto(directory),
    namesIn: (directory) => copies().namesIn(directory),
    fallsApart(directory) {
      const { files, others, whole } = walkFiles(directory, allowance.entries);
      return !whole || [...files, ...others].some((file) => /[\s*?[\\]/.test(file.slice(directory.length)));
    },
    namedLike(file, names) {
      const like = endings(names).get(lastNames(file, names));
      return like === undefined || existsSync(file) ? undefined : like;
    },
  };
}

const noSkills: UntrustedSkills = {
  some: false,
  leadsInto: () => undefined,
  copiedFrom: () => undefined,
  copiedInto: () => undefined,
  namedLike: () => undefined,
  namesIn: () => [],
  fallsApart: () => false,
  files: () => [],
  entries: () => [],
};

function nodeOf(stat: Stats | undefined): string {
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
}

function lastNames(file: string, count: number): string {
  return file.split("/").slice(-count).join("/");
}

function withoutExtension(file: string): string {
  return file.slice(0, file.length - path.extname(file).length);
}

function withParents(file: string, places: readonly string[]): readonly string[] {
  const place = places.find((one) => isInside(file, one)) ?? path.dirname(file);
  const parents: string[] = [];
  for (let at = file; isInside(at, place) && at !== place; at = path.dirname(at)) parents.push(at);
  return parents;
}

function foldersIn(place: string): readonly string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(place, name));
  } catch {
    // Whatever lies there, nobody has trusted it.
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
