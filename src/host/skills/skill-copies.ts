import { lstatSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { firstOf } from "../../contract/first-of.ts";
import { isInside, isInsideAny } from "../../contract/path-scope.ts";
import { hasScriptName, isReadUnnamed } from "../../contract/script-names.ts";
import type { SkillCopy } from "../../contract/skill.ts";
import { entryNames } from "../entry-names.ts";
import { indexContent } from "./content-index.ts";
import { walkFiles } from "./file-walk.ts";
import type { Allowance } from "./look-limits.ts";

export interface Originals {
  readonly workspace: string;
  /** Where skills lie. What is above one of them holds no copies by that alone. */
  readonly places: readonly string[];
  readonly files: readonly string[];
  /** Folders of which not all files are known: anything may be a copy from there. */
  readonly unlisted: readonly string[];
  readonly allowance: Allowance;
  /** The folder of a skill that nobody trusts, if the path lies in one. */
  folderOf(file: string): string | undefined;
}

export interface SkillCopies {
  copiedFrom(file: string): SkillCopy | undefined;
  copiedInto(directory: string): SkillCopy | undefined;
  namesIn(directory: string): readonly string[];
}

/** Looks for files of the same content, for as long as one question takes. */
export function findSkillCopies({ workspace, places, files, unlisted, allowance, folderOf }: Originals): SkillCopies {
  const [first] = files;
  const [unknown] = unlisted;
  const script = files.find((file) => path.basename(file) !== "SKILL.md");
  const index = indexContent(
    files.map((file) => ({ file, size: statOf(file)?.size ?? 0 })),
    allowance,
  );
  const names = new Map<string, readonly string[]>();
  const stems = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const directories = new Map<string, SkillCopy | undefined>();
  const toRun = new Map<readonly string[], string | undefined>();

  function copyOf(file: string, isWanted: (same: readonly string[]) => string | undefined = firstName) {
    const stat = statOf(file);
    if (stat === undefined || !stat.isFile() || stat.size === 0) return undefined;
    const same = index.sameAs({ file, size: stat.size });
    if (same === undefined) return uncompared();
    const original = isWanted(same);
    if (original !== undefined) return { file: original, certain: true };
    return unknown !== undefined && isInside(file, workspace) ? { file: unknown, certain: false } : undefined;
  }

  function uncompared(): SkillCopy | undefined {
    return first === undefined ? undefined : { file: first, certain: false };
  }

  /** Of many that are the same, looked for once. */
  function firstToRun(same: readonly string[]): string | undefined {
    if (!toRun.has(same)) toRun.set(same, same.find(isReadToRun));
    return toRun.get(same);
  }

  function copiedBelow(directory: string): SkillCopy | undefined {
    if (isInsideAny(directory, ofTheSystem)) return undefined;
    if (places.some((place) => isInside(place, directory))) return copiedInto(directory);
    const roots = [directory];
    let left = allowance.entries;
    for (const root of roots) {
      const { files: found, others, seen, whole } = walkFiles(root, left, isInstalled);
      left -= seen;
      const behind = others.map(realOf);
      for (const file of [...found, ...behind]) {
        if (allowance.isOver()) return uncompared();
        const folder = folderOf(file);
        if (folder !== undefined) return { file: folder, certain: true };
        // The same licence lies in many places, and nobody runs it.
        const copy = copyOf(file, isReadToRun(file) ? firstName : firstToRun);
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
    const found = entryNames(directory);
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
    return (stemsIn(directory).get(path.basename(file)) ?? []).map((name) => path.join(directory, name));
  }

  /** Names by what stands before any of their dots. */
  function stemsIn(directory: string): ReadonlyMap<string, readonly string[]> {
    const before = stems.get(directory);
    if (before !== undefined) return before;
    const found = new Map<string, string[]>();
    for (const name of namesIn(directory)) {
      for (let dot = name.indexOf(".", 1); dot > 0; dot = name.indexOf(".", dot + 1)) {
        const stem = name.slice(0, dot);
        found.set(stem, [...(found.get(stem) ?? []), name]);
      }
    }
    stems.set(directory, found);
    return found;
  }

  if (first === undefined) return { copiedFrom: () => undefined, copiedInto: () => undefined, namesIn };
  return {
    copiedFrom(file) {
      if (allowance.isOver()) return uncompared();
      return copiedAt(file) ?? firstOf(modulesAt(file), (module) => copyOf(realOf(module)));
    },
    copiedInto,
    namesIn,
  };
}

function firstName([name]: readonly string[]): string | undefined {
  return name;
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

export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function realOf(file: string): string {
  try {
    // Most words that are looked at are no paths, and an exception for each is dear.
    return statOf(file) === undefined ? file : realpathSync(file);
  } catch {
    return file;
  }
}
