import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { isInside, isInsideAny } from "../../contract/path-scope.ts";
import { hasScriptName, isReadUnnamed } from "../../contract/script-names.ts";
import type { SkillCopy } from "../../contract/skill.ts";
import { hashFile } from "../hash-file.ts";
import { walkFiles } from "./file-walk.ts";

export interface Originals {
  readonly workspace: string;
  /** Where skills lie. What is above one of them holds no copies by that alone. */
  readonly places: readonly string[];
  readonly files: readonly string[];
  /** Folders of which not all files are known: anything may be a copy from there. */
  readonly unlisted: readonly string[];
  /** So many files are looked at below a directory. */
  readonly mostFiles: number;
  /** The folder of a skill that nobody trusts, if the path lies in one. */
  folderOf(file: string): string | undefined;
}

export interface SkillCopies {
  copiedFrom(file: string): SkillCopy | undefined;
  copiedInto(directory: string): SkillCopy | undefined;
}

/** Looks for files of the same content, for as long as one question takes. */
export function findSkillCopies({ workspace, places, files, unlisted, mostFiles, folderOf }: Originals): SkillCopies {
  const [unknown] = unlisted;
  const script = files.find((file) => path.basename(file) !== "SKILL.md");
  const bySize = Map.groupBy(files, (file) => statOf(file)?.size ?? 0);
  const names = new Map<string, readonly string[]>();
  const directories = new Map<string, SkillCopy | undefined>();

  function copyOf(file: string, isWanted: (original: string) => boolean = () => true): SkillCopy | undefined {
    const stat = statOf(file);
    if (stat === undefined || !stat.isFile() || stat.size === 0) return undefined;
    const same = bySize.get(stat.size)?.find((one) => isWanted(one) && isSameContent(file, one));
    if (same !== undefined) return { file: same, certain: true };
    return unknown !== undefined && isInside(file, workspace) ? { file: unknown, certain: false } : undefined;
  }

  function copiedBelow(directory: string): SkillCopy | undefined {
    if (isInsideAny(directory, ofTheSystem)) return undefined;
    if (places.some((place) => isInside(place, directory))) return copiedInto(directory);
    const roots = [directory];
    let left = mostFiles;
    for (const root of roots) {
      const { files: found, others, seen, whole } = walkFiles(root, left, isInstalled);
      left -= seen;
      const behind = others.map(realOf);
      for (const file of [...found, ...behind]) {
        const folder = folderOf(file);
        if (folder !== undefined) return { file: folder, certain: true };
        // The same licence lies in many places, and nobody runs it.
        const copy = copyOf(file, (original) => isReadToRun(file) || isReadToRun(original));
        if (copy !== undefined) return copy;
      }
      if (!whole) return script === undefined ? undefined : { file: script, certain: false };
      roots.push(...new Set(behind.filter((other) => isAnotherTree(other, roots))));
    }
    return undefined;
  }

  function isAnotherTree(other: string, roots: readonly string[]): boolean {
    if (isInsideAny(other, [...roots, ...ofTheSystem]) || statOf(other)?.isDirectory() !== true) return false;
    return !places.some((place) => isInside(place, other));
  }

  function copiedAt(file: string): SkillCopy | undefined {
    const real = realOf(file);
    if (statOf(real)?.isDirectory() !== true) return copyOf(real);
    if (!directories.has(real)) directories.set(real, copiedBelow(real));
    return directories.get(real);
  }

  function namesIn(directory: string): readonly string[] {
    const before = names.get(directory);
    if (before !== undefined) return before;
    const found = entriesOf(directory);
    names.set(directory, found);
    return found;
  }

  function copiedInto(directory: string): SkillCopy | undefined {
    const read = namesIn(directory).filter(isReadUnnamed);
    return firstOf(read, (name) => copyOf(realOf(path.join(directory, name))));
  }

  /** `node tool` runs `tool.js`, where there is no file `tool`. */
  function modulesAt(file: string): readonly string[] {
    if (statOf(realOf(file))?.isFile() === true) return [];
    const directory = path.dirname(file);
    const start = `${path.basename(file)}.`;
    return start === "."
      ? []
      : namesIn(directory)
          .filter((name) => name.startsWith(start))
          .map((name) => path.join(directory, name));
  }

  if (files.length === 0) return { copiedFrom: () => undefined, copiedInto: () => undefined };
  return {
    copiedFrom: (file) => copiedAt(file) ?? firstOf(modulesAt(file), (module) => copyOf(realOf(module))),
    copiedInto,
  };
}

/** Nothing gets there without a question of its own, and it is large. */
const ofTheSystem = "/bin /boot /dev /etc /lib /lib32 /lib64 /nix /opt /proc /sbin /snap /sys /usr".split(" ");

/** Found by the name of a package, which the command does not have. */
function isInstalled(name: string): boolean {
  return name === "node_modules";
}

function isReadToRun(file: string): boolean {
  if (hasScriptName(path.basename(file)) || file.includes("/scripts/")) return true;
  return ((statOf(file)?.mode ?? 0) & 0o111) !== 0;
}

/** What cannot be read cannot be told apart. */
function isSameContent(file: string, other: string): boolean {
  try {
    return hashFile(file) === hashFile(other);
  } catch {
    return true;
  }
}

function firstOf<Found>(of: readonly string[], look: (one: string) => Found | undefined): Found | undefined {
  for (const one of of) {
    const found = look(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
