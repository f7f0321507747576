import { createHash } from "node:crypto";
import { type BigIntStats, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { canonicalJson } from "../../base/digest.ts";
import { isInside } from "../../contract/effect.ts";
import { hashFile } from "../files/read-small-text.ts";

/** The files that trust in an item covers, each with what it is now. */
export type CoveredFiles = readonly (readonly [file: string, state: string])[];

/** Shown to the person who decides about an item that runs code. */
export const notCovered =
  "This runs code of the project in the sandbox; later changes to other files can change what it does.";

/** The one hash by which servers, hooks and skills are trusted. Any change of what they say or cover gives another. */
export function trustHash(definition: readonly unknown[], files: CoveredFiles): string {
  const hash = createHash("sha256");
  for (const part of definition) hash.update(`${canonicalJson(part)}\n`);
  for (const [file, state] of files) hash.update(`${JSON.stringify(file)} ${state}\n`);
  return `sha256:${hash.digest("hex")}`;
}

interface FoundFile {
  /** Links resolved. */
  readonly file: string;
  /**
   * SHA-256 of its bytes; of a file that is too large or cannot be read, what changes with every write. A directory has
   * none.
   */
  readonly state?: string;
}

/** `undefined` where nothing is, or nothing of the workspace: that is not read. */
export function findFile(place: string, workspace: string): FoundFile | undefined {
  try {
    const stat = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const file = realpathSync.native(place);
    if (![path.resolve(place), file].some((one) => isInside(one, workspace))) return undefined;
    return { file, ...(stat.isDirectory() ? {} : { state: stateOf(file, stat) }) };
  } catch {
    // A program of this user cannot open it either.
    return undefined;
  }
}

function stateOf(file: string, { ino, size, ctimeNs }: BigIntStats): string {
  const unread = `unread ${ino} ${size} ${ctimeNs}`;
  try {
    return hashFile(file) ?? unread;
  } catch {
    return unread;
  }
}

interface NamingEntry {
  /** Where relative names start. */
  readonly base: string;
  readonly workspace: string;
  readonly find: typeof findFile;
  /** Shared by all entries of one file: how many names may still be looked for. */
  readonly budget: { names: number };
}

const mostFiles = 50;

/**
 * Every file of the workspace that a text names literally, as seen from `base` and from the directories that it names,
 * sorted. A file that comes or goes under such a name changes the list. `undefined` where there are more names or files
 * than are looked at.
 */
export function namedFiles(
  texts: readonly string[],
  { base, workspace, find, budget }: NamingEntry,
): CoveredFiles | undefined {
  const found = new Map<string, string>();
  const names = new Set(texts.flatMap(namesIn));
  const bases = new Set([base]);
  for (const from of bases) {
    for (const name of names) {
      budget.names -= 1;
      if (budget.names < 0 || found.size > mostFiles) return undefined;
      const normal = path.resolve(from, name);
      // The kernel follows links before `..`, and some runtimes do not.
      const written = path.isAbsolute(name) ? name : `${from}/${name}`;
      for (const place of name.includes("..") ? [normal, written] : [normal]) {
        const { file, state } = find(place, workspace) ?? {};
        if (file === undefined) continue;
        if (state === undefined) bases.add(normal);
        else found.set(isInside(file, workspace) ? path.relative(workspace, file) : file, state);
      }
    }
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** These separate names for a shell, or within a word. A backslash keeps a blank in a name. */
const blank = /(?<!\\)\s+/;
const separator = /(?<!\\)[\s=:,;|&<>(){}[\]$@]+/;

/** Every stretch of a text that could be a name. Most of them lead nowhere. */
function namesIn(text: string): readonly string[] {
  const here = inProject(text);
  const quoted = [/"([^"]*)"/g, /'([^']*)'/g].flatMap((quotes) =>
    Array.from(here.matchAll(quotes), ([, inner = ""]) => inner),
  );
  const parts = [here, ...quoted].flatMap((part) => [part, ...part.split(blank), ...part.split(separator)]);
  const names = [text, ...parts, ...parts.map((part) => part.replace(/["'\\`]/g, ""))];
  // `-r./x`
  return names.flatMap((name) => (/^-[^-]./.test(name) ? [name, name.slice(2)] : [name])).filter((name) => name !== "");
}

/** Hooks and servers of a project start in it. */
export function inProject(text: string): string {
  return text.replace(/\$(?:\{(?:\w+_PROJECT_DIR|PWD)\}|(?:\w+_PROJECT_DIR|PWD)\b)/g, ".");
}
