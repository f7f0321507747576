import { basename, dirname, join } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { isFile, realPathOf } from "../../host/files/look.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import type { Scan } from "../../host/files/scan.ts";
import type { ReplacedFile } from "../plan/mount-plan.ts";
import { plainConfiguration } from "./plain-configuration.ts";
import { ownDirectories } from "./repositories.ts";

interface NestedOptions {
  readonly profile: Pick<SandboxProfile, "onlyReads" | "view" | "readable" | "writable" | "protected">;
  readonly roots: readonly string[];
  readonly system: readonly string[];
  readonly scan: Pick<Scan, "findEverywhere">;
}

interface NestedConfigurations {
  readonly replaced: readonly ReplacedFile[];
  readonly unreplaced: readonly string[];
}

const mostReplaced = 300;

/** Git follows the configuration of a nested repository. Commands see only the part that names no program. */
export function nestedConfigurations({ profile, roots, scan, system }: NestedOptions): NestedConfigurations {
  if (profile.onlyReads || profile.view) return { replaced: [], unreplaced: [] };
  const shown = [...profile.readable, ...profile.writable].filter((path) => !isInsideAny(path, system));
  const outermost = [...new Set(shown)].filter((path) => !shown.some((tree) => tree !== path && isInside(path, tree)));
  const own = ownDirectories(roots);
  const found = new Set(outermost.flatMap((root) => scan.findEverywhere(root, isTelling)));
  const replaced = new Map<string, ReplacedFile>();
  const unreplaced: string[] = [];
  for (const path of found) {
    if (!isConfiguration(path, found) || own.includes(dirname(path))) continue;
    if (path.includes("\ufffd")) {
      unreplaced.push(path);
      continue;
    }
    // Git follows a link, and a mount covers only the link's target.
    const real = realPathOf(path);
    if (real === undefined || !isFile(real) || !isInsideAny(real, shown) || isGivenUp(real, profile)) continue;
    const { kept, whole } = plainConfiguration(readWhole(real));
    if (whole) continue;
    if (replaced.size < mostReplaced) replaced.set(real, { kind: "replace_file", path: real, content: kept });
    else unreplaced.push(real);
  }
  return { replaced: [...replaced.values()], unreplaced };
}

/** A constant function, so that results for unchanged directories are cached. */
function isTelling(name: string): boolean {
  return name === "config" || name === "config.worktree" || name === "refs";
}

function isConfiguration(path: string, found: ReadonlySet<string>): boolean {
  const name = basename(path);
  return name === "config.worktree" || (name === "config" && found.has(join(dirname(path), "refs")));
}

// A change of exactly this file, or of a tree around it, was approved: a mount would prevent it, and it runs no git
// there.
function isGivenUp(path: string, { protected: closed, writable }: NestedOptions["profile"]): boolean {
  return basename(dirname(path)) === ".git" && isInsideAny(path, writable) && !isInsideAny(path, closed);
}

/** Unreadable configuration counts as harmful. */
function readWhole(path: string): string {
  const unreadable = "[unreadable]";
  try {
    return readSmallText(path) ?? unreadable;
  } catch {
    return unreadable;
  }
}
