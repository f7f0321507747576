import { lstatSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { entriesIn, isFile } from "../host/files/look.ts";
import { hashFile } from "../host/files/read-small-text.ts";
import { trustHash } from "../host/state/trust.ts";
import { scriptEnding } from "../programs/interpreters.ts";

const most = { skills: 200, files: 500, depth: 6, bytes: 64 * 1024 * 1024 } as const;

export interface SkillContent {
  readonly files: readonly string[];
  /** Links and other special files. Their targets may change, so a folder with one is never trusted. */
  readonly others: readonly string[];
}

export function skillFolders(place: string): { readonly folders: readonly string[]; readonly leftOut?: string } {
  const entries = entriesIn(place).filter((entry) => entry.isDirectory());
  const all = entries.map(({ name }) => path.join(place, name)).sort();
  const folders = all.slice(0, most.skills).filter((folder) => isFile(path.join(folder, "SKILL.md")));
  if (all.length <= most.skills) return { folders };
  const leftOut = `Of its ${all.length} folders only the first ${most.skills} are used.`;
  return { folders, leftOut };
}

const longestName = 64;
const plainName = /^(?:(?!\p{DI})[\p{L}\p{M}\p{N}._-])+(?: (?:(?!\p{DI})[\p{L}\p{M}\p{N}._-])+)*$/u;

/** Shown in lists and to models, and typed by users: it must not contain line ends, or hide or reverse text. */
export function isPlainName(name: string): boolean {
  return name.length <= longestName && plainName.test(name);
}

export function skillContent(folder: string): Outcome<SkillContent> {
  const found: string[] = [];
  const others: string[] = [];
  let folders = 0;
  const look = (below: string, depth: number): boolean => {
    for (const entry of entriesIn(path.join(folder, below))) {
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile()) found.push(name);
      else if (!entry.isDirectory()) others.push(name);
      else if (++folders > most.files || depth === most.depth || !look(name, depth + 1)) return false;
      if (found.length + others.length > most.files) return false;
    }
    return true;
  };
  if (look("", 0)) return ok({ files: found.sort(), others: others.sort() });
  return fail("budget_exceeded", `${folder} has more than ${most.files} files or folders, or is nested too deeply.`);
}

export function hashedContent(folder: string): Outcome<SkillContent & { readonly hash: string }> {
  const content = skillContent(folder);
  if (!content.ok) return content;
  const { files, others } = content.value;
  try {
    const bytes = files.reduce((sum, file) => sum + lstatSync(path.join(folder, file)).size, 0);
    if (bytes > most.bytes) return fail("budget_exceeded", `${folder} has more than ${most.bytes} bytes.`);
    const covered = files.map((file) => [file, hashFile(path.join(folder, file)) ?? "gone"] as const);
    return ok({ files, others, hash: trustHash(others, covered) });
  } catch (error) {
    return fail("runtime_precondition_failed", `${folder} cannot be read completely: ${messageOf(error)}`);
  }
}

export function isScript(folder: string, file: string): boolean {
  if (/(?:^|\/)scripts\//.test(file) || scriptEnding.test(file)) return true;
  const mode = lstatSync(path.join(folder, file), { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o111) !== 0;
}
