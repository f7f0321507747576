import { join } from "node:path";
import type { Metadata } from "../contract/ports.ts";

/** Names that tools and editors believe as soon as they are there. */
const believedNames = [".mcp.json", ".claude", ".agents", ".cursor", ".vscode", ".husky", ".envrc", ".gauntlet"];

/** Where a stand-in may have been left in a root. */
export function believedPaths(root: string): readonly string[] {
  return [...believedNames, ".git"].map((name) => join(root, name));
}

/** Those of a root that nobody has made yet. */
export function absentProtected(
  root: string,
  metadata: Metadata,
  { git }: { readonly git: boolean },
): readonly string[] {
  const isAbsent = (name: string) => metadata.lstat(join(root, name)) === undefined;
  // The name below makes the stand-in an empty directory, which git passes over; an empty file would stop it.
  const repository = !git && isAbsent(".git") ? [".git/HEAD"] : [];
  return [...believedNames.filter(isAbsent), ...repository].map((name) => join(root, name));
}
