import { type EffectPart, isFileEffect, isInside } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";

export function runsGit({ report }: GateQuestion): boolean {
  return (report.parts ?? []).some(isGit);
}

/**
 * Only git itself has business in `.git`, so it opens only where a git command that changes something is part of what
 * was agreed to. Programs beside it then reach it too, but for what git believes without being told to; where no
 * transaction holds their changes back, it stays closed to both.
 */
export function opensRepositories(question: GateQuestion): boolean {
  if (question.view === false && runsProjectCode(question)) return false;
  return (question.report.parts ?? []).some((part) => isGit(part) && !onlyReads(part));
}

/** Something else than git runs, and may do anything that the sandbox permits. */
export function runsProjectCode({ report }: Pick<GateQuestion, "report">): boolean {
  const runs = ({ effects }: EffectPart) => effects.some(({ op }) => op === "exec" || op === "unknown");
  return (report.parts ?? []).some((part) => !isGit(part) && runs(part));
}

/** Git copies whole files as a patch says, out of its store and under other names. */
export function appliesPatch({ report }: GateQuestion): boolean {
  return (report.parts ?? []).some(
    (part) => isGit(part) && !onlyReads(part) && /^(?:apply|am)$/.test(verbsIn(part.words ?? [])[0] ?? ""),
  );
}

/**
 * What git is told to do, where nothing else changes anything. Empty where a git command was not understood: `-c`, an
 * alias or `rebase -x` may run any program.
 */
export function gitVerbs(question: GateQuestion): ReadonlySet<string> {
  if (!opensRepositories(question) || !onlyGitChanges(question)) return new Set();
  const changing = (question.report.parts ?? []).filter((part) => isGit(part) && !onlyReads(part));
  if (changing.some(({ effects }) => effects.some(({ op }) => op === "unknown"))) return new Set();
  return new Set(changing.flatMap(({ words = [] }) => verbsIn(words)[0] ?? []));
}

/** The words behind `git` that are no flags: the first says what it does. */
function verbsIn(words: readonly string[]): readonly string[] {
  return words.slice(1).filter((word, at) => !/^-/.test(word) && !/^-[cC]$/.test(words[at] ?? ""));
}

/** Git that renames directories or links to what another repository has: an overlay refuses both. */
export function needsPlainFiles({ report }: Pick<GateQuestion, "report">): boolean {
  // Beside project code git could not write directly.
  if (runsProjectCode({ report })) return false;
  return (report.parts ?? []).some(({ words = [], effects }) => {
    if (words[0] !== "git") return false;
    const [command, verb] = verbsIn(words);
    // What is not known to be a file may be a directory.
    if (command === "mv")
      return effects.some((effect) => isFileEffect(effect) && effect.op === "delete" && effect.path.kind !== "file");
    // Nothing is linked to what comes from another machine.
    if (command === "clone") return !effects.some(({ op }) => op === "connect");
    return (command === "submodule" && verb === "add") || (command === "worktree" && verb === "move");
  });
}

/** Whatever changes, git changed it, or a hook of the repository. */
function onlyGitChanges({ report }: GateQuestion): boolean {
  return (report.parts ?? []).every((part) => isGit(part) || onlyReads(part));
}

/** Other programs that would print what the object store holds, were it not hidden from them. */
export function readsBeside({ report }: GateQuestion, stores: readonly string[]): boolean {
  return (report.parts ?? []).some((part) => !isGit(part) && readsAny(part, stores));
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
