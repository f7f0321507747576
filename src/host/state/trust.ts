import { createHash } from "node:crypto";
import { type BigIntStats, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { canonicalJson } from "../../base/digest.ts";
import { isInside } from "../../contract/effect.ts";
import { hashFile } from "../files/read-small-text.ts";

export type CoveredFiles = readonly (readonly [file: string, state: string])[];

export const notCovered =
  "This runs code of the project in the sandbox; later changes to other files can change what it does.";

export function trustHash(definition: readonly unknown[], files: CoveredFiles): string {
  const hash = createHash("sha256");
  for (const part of definition) hash.update(`${canonicalJson(part)}\n`);
  for (const [file, state] of files) hash.update(`${JSON.stringify(file)} ${state}\n`);
  return `sha256:${hash.digest("hex")}`;
}

interface FoundFile {
  readonly file: string;
  /** For an unreadable file: a stamp that changes with every write. */
  readonly state?: string;
}

export function findFile(place: string, workspace: string): FoundFile | undefined {
  try {
    const stat = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const file = realpathSync.native(place);
    if (![path.resolve(place), file].some((one) => isInside(one, workspace))) return undefined;
    return { file, ...(stat.isDirectory() ? {} : { state: stateOf(file, stat) }) };
  } catch {
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
  readonly base: string;
  readonly workspace: string;
  readonly find: typeof findFile;
  readonly budget: { names: number };
}

const mostFiles = 50;

/** `undefined` if there are more names or files than the limit. An added or removed file changes the list. */
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

const blank = /(?<!\\)\s+/;
const separator = /(?<!\\)[\s=:,;|&<>(){}[\]$@]+/;

function namesIn(text: string): readonly string[] {
  const here = inProject(text);
  const quoted = [/"([^"]*)"/g, /'([^']*)'/g].flatMap((quotes) =>
    Array.from(here.matchAll(quotes), ([, inner = ""]) => inner),
  );
  const parts = [here, ...quoted].flatMap((part) => [part, ...part.split(blank), ...part.split(separator)]);
  const names = [text, ...parts, ...parts.map((part) => part.replace(/["'\\`]/g, ""))];
  return names.flatMap((name) => (/^-[^-]./.test(name) ? [name, name.slice(2)] : [name])).filter((name) => name !== "");
}

export function inProject(text: string): string {
  return text.replace(/\$(?:\{(?:\w+_PROJECT_DIR|PWD)\}|(?:\w+_PROJECT_DIR|PWD)\b)/g, ".");
}
