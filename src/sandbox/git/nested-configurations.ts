import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { errnoOf } from "../../host/failure.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import type { Scan } from "../../host/files/scan.ts";
import type { ReplacedFile } from "../plan/mount-plan.ts";
import { ownDirectories } from "./repositories.ts";

interface NestedOptions {
  readonly profile: Pick<SandboxProfile, "onlyReads" | "view" | "readable" | "writable" | "protected">;
  /** Their own repositories keep their configuration: variables and attributes take its programs away. */
  readonly roots: readonly string[];
  /** Programs of the machine: there is nothing to look for. */
  readonly system: readonly string[];
  readonly scan: Pick<Scan, "findEverywhere">;
}

interface NestedConfigurations {
  readonly replaced: readonly ReplacedFile[];
  /** Cannot be read and covered one by one: their names are not valid text, or they are too many. */
  readonly unreplaced: readonly string[];
}

/** Each costs a descriptor. */
const mostReplaced = 300;

/**
 * A repository below the workspace belongs to whoever wrote it, and git believes its configuration as soon as it is
 * run there. Commands find of it what names no program.
 */
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

/** A constant, so that the answers for directories that did not change are remembered. */
function isTelling(name: string): boolean {
  return name === "config" || name === "config.worktree" || name === "refs";
}

/** Whatever the directory is called: without `refs` git takes it for no repository. */
function isConfiguration(path: string, found: ReadonlySet<string>): boolean {
  const name = basename(path);
  return name === "config.worktree" || (name === "config" && found.has(join(dirname(path), "refs")));
}

/**
 * In a tree that can be written, the configuration of a repository is protected unless a change of exactly this file
 * or a tree around it was understood and agreed to. A mount would stand in the way of that, and no such change runs
 * git in there.
 */
function isGivenUp(path: string, { protected: closed, writable }: NestedOptions["profile"]): boolean {
  return basename(dirname(path)) === ".git" && isInsideAny(path, writable) && !isInsideAny(path, closed);
}

/** Git follows a link, and a mount covers only what it leads to. */
function realFile(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isFile() ? real : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Something that is not harmless when it cannot be read or is no configuration that anybody wrote. */
function readWhole(path: string): string {
  try {
    return readSmallText(path) ?? unreadable;
  } catch {
    return unreadable;
  }
}

const unreadable = "[unreadable]";

/** Settings that name no program and lead git to none. Whatever is not here is not known to be harmless. */
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

/**
 * What is harmless in a git configuration, line by line. `whole`: there is nothing else in it. A line in any form but
 * the one that git itself writes is left out, so what is kept means to git what it means here.
 */
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
