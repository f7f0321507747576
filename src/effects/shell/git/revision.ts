import type { ObjectKind } from "../../../contract/ports.ts";
import type { GitPlace } from "./find-repository.ts";

/** A word that names objects: what looks like a hash in it, and the path behind the colon. */
export interface Revision {
  readonly hashes: readonly string[];
  readonly path?: string;
}

export function parseRevision(value: string): Revision | { readonly why: string } {
  // Braces hold dates and patterns, with colons and dots of their own.
  const flat = value.replaceAll(/\{[^{}]*\}/g, (group) => `{${"_".repeat(group.length - 2)}}`);
  const colon = flat.indexOf(":");
  if (colon === 0) return indexEntry(value);
  const revisions = (colon < 0 ? flat : flat.slice(0, colon)).split(/\.{2,3}/);
  const hashes = revisions.flatMap((revision) => hashIn(revision) ?? []);
  return colon < 0 ? { hashes } : { hashes, path: value.slice(colon + 1) };
}

/** `:path` and `:0:path` are the file as it is staged; `:/text` is a search and `:(…)` is magic. */
function indexEntry(value: string): Revision | { readonly why: string } {
  const path = /^:(?:[0-3]:)?(?![!^(/:])(.+)$/s.exec(value)?.[1];
  return path === undefined ? { why: `${value} is more than a revision or a path` } : { hashes: [], path };
}

/** Also in the form of `git describe`: of `v1-2-gabcdef` only the last part counts. */
function hashIn(revision: string): string | undefined {
  const base = /^\^?([^~^@{]*)/.exec(revision)?.[1] ?? "";
  return /^(?:.*-g)?([0-9a-f]{4,64})$/i.exec(base)?.[1];
}

/**
 * A hash can name the content of a secret file as well as a commit, and nothing about the words tells which. The
 * object store does. A hash that nothing has names nothing.
 */
export function objectReason(
  hashes: readonly string[],
  kinds: readonly ObjectKind[],
  { root, view }: GitPlace,
): string | undefined {
  for (const hash of hashes) {
    const found = view.gitObjects?.kinds(`${root}/.git`, hash);
    if (found === undefined) return `what ${hash} is cannot be told`;
    const other = [...found].find((kind) => !kinds.includes(kind));
    if (other !== undefined) return `${hash} is a ${other} by its hash; name it by revision and path`;
  }
  return undefined;
}
