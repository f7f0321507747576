import { join } from "node:path";
import type { Metadata } from "../contract/ports.ts";

/** Names that tools and editors believe as soon as they are there. */
const believedNames = [".mcp.json", ".claude", ".agents", ".cursor", ".vscode", ".husky", ".envrc", ".gauntlet"];

interface Look extends Pick<Metadata, "lstat"> {
  /** Is what is there only keeping the name free for somebody else, who may take it away at any time? */
  readonly isStandIn: (path: string) => boolean;
}

/** Those of a root that nobody has made yet. */
export function absentProtected(
  root: string,
  { lstat, isStandIn }: Look,
  { git }: { readonly git: boolean },
): readonly string[] {
  const isAbsent = (name: string) => {
    const path = join(root, name);
    return lstat(path) === undefined || isStandIn(path);
  };
  // The name below makes the stand-in an empty directory, which git passes over; an empty file would stop it.
  const repository = !git && isAbsent(".git") ? [".git/HEAD"] : [];
  return [...believedNames.filter(isAbsent), ...repository].map((name) => join(root, name));
}
