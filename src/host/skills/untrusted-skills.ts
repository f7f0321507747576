import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { isInside } from "../../contract/path-scope.ts";
import type { UntrustedSkills } from "../../contract/skill.ts";
import { hashFile } from "../hash-file.ts";
import { skillContent, skillHash } from "./skill-folder.ts";
import { type SkillPlaces, skillPlaceNames } from "./skill-library.ts";

/** One look, for one question: whoever can write to the workspace can change them before the next. */
export function lookAtUntrustedSkills({
  workspace,
  trusted,
}: Pick<SkillPlaces, "workspace" | "trusted">): UntrustedSkills {
  const places = skillPlaceNames.map((name) => path.join(workspace, name)).filter(mayBeThere);
  // Most projects have none, and every command asks.
  if (places.length === 0) return noSkills;
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

  function filesOf(folder: string): readonly string[] {
    const content = skillContent(folder);
    return content.ok ? content.value.files.map((file) => path.join(folder, file)) : [folder];
  }

  let files: readonly string[] | undefined;
  function untrustedFiles(): readonly string[] {
    files ??= places
      .flatMap(foldersIn)
      .filter((folder) => !isTrusted(folder))
      .flatMap(filesOf);
    return files;
  }

  function fileLike(isLike: (other: Stats, file: string) => boolean): string | undefined {
    return untrustedFiles().find((file) => {
      const other = statOf(file);
      return other !== undefined && isLike(other, file);
    });
  }

  return {
    leadsInto(file) {
      const folder = folderOf(file) ?? folderOf(realOf(file));
      if (folder !== undefined) return folder;
      const stat = statOf(realOf(file));
      if (stat === undefined || !stat.isFile() || stat.nlink < 2) return undefined;
      const same = fileLike((other) => other.ino === stat.ino && other.dev === stat.dev);
      return same === undefined ? undefined : folderOf(same);
    },
    scripts: () => untrustedFiles().filter((file) => path.basename(file) !== "SKILL.md"),
    entries: () => [...new Set(untrustedFiles().flatMap((file) => withParents(file, places)))],
    copiedFrom(file) {
      const stat = statOf(file);
      if (stat === undefined || !stat.isFile() || stat.size === 0) return undefined;
      return fileLike((other, script) => other.size === stat.size && isSameContent(file, script));
    },
  };
}

const noSkills: UntrustedSkills = {
  leadsInto: () => undefined,
  copiedFrom: () => undefined,
  scripts: () => [],
  entries: () => [],
};

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

/** What cannot be read cannot be told apart. */
function isSameContent(file: string, other: string): boolean {
  try {
    return hashFile(file) === hashFile(other);
  } catch {
    return true;
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
