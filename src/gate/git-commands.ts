import { type EffectPart, isFileEffect, isInside } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isProgram } from "../programs/program-kinds.ts";

type Reported = Pick<GateQuestion, "report">;

export function runsGit(question: Reported): boolean {
  return partsOf(question).some(isGit);
}

/**
 * Only git itself has business in `.git`, so it opens only where a git command that changes something is part of what
 * was agreed to. Programs beside it then reach it too, but for what git believes without being told to; where no
 * transaction holds their changes back, it stays closed to both.
 */
export function opensRepositories(question: GateQuestion): boolean {
  return gitChanges(question).length > 0 && !(question.view === false && runsProjectCode(question));
}

/** Something other than git runs, and may do anything that the sandbox permits. */
export function runsProjectCode(question: Reported): boolean {
  const runs = ({ effects }: EffectPart) => effects.some(({ op }) => op === "exec" || op === "unknown");
  return partsOf(question).some((part) => !isGit(part) && runs(part));
}

/** Git copies whole files as a patch says, out of its store and under other names. */
export function appliesPatch(question: Reported): boolean {
  return gitChanges(question).some(({ words }) => /^(?:apply|am)$/.test(verbsIn(words)[0] ?? ""));
}

/**
 * What git is told to do, where nothing else changes anything. Empty where a git command was not understood: `-c`, an
 * alias or `rebase -x` may run any program.
 */
export function gitVerbs(question: GateQuestion): ReadonlySet<string> {
  const changing = gitChanges(question);
  const isUnclear = changing.some(({ effects }) => effects.some(({ op }) => op === "unknown"));
  const isAlone = partsOf(question).every((part) => isGit(part) || onlyReads(part));
  if (isUnclear || !isAlone || !opensRepositories(question)) return new Set();
  return new Set(changing.flatMap(({ words }) => verbsIn(words)[0] ?? []));
}

/** Git that renames directories or links to what another repository has: an overlay refuses both. */
export function needsPlainFiles(question: Reported): boolean {
  // Beside project code git could not write directly.
  if (runsProjectCode(question)) return false;
  return partsOf(question)
    .filter(isGit)
    .some(({ words, effects }) => {
      const [command, verb] = verbsIn(words);
      // What is not known to be a file may be a directory.
      if (command === "mv")
        return effects.some((effect) => isFileEffect(effect) && effect.op === "delete" && effect.path.kind !== "file");
      // Nothing is linked to what comes from another machine.
      if (command === "clone") return !effects.some(({ op }) => op === "connect");
      return (command === "submodule" && verb === "add") || (command === "worktree" && verb === "move");
    });
}

/** Other programs that would print what the object store holds, were it not hidden from them. */
export function readsBeside(question: Reported, stores: readonly string[]): boolean {
  const overlaps = (path: string) => stores.some((store) => isInside(store, path) || isInside(path, store));
  return partsOf(question).some(
    (part) =>
      !isGit(part) &&
      part.effects.some((effect) => effect.op === "read" && effect.scope === "tree" && overlaps(effect.path.resolved)),
  );
}

/** Sub-commands that compare and record files, and show nothing of them to anybody else. */
const recording = new Set(
  "add branch checkout cherry-pick commit merge notes rebase reset restore revert stage stash switch tag".split(" "),
);

/** Every part is a git command that was understood, or one that reaches no file at all, such as `cd`. */
export function runsGitAlone(question: Reported): boolean {
  return partsOf(question).every((part) => {
    const { effects, words } = part;
    if (!isGit(part)) return words !== undefined && effects.every((one) => one.op === "list" && one.scope === "file");
    const records = recording.has(words?.[1] ?? "");
    return effects.every(({ op }) => op === "read" || op === "list" || (op === "exec" && records));
  });
}

function partsOf({ report }: Reported): readonly EffectPart[] {
  return report.parts ?? [];
}

function gitChanges(question: Reported): readonly EffectPart[] {
  return partsOf(question).filter((part) => isGit(part) && !onlyReads(part));
}

function isGit({ words }: EffectPart): boolean {
  return isProgram("versionControl", words?.[0] ?? "");
}

function onlyReads({ effects }: EffectPart): boolean {
  return effects.every(({ op }) => op === "read" || op === "list");
}

/** The words behind `git` that are no flags: the first says what it does. */
function verbsIn(words: readonly string[] = []): readonly string[] {
  return words.slice(1).filter((word, at) => !/^-/.test(word) && !/^-[cC]$/.test(words[at] ?? ""));
}
