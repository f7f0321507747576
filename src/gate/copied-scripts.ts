import { type EffectPart, isFileEffect } from "../contract/effect.ts";
import { firstOf } from "../contract/first-of.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { SkillCopy, UntrustedSkills } from "../contract/skill.ts";
import { assignedIn, namedBy } from "./named-paths.ts";
import { pathOf, runningParts, runsWhatItNames, wordsOf } from "./running-parts.ts";
import { expandPattern, hasPattern } from "./shell-pattern.ts";

export interface Possible {
  /** What a person is told that may run it. */
  readonly text: string;
  readonly how: string;
  readonly file: string;
  /** Why it cannot be told, where that is not plain from the text. */
  readonly why?: string;
}

/** A file of the same content is named, read to be run, or brought to where it is run. */
export function copiedScript(question: GateQuestion, skills: UntrustedSkills, some: string): Possible | undefined {
  const given = assignedIn(question.report.command?.text ?? "");
  for (const part of runningParts(question).filter((one) => runsWhatItNames(one) && !onlyLists(one))) {
    const from = part.cwd ?? question.workspace.cwd;
    const named = [
      ...namedBy(part, from, question.workspace),
      ...given.map((word) => pathOf(word, from, question.workspace)),
      ...part.effects.filter(isFileEffect).flatMap(({ op, path }) => (op === "read" ? path.resolved : [])),
    ];
    const copy =
      firstOf(named, skills.copiedFrom) ?? copyByPattern(part, from, skills, some) ?? skills.copiedInto(from);
    if (copy !== undefined) return possibleCopy(part.text, copy);
  }
  const carried = copyCarried(question, skills);
  return carried === undefined ? undefined : possibleCopy(question.report.command?.text ?? "it", carried);
}

/** What it finds is run by a word that only the shell knows, if at all: patterns of its own are none of the shell's. */
function onlyLists({ effects }: EffectPart): boolean {
  return effects.length > 0 && effects.every(({ op }) => op === "list");
}

function possibleCopy(text: string, { file, certain }: SkillCopy): Possible {
  return certain
    ? { text, how: "names or reads a copy of", file }
    : { text, how: "may run a copy of", file, why: tooMuch };
}

/** A copy that is brought to another name and run from there, in one command. */
function copyCarried({ report }: GateQuestion, skills: UntrustedSkills): SkillCopy | undefined {
  if (!report.effects.some(({ op }) => op === "write")) return undefined;
  const sources = report.effects.filter(isFileEffect).filter(({ op }) => op === "read" || op === "delete");
  return firstOf(
    sources.map(({ path }) => path.resolved),
    skills.copiedFrom,
  );
}

const tooMuch = "there is more to compare with it than one decision looks at";

/** Of a part. What a pattern of a loop becomes is a word that only the shell knows. */
function copyByPattern(part: EffectPart, from: string, skills: UntrustedSkills, some: string): SkillCopy | undefined {
  if (part.words === undefined && part.effects.length === 0) return undefined;
  return firstOf(wordsOf(part).filter(hasPattern), (word) => {
    const paths = expandPattern(word, from, skills.namesIn);
    return paths === undefined ? { file: some, certain: false } : firstOf(paths, skills.copiedFrom);
  });
}
