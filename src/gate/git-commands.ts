import { type EffectPart, isFileEffect, isInside } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { gitVerbsIn, isGitVerb } from "../programs/git/verbs.ts";
import { isProgram } from "../programs/program-kinds.ts";

type Reported = Pick<GateQuestion, "report">;

export function runsGit(question: Reported): boolean {
  return partsOf(question).some(isGit);
}

/**
 * Only git may write to `.git`, so it is writable only if an approved command includes a git command that changes
 * something. Other programs in that command can then write there too, except to the files that git runs or follows by
 * itself. Without a transaction that holds changes back, `.git` stays closed to both.
 */
export function opensRepositories(question: GateQuestion): boolean {
  return gitChanges(question).length > 0 && !(question.view === false && runsProjectCode(question));
}

/** A program other than git runs, and can do anything that the sandbox permits. */
export function runsProjectCode(question: Reported): boolean {
  const runs = ({ effects }: EffectPart) => effects.some(({ op }) => op === "exec" || op === "unknown");
  return partsOf(question).some((part) => !isGit(part) && runs(part));
}

/** A patch can make git copy whole files out of its store under other names. */
export function appliesPatch(question: Reported): boolean {
  return gitChanges(question).some(({ words }) => isGitVerb("applies", gitVerbsIn(words)[0]));
}

/**
 * The git commands, if nothing else changes anything. Empty if a git command could not be analysed: `-c`, an
 * alias or `rebase -x` may run any program.
 */
export function gitVerbs(question: GateQuestion): ReadonlySet<string> {
  const changing = gitChanges(question);
  const isUnclear = changing.some(({ effects }) => effects.some(({ op }) => op === "unknown"));
  const isAlone = partsOf(question).every((part) => isGit(part) || onlyReads(part));
  if (isUnclear || !isAlone || !opensRepositories(question)) return new Set();
  return new Set(changing.flatMap(({ words }) => gitVerbsIn(words)[0] ?? []));
}

/** Git commands that rename directories or link to another repository: an overlay refuses both. */
export function needsPlainFiles(question: Reported): boolean {
  // Beside project code git could not write directly.
  if (runsProjectCode(question)) return false;
  return partsOf(question)
    .filter(isGit)
    .some(({ words, effects }) => {
      const [command, verb] = gitVerbsIn(words);
      // A path that is not known to be a file may be a directory.
      if (isGitVerb("moves", command))
        return effects.some((effect) => isFileEffect(effect) && effect.op === "delete" && effect.path.kind !== "file");
      // Content from another machine is never linked.
      if (isGitVerb("copies", command)) return !effects.some(({ op }) => op === "connect");
      return isGitVerb("links", `${command} ${verb}`);
    });
}

/** Other programs that would print the object store if it were visible to them. */
export function readsBeside(question: Reported, stores: readonly string[]): boolean {
  const overlaps = (path: string) => stores.some((store) => isInside(store, path) || isInside(path, store));
  return partsOf(question).some(
    (part) =>
      !isGit(part) &&
      part.effects.some((effect) => effect.op === "read" && effect.scope === "tree" && overlaps(effect.path.resolved)),
  );
}

/** Every part is an analysed git command, or a command that uses no files, such as `cd`. */
export function runsGitAlone(question: Reported): boolean {
  return partsOf(question).every((part) => {
    const { effects, words } = part;
    if (!isGit(part)) return words !== undefined && effects.every((one) => one.op === "list" && one.scope === "file");
    const records = isGitVerb("records", words?.[1]);
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
