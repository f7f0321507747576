import type { EffectPart } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInside } from "../contract/path-scope.ts";

export function runsGit({ report }: GateQuestion): boolean {
  return (report.parts ?? []).some(isGit);
}

/**
 * Only git itself has business in `.git`, so it opens only where a git command that changes something is part of what
 * was agreed to. Programs beside it then reach it too, but for what git believes without being told to.
 */
export function opensRepositories({ report }: GateQuestion): boolean {
  return (report.parts ?? []).some((part) => isGit(part) && !onlyReads(part));
}

/** Other programs that would print what the object store holds, were it not hidden from them. */
export function readsBeside({ report }: GateQuestion, stores: readonly string[]): boolean {
  return (report.parts ?? []).some((part) => !isGit(part) && !leavesOutBinary(part) && readsAny(part, stores));
}

function isGit({ words }: EffectPart): boolean {
  return words?.[0] === "git";
}

function onlyReads({ effects }: EffectPart): boolean {
  return effects.every(({ op }) => op === "read" || op === "list");
}

function readsAny({ effects }: EffectPart, stores: readonly string[]): boolean {
  return effects.some(
    (effect) =>
      effect.op === "read" &&
      effect.scope === "tree" &&
      stores.some((store) => isInside(store, effect.path.resolved) || isInside(effect.path.resolved, store)),
  );
}

const searchers = new Set(["grep", "egrep", "fgrep", "rg"]);
/** Flags, also shortened or run together, that make one print lines of binary files. */
const showsBinary = /^-[a-zA-Z]*[aUz]|^--(?:te|bi|sea|pre|null-)/;

/** Objects are compressed: a search says at most that something matched. */
function leavesOutBinary({ words = [] }: EffectPart): boolean {
  return searchers.has(words[0] ?? "") && !words.some((word) => showsBinary.test(word));
}

/** Sub-commands that compare and record files, and show nothing of them to anybody else. */
const recording = new Set(
  "add branch checkout cherry-pick commit merge notes rebase reset restore revert stage stash switch tag".split(" "),
);

/** Every part is a git command that was understood, or one that reaches no file at all. */
export function runsGitAlone({ report }: GateQuestion): boolean {
  return (report.parts ?? []).every((part) => (isGit(part) ? recordsOnly(part) : reachesNothing(part)));
}

function recordsOnly({ effects, words }: EffectPart): boolean {
  if (effects.every(({ op }) => op === "read" || op === "list")) return true;
  return recording.has(words?.[1] ?? "") && effects.every(({ op }) => op === "exec" || op === "read" || op === "list");
}

/** `cd` only looks at the directory it enters. */
function reachesNothing({ effects, words }: EffectPart): boolean {
  return words !== undefined && effects.every((effect) => effect.op === "list" && effect.scope === "file");
}
