import { join } from "node:path";
import type { Metadata } from "../contract/ports.ts";

/** Names that tools, editors and git believe as soon as they are there. */
const believedNames = [".mcp.json", ".claude", ".cursor", ".vscode", ".husky", ".envrc", ".gauntlet"];
const believedByGit = ["commondir", "config.worktree", "hooks", "info", "modules"];

/** The root's own repository, where there is one. */
export function repositoryIn(root: string, metadata: Metadata): string | undefined {
  const repository = join(root, ".git");
  return metadata.lstat(repository)?.kind === "directory" ? repository : undefined;
}

export function believedPaths(root: string, metadata: Metadata): readonly string[] {
  const inRepository = repositoryIn(root, metadata) === undefined ? [] : believedByGit;
  return [...believedNames, ...inRepository.map((name) => `.git/${name}`)].map((name) => join(root, name));
}

/** Those of a root that nobody has made yet. */
export function absentProtected(root: string, metadata: Metadata): readonly string[] {
  return believedPaths(root, metadata).filter((path) => metadata.lstat(path) === undefined);
}
