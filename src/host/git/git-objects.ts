import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { GitObjects, ObjectKind } from "../../contract/ports.ts";
import { checkReferences, entryAt, findReferences, ifCertain, type Reference, Uncertain } from "./git-references.ts";
import { linkedWorktree } from "./work-trees.ts";

const timeoutMs = 5_000;
const mostBytes = 64 * 1024 * 1024;
const mostCandidates = 64;

/**
 * No program from the configuration and no remote is used. The user's PATH is not used either: it may name a project.
 */
const neutral = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
};

/** Git without any programs of the repository. Any error message makes the answer uncertain. */
export function askGit(directory: string, args: readonly string[], input = ""): Buffer {
  checkReferences(directory, ["HEAD", "packed-refs"]);
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd: "/",
    env: { ...neutral, GIT_DIR: directory },
    input,
    timeout: timeoutMs,
    maxBuffer: mostBytes,
  });
  if (status !== 0 || stderr.length > 0) throw new Uncertain();
  return stdout;
}

/** Anything unknown (alternates, a damaged index) makes the answer uncertain. */
export function createGitObjects(): GitObjects {
  // The kind of an object never changes, and every command of git asks for that of HEAD.
  const known = new Map<string, ObjectKind>();
  const kindOf = (repository: string, name: string): ObjectKind | undefined => {
    const key = `${repository} ${name}`;
    const kind = known.get(key) ?? readKinds(repository, [name])[0];
    if (kind !== undefined) known.set(key, kind);
    return kind;
  };
  const kindBehind = (repository: string, reference: Reference): ObjectKind => {
    const found = ifCertain(() => kindOf(repository, `${reference.target}^{}`));
    if (found !== undefined) return found;
    // Git itself allows only commits as targets of a branch and of `HEAD`.
    if (isBranch(reference)) return "commit";
    throw new Uncertain();
  };
  return {
    linked: linkedWorktree,
    kinds(repository, prefix) {
      const wanted = prefix.toLowerCase();
      if (!/^[0-9a-f]{4,40}$/.test(wanted)) return undefined;
      return ifCertain(() => {
        if (wanted.length === 40) return new Set([kindOf(repository, wanted) ?? []].flat());
        checkStore(repository);
        const listed = askGit(repository, ["rev-parse", `--disambiguate=${wanted}`]).toString();
        const names = listed.split("\n").filter((name) => name !== "");
        if (names.length > mostCandidates) throw new Uncertain();
        return new Set(names.length === 0 ? [] : readKinds(repository, names));
      });
    },
    named(repository, name, { past, own }) {
      return ifCertain(() => {
        const found = findReferences(repository, name, own);
        if (past && !found.every(alwaysHeldCommits)) throw new Uncertain();
        return new Set(found.map((reference) => kindBehind(repository, reference)));
      });
    },
  };
}

function readKinds(repository: string, names: readonly string[]): readonly ObjectKind[] {
  checkStore(repository);
  const lines = askGit(repository, ["cat-file", "--batch-check=%(objecttype)"], names.join("\n")).toString();
  return lines.split("\n").flatMap((line) => {
    if (line === "" || line.endsWith(" missing")) return [];
    if (line !== "commit" && line !== "tree" && line !== "blob" && line !== "tag") throw new Uncertain();
    return [line];
  });
}

/** Only repositories that contain all of their objects. */
export function checkStore(repository: string): void {
  const elsewhere = ["commondir", "objects/info/alternates"];
  if (elsewhere.some((name) => entryAt(join(repository, name)) !== undefined)) throw new Uncertain();
}

function isBranch({ name }: Reference): boolean {
  return name === "HEAD" || name.startsWith("refs/heads/");
}

function alwaysHeldCommits(reference: Reference): boolean {
  return isBranch(reference) || reference.name.startsWith("refs/remotes/") || reference.name === "refs/stash";
}
