import { dirname, join } from "node:path";
import type { Metadata } from "../contract/ports.ts";

const believedFiles = [".mcp.json", ".envrc"];
/**
 * Directories by something in them: what stands in for one is an empty directory then, which git passes over. An empty
 * file would be news to it, and in the place of a repository it would stop it.
 */
const believedDirectories = [
  ".claude/settings.json",
  ".agents/skills",
  ".cursor/rules",
  ".vscode/settings.json",
  ".husky/pre-commit",
  ".gauntlet/settings.json",
];

interface Look extends Pick<Metadata, "lstat"> {
  /** Is what is there only keeping the name free for somebody else, who may take it away at any time? */
  readonly isStandIn: (path: string) => boolean;
}

export function absentProtected(
  root: string,
  { lstat, isStandIn }: Look,
  { git }: { readonly git: boolean },
): readonly string[] {
  const isAbsent = (name: string) => {
    const path = join(root, name);
    return lstat(path) === undefined || isStandIn(path);
  };
  const directories = [...believedDirectories, ...(git ? [] : [".git/HEAD"])];
  const absent = [...believedFiles.filter(isAbsent), ...directories.filter((name) => isAbsent(dirname(name)))];
  return absent.map((name) => join(root, name));
}
