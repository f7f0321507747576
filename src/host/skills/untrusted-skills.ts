import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import type { UntrustedSkills } from "../../contract/app/skill.ts";
import { isInside } from "../../contract/effect.ts";
import { skillContent, skillHash } from "./skill-folder.ts";
import { type SkillPlaces, skillPlaceNames } from "./skill-library.ts";

/** Where one look ends: at so many entries of all skills together, and for trust after so much time. */
interface LookMeans {
  readonly entries: number;
  readonly milliseconds: number;
  readonly now: () => number;
}

const lookMeans: LookMeans = { entries: 20_000, milliseconds: 2_000, now: () => performance.now() };

/** One look, for one question: whoever can write to the workspace can change them before the next. */
export function lookAtUntrustedSkills(
  { workspace, trusted }: Pick<SkillPlaces, "workspace" | "trusted">,
  { entries: most, milliseconds, now }: LookMeans = lookMeans,
): UntrustedSkills {
  const places = skillPlaceNames.map((name) => path.join(workspace, name)).filter(mayBeThere);
  // Most projects have none, and every command asks.
  if (places.length === 0) return noSkills;
  const until = now() + milliseconds;
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
    if (trusted.size === 0 || now() > until) return false;
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

  let knownFiles: readonly string[] | undefined;
  /** With folders of which not all files are known. */
  function untrustedFiles(): readonly string[] {
    let left = most;
    knownFiles ??= places
      .flatMap(foldersIn)
      .filter((folder) => !isTrusted(folder))
      .flatMap((folder) => {
        const { files, seen, whole } = walkFiles(folder, left);
        left -= seen;
        return whole ? files : [...files, folder];
      });
    return knownFiles;
  }

  let knownNodes: ReadonlyMap<string, string> | undefined;
  /** By what the file is, under whatever name. */
  function fileOf(stat: Stats): string | undefined {
    knownNodes ??= new Map(untrustedFiles().map((file) => [nodeOf(statOf(file)), file]));
    return knownNodes.get(nodeOf(stat));
  }

  let knownEntries: readonly string[] | undefined;
  function entries(): readonly string[] {
    knownEntries ??= [...new Set(untrustedFiles().flatMap((file) => withParents(file, places)))];
    return knownEntries;
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
    entries,
  };
}

const noSkills: UntrustedSkills = {
  some: false,
  leadsInto: () => undefined,
  entries: () => [],
};

function nodeOf(stat: Stats | undefined): string {
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
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

function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function realOf(file: string): string {
  try {
    // Most words that are looked at are no paths, and an exception for each is dear.
    return statOf(file) === undefined ? file : realpathSync(file);
  } catch {
    return file;
  }
}

interface FileWalk {
  /** Regular files, absolute. */
  readonly files: readonly string[];
  /** How many entries were looked at, folders among them. */
  readonly seen: number;
  /** False where there was more than could be looked at. */
  readonly whole: boolean;
}

/** All below a folder, as far as so many entries go. Links are not followed. */
function walkFiles(folder: string, most: number): FileWalk {
  const files: string[] = [];
  const folders = [folder];
  let seen = 0;
  let whole = true;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        seen += 1;
        if (seen > most) return { files, seen, whole: false };
        const at = path.join(next, entry.name);
        if (entry.isDirectory()) folders.push(at);
        else if (entry.isFile()) files.push(at);
      }
    } catch {
      whole = false;
    }
  }
  return { files, seen, whole };
}
