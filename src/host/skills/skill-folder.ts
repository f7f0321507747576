import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { hashFile } from "../files/read-small-text.ts";
import { trustHash } from "../state/trust.ts";

const most = { skills: 200, files: 500, depth: 6, bytes: 64 * 1024 * 1024 } as const;

export interface SkillContent {
  /** Regular files, relative, in order. */
  readonly files: readonly string[];
  /** What is neither file nor folder. Nobody can say what it will lead to, so a folder with one is trusted by nobody. */
  readonly others: readonly string[];
}

/** Folders that hold a `SKILL.md` of their own. A link is no folder: it may lead anywhere. */
export function skillFolders(place: string): { readonly folders: readonly string[]; readonly leftOut?: string } {
  const entries = entriesOf(place).filter((entry) => entry.isDirectory());
  const all = entries.map(({ name }) => path.join(place, name)).sort();
  const folders = all.slice(0, most.skills).filter((folder) => isFile(path.join(folder, "SKILL.md")));
  if (all.length <= most.skills) return { folders };
  const leftOut = `Of its ${all.length} folders the first ${most.skills} are looked at, and the others are left out.`;
  return { folders, leftOut };
}

const longestName = 64;
const plainName = /^(?:(?!\p{DI})[\p{L}\p{M}\p{N}._-])+(?: (?:(?!\p{DI})[\p{L}\p{M}\p{N}._-])+)*$/u;

/** It stands in lists, before a model too, and people type it: nothing in it ends a line, hides, or turns what follows. */
export function isPlainName(name: string): boolean {
  return name.length <= longestName && plainName.test(name);
}

/** All below the folder. Links are not followed, and so nothing leads out of it. */
export function skillContent(folder: string): Outcome<SkillContent> {
  const found: string[] = [];
  const others: string[] = [];
  let folders = 0;
  const look = (below: string, depth: number): boolean => {
    for (const entry of entriesOf(path.join(folder, below))) {
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile()) found.push(name);
      else if (!entry.isDirectory()) others.push(name);
      else if (++folders > most.files || depth === most.depth || !look(name, depth + 1)) return false;
      if (found.length + others.length > most.files) return false;
    }
    return true;
  };
  if (look("", 0)) return ok({ files: found.sort(), others: others.sort() });
  return fail("budget_exceeded", `${folder} has more than ${most.files} files or folders, or deeper ones than it may.`);
}

/** Changes with any file of the folder, its name and its content. */
export function skillHash(folder: string, { files, others }: SkillContent): Outcome<string> {
  try {
    const bytes = files.reduce((sum, file) => sum + lstatSync(path.join(folder, file)).size, 0);
    if (bytes > most.bytes) return fail("budget_exceeded", `${folder} has more than ${most.bytes} bytes.`);
    const covered = files.map((file) => [file, hashFile(path.join(folder, file)) ?? "gone"] as const);
    return ok(trustHash(others, covered));
  } catch (error) {
    const why = messageOf(error);
    return fail("runtime_precondition_failed", `${folder} cannot be read as a whole: ${why}`);
  }
}

const scriptNames = /(?:^|\/)scripts\/|\.(?:sh|bash|zsh|fish|py|js|cjs|mjs|ts|rb|pl|php|lua|ps1|bat|cmd)$/;

/** There to be run, by its place, its name or its mode. What is none of it can be run as well: this is for reading. */
export function isScript(folder: string, file: string): boolean {
  if (scriptNames.test(file)) return true;
  const mode = lstatSync(path.join(folder, file), { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o111) !== 0;
}

function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
