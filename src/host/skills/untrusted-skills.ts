import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import path from "node:path";
import { isInside } from "../../contract/path-scope.ts";
import type { UntrustedSkills } from "../../contract/skill.ts";
import { type FileWalk, walkFiles } from "./file-walk.ts";
import { findSkillCopies, realOf, type SkillCopies, statOf } from "./skill-copies.ts";
import { skillContent, skillHash } from "./skill-folder.ts";
import { type SkillPlaces, skillPlaceNames } from "./skill-library.ts";

/**
 * One look, for one question: whoever can write to the workspace can change them before the next. A skill that is too
 * large to be trusted is compared all the same; `mostFiles` is where that ends.
 */
export function lookAtUntrustedSkills(
  { workspace, trusted }: Pick<SkillPlaces, "workspace" | "trusted">,
  mostFiles = 20_000,
): UntrustedSkills {
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

  let walked: readonly (FileWalk & { readonly folder: string })[] | undefined;
  function walks() {
    walked ??= places
      .flatMap(foldersIn)
      .filter((folder) => !isTrusted(folder))
      .map((folder) => ({ folder, ...walkFiles(folder, mostFiles) }));
    return walked;
  }

  function unlisted(): readonly string[] {
    return walks().flatMap(({ folder, whole }) => (whole ? [] : [folder]));
  }

  function untrustedFiles(): readonly string[] {
    return [...walks().flatMap(({ files }) => files), ...unlisted()];
  }

  let found: SkillCopies | undefined;
  function copies(): SkillCopies {
    found ??= findSkillCopies({
      workspace,
      places: roots,
      files: untrustedFiles(),
      unlisted: unlisted(),
      mostFiles,
      folderOf,
    });
    return found;
  }

  let knownScripts: readonly string[] | undefined;
  function scripts(): readonly string[] {
    knownScripts ??= untrustedFiles().filter((file) => path.basename(file) !== "SKILL.md");
    return knownScripts;
  }

  let knownEntries: readonly string[] | undefined;
  function entries(): readonly string[] {
    knownEntries ??= [...new Set(untrustedFiles().flatMap((file) => withParents(file, places)))];
    return knownEntries;
  }

  return {
    leadsInto(file) {
      const folder = folderOf(file) ?? folderOf(realOf(file));
      if (folder !== undefined) return folder;
      const stat = statOf(realOf(file));
      if (stat === undefined || !stat.isFile() || stat.nlink < 2) return undefined;
      const isSame = (other: Stats | undefined) => other?.ino === stat.ino && other.dev === stat.dev;
      const same = untrustedFiles().find((other) => isSame(statOf(other)));
      return same === undefined ? undefined : folderOf(same);
    },
    scripts,
    entries,
    copiedFrom: (file) => copies().copiedFrom(file),
    copiedInto: (directory) => copies().copiedInto(directory),
    namedLike(file, names) {
      const ending = `/${file.split("/").slice(-names).join("/")}`;
      const like =
        names === 1
          ? scripts().find((script) => script.endsWith(ending))
          : entries().find((entry) => [entry, withoutExtension(entry)].some((name) => name.endsWith(ending)));
      return like === undefined || existsSync(file) ? undefined : like;
    },
  };
}

const noSkills: UntrustedSkills = {
  leadsInto: () => undefined,
  copiedFrom: () => undefined,
  copiedInto: () => undefined,
  namedLike: () => undefined,
  scripts: () => [],
  entries: () => [],
};

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
