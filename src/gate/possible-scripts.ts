import { resolve } from "node:path/posix";
import { type EffectPart, isFileEffect } from "../contract/effect.ts";
import { firstOf } from "../contract/first-of.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInside, isInsideAny } from "../contract/path-scope.ts";
import type { UntrustedSkills } from "../contract/skill.ts";
import { carriedTree, fedTree } from "./carried-tree.ts";
import { copiedScript, type Possible } from "./copied-scripts.ts";
import { ask, type Finding } from "./finding.ts";
import { skillNamedInCode } from "./inline-code.ts";
import { namedBy } from "./named-paths.ts";
import type { Policy } from "./policy.ts";
import { runningParts, runsSomething, runsWhatItNames, wordsOf } from "./running-parts.ts";
import { runsNothingGiven, wordsToRun } from "./takes-program.ts";

/** Where it cannot be told that no script of a skill that nobody trusts runs, a person has to look at it. */
export function possibleScript(question: GateQuestion, { untrustedSkills: look }: Policy): Finding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  const [some] = skills.some ? skills.files() : [];
  if (some === undefined) return undefined;
  const found = copiedScript(question, skills, some) ?? reachableScript(question, skills, some);
  if (found === undefined) return undefined;
  const { file, text, how, why } = found;
  const because = why === undefined ? "" : `; ${why}`;
  return ask(
    `${text} ${how} ${file}, of a skill that nobody trusts (see \`gauntlet trust\`)${because}`,
    "path_boundary",
  );
}

/** What only the running shell knows may be such a script as well. */
function reachableScript(question: GateQuestion, skills: UntrustedSkills, some: string): Possible | undefined {
  const untrusted = skills.files();
  const { report } = question;
  const carried = carriedTree(report, untrusted);
  if (carried !== undefined) return { ...carried, how: "copies, beside what would run," };
  const fed = fedTree(report, untrusted);
  if (fed !== undefined) return { ...fed, how: "may run what it is fed, and beside it the command reads" };
  for (const part of report.parts ?? []) {
    const file =
      unlooked(part, untrusted, some) ?? unsureFile(part, skills, some) ?? fileBelowNamed(part, skills, question);
    if (file !== undefined) return { text: part.text, how: "may run", file };
  }
  return laterScript(question, skills) ?? composedScript(question, skills);
}

function unlooked(part: EffectPart, untrusted: readonly string[], some: string): string | undefined {
  if (!part.effects.some(({ op }) => op === "unknown")) return undefined;
  const ending = part.cwd === undefined ? endingLike(part, untrusted) : undefined;
  return ending ?? (part.openEnded === true || becomesMore.test(part.text) ? some : undefined);
}

/** What a shell expands, and `parallel` with names from a file. */
const becomesMore = /[*?[$`~{]|::::|\bparallel\b.*\s(?:-a|--arg-?file)/;

/** One that a word may become which only the shell knows; `~-` and `~name` are such words too. */
function unsureFile(part: EffectPart, skills: UntrustedSkills, some: string): string | undefined {
  if (isExec(part) && part.words?.some((word) => /^~[^/+]/.test(word))) return some;
  return firstOf(wordsToRun(part), ({ one, below }) =>
    below === undefined || (!one && below.some(skills.fallsApart)) ? some : firstOf(below, reachedBelow),
  );

  function reachedBelow(directory: string): string | undefined {
    return skills.files().find((file) => isInside(file, directory)) ?? skills.copiedFrom(directory)?.file;
  }
}

/** A directory of the project that is named and has skills somewhere below: a program may look for more in there. */
function fileBelowNamed(part: EffectPart, skills: UntrustedSkills, { workspace }: GateQuestion): string | undefined {
  if (!isExec(part) || runsNothingGiven(part) || !runsWhatItNames(part)) return undefined;
  const named = namedBy(part, part.cwd ?? workspace.cwd, workspace).filter((path) => isBelowAny(path, workspace.roots));
  return skills.files().find((file) => named.some((directory) => isInside(file, directory)));
}

function isBelowAny(path: string, roots: readonly string[]): boolean {
  return isInsideAny(path, roots) && !roots.includes(path);
}

function isExec({ effects }: EffectPart): boolean {
  return effects.some(({ op }) => op === "exec");
}

/** Nobody knows the directory: a path that one of them ends with may be that one. */
function endingLike(part: EffectPart, untrusted: readonly string[]): string | undefined {
  const endings = wordsOf(part).map((word) => `/${resolve("/", word).slice(1)}`);
  return untrusted.find((file) => endings.some((ending) => ending !== "/" && file.endsWith(ending)));
}

/** Nothing is there yet: what the command unpacks or checks out before may put one of them there. */
function laterScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  const { effects } = question.report;
  const brings = effects.some(
    (effect) => effect.op === "unknown" || (effect.op === "write" && effect.scope === "tree"),
  );
  for (const part of runningParts(question).filter(runsWhatItNames)) {
    const named = namedBy(part, part.cwd ?? question.workspace.cwd, question.workspace);
    const entered = part.cwd === undefined ? effects.filter(isFileEffect).map(({ path }) => path.resolved) : [];
    const file = firstOf([...named, ...entered], (path) => skills.namedLike(path, 2));
    const bare = brings ? firstOf(named, (path) => skills.namedLike(path, 1)) : undefined;
    const like = file ?? bare;
    if (like !== undefined) return { text: part.text, how: "may run", file: like };
  }
  return undefined;
}

/** A path that code puts together. */
function composedScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  for (const part of runningParts(question)) {
    const file = skillNamedInCode(part, { skills, cwd: part.cwd ?? question.workspace.cwd });
    if (file !== undefined) return { text: part.text, how: "has code that may run", file };
  }
  return undefined;
}
