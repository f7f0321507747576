import { basename, dirname, join } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { isFile, realPathOf } from "../../host/files/look.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import type { Scan } from "../../host/files/scan.ts";
import type { ReplacedFile } from "../plan/mount-plan.ts";
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

/** Git believes the configuration of a nested repository, whoever wrote it. Commands see only what names no program. */
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
    const real = realFile(path);
    if (real === undefined || !isInsideAny(real, shown) || isGivenUp(real, profile)) continue;
    const { kept, whole } = plainConfiguration(readWhole(real));
    if (whole) continue;
    if (replaced.size < mostReplaced) replaced.set(real, { kind: "replace_file", path: real, content: kept });
    else unreplaced.push(real);
  }
  return { replaced: [...replaced.values()], unreplaced };
}

/** A constant function, so that answers for unchanged directories are remembered. */
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

/** Git follows a link, and a mount covers only what it leads to. */
function realFile(path: string): string | undefined {
  const real = realPathOf(path);
  return real !== undefined && isFile(real) ? real : undefined;
}

/** Treated as harmful. */
function readWhole(path: string): string {
  try {
    return readSmallText(path) ?? unreadable;
  } catch {
    return unreadable;
  }
}

const unreadable = "[unreadable]";

/** Whatever is not listed is not known to be harmless. */
const harmless: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    core: "abbrev autocrlf bare compression eol filemode ignorecase logallrefupdates precomposeunicode preloadindex quotepath repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone symlinks untrackedcache worktree",
    extensions: "noop objectformat partialclone refstorage worktreeconfig",
    remote: "fetch mirror partialclonefilter promisor prune push pushurl skipfetchall tagopt url",
    branch: "description merge pushremote rebase remote vscode-merge-base",
    submodule: "active branch url",
    user: "email name",
    // Without the program that it requires git stops, instead of recording what the program would have changed.
    filter: "required",
    lfs: "access locksverify repositoryformatversion",
    fetch: "prune",
    gc: "auto",
    init: "defaultbranch",
    pull: "ff rebase",
    push: "autosetupremote default followtags",
  }).map(([section, keys]) => [section, new Set(keys.split(" "))]),
);

const header = /^[ \t]*\[([a-z0-9-]+)(?: "[^"\\\p{Cc}]*")?\][ \t]*$/iu;
/** Without quotes and backslashes a value ends with its line. */
const setting = /^[ \t]*([a-z][a-z0-9-]*)[ \t]*=[^"\\\p{Cc}]*$/iu;
const nothing = /^[ \t]*(?:[#;].*)?$/;

/** A line in any form that git itself does not write is dropped, so what is kept means the same to git. */
export function plainConfiguration(text: string): { readonly kept: string; readonly whole: boolean } {
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  let keys: ReadonlySet<string> | undefined;
  let whole = true;
  for (const line of lines) {
    if (nothing.test(line)) continue;
    const section = header.exec(line)?.[1];
    if (section !== undefined) keys = harmless.get(section.toLowerCase());
    const isKept = section === undefined ? isHarmless(line, keys) : keys !== undefined;
    if (isKept) kept.push(`${line}\n`);
    else whole = false;
  }
  return { kept: kept.join(""), whole };
}

function isHarmless(line: string, keys: ReadonlySet<string> | undefined): boolean {
  const key = setting.exec(line)?.[1];
  return key !== undefined && keys?.has(key.toLowerCase()) === true;
}
