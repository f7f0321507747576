import { dirname, isAbsolute, join } from "node:path";
import type { Metadata } from "../contract/ports.ts";

const mostLinks = 40;

/**
 * Where a path leads, link by link as the kernel goes: `..` is the directory above the one that was reached, not the
 * one above in the text. What is missing counts as no link. `undefined` when it leads nowhere.
 */
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

/** The last one first. */
function partsOf(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .reverse();
}
