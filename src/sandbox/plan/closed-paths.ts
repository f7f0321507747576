import { dirname, isAbsolute, join, relative } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { Metadata } from "../../contract/ports.ts";

export interface Placeholder {
  readonly path: string;
  readonly kind: "file" | "directory";
}

interface ClosedOptions {
  readonly roots: readonly string[];
  readonly writable: ReadonlySet<string>;
  readonly metadata: Metadata;
  readonly isPlaceholder: (path: string) => boolean;
  readonly opened?: readonly string[];
}

export function closedPaths(
  paths: readonly string[],
  options: ClosedOptions,
): { readonly closed: ReadonlySet<string>; readonly placeholders: readonly Placeholder[] } {
  const closed = new Set<string>();
  const placeholders = new Map<string, Placeholder>();
  for (const path of paths) {
    const place = closingPlace(path, options, 0);
    if (place === undefined) continue;
    closed.add(place.path);
    if (place.missing !== undefined) placeholders.set(place.path, { path: place.path, kind: place.missing });
  }
  // Everything below a closed path is closed, except the paths that are opened there.
  const outermost = new Set(
    [...closed].filter((path) => !isBelowOneOf(path, closed) || isInsideAny(path, options.opened ?? [])),
  );
  return { closed: outermost, placeholders: [...placeholders.values()].filter(({ path }) => outermost.has(path)) };
}

interface ClosingPlace {
  readonly path: string;
  readonly missing?: Placeholder["kind"];
}

function closingPlace(path: string, options: ClosedOptions, links: number): ClosingPlace | undefined {
  const root = deepestRoot(path, options.roots);
  if (root === undefined || !options.writable.has(root)) return undefined;
  if (path === root) return { path };
  let here = root;
  for (const part of relative(root, path).split("/")) {
    here = join(here, part);
    const stat = options.metadata.lstat(here);
    if (stat === undefined) {
      const above = dirname(here);
      if (above !== root && options.isPlaceholder(above)) return { path: above, missing: "directory" };
      return { path: here, missing: here === path && !isInfo(path) ? "file" : "directory" };
    }
    if (stat.kind === "symlink") {
      // A mount cannot cover a link, only its target. The scan detects a replaced link.
      const target = followLinks(here, options.metadata);
      if (target === undefined || links > 20) return undefined;
      return closingPlace(join(target, relative(here, path)), options, links + 1);
    }
    if (here === path && options.isPlaceholder(path))
      return { path, missing: stat.kind === "directory" ? "directory" : "file" };
    if (stat.kind !== "directory") return { path: here };
  }
  return { path };
}

/** Something is mounted inside it, so it must be a directory. */
function isInfo(path: string): boolean {
  return path.endsWith("/.git/info");
}

export function isBelowOneOf(path: string, directories: ReadonlySet<string>): boolean {
  for (let above = dirname(path); above !== "/"; above = dirname(above)) if (directories.has(above)) return true;
  return directories.has("/") && path !== "/";
}

export function deepestRoot(path: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isInside(path, root)).sort((a, b) => b.length - a.length)[0];
}

const mostLinks = 40;

/** Follows links as the kernel does: `..` is the parent of the directory reached. `undefined` for a dangling link. */
export function followLinks(path: string, { lstat, readlink }: Pick<Metadata, "lstat" | "readlink">) {
  let here = "/";
  let links = 0;
  const left = partsOf(path);
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    const next = part === ".." ? dirname(here) : join(here, part);
    const isLink = part !== ".." && lstat(next)?.kind === "symlink";
    if (!isLink) {
      here = next;
      continue;
    }
    if (++links > mostLinks) return undefined;
    const target = readlink(next) ?? "";
    if (isAbsolute(target)) here = "/";
    left.push(...partsOf(target));
  }
  return here;
}

function partsOf(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .reverse();
}
