import { resolve } from "node:path/posix";
import { type EffectReport, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { UntrustedSkills } from "../contract/skill.ts";
import { deny, type Finding } from "./finding.ts";
import { compileName } from "./name-glob.ts";
import type { Policy } from "./policy.ts";
import { firstOf, hasPattern, runningParts, runsSomething, wordsOf } from "./running-parts.ts";

/** Scripts of a skill that nobody trusts do not run, in no mode. Reading alone is no running. */
export function untrustedScript(question: GateQuestion, { untrustedSkills: look }: Policy): Finding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  const found = namedScript(question, skills) ?? carriedScript(question.report, skills);
  if (found === undefined) return undefined;
  const { folder, text } = found;
  return deny(
    `nobody trusts the skill in ${folder} (see \`gauntlet trust\`), and ${text} would run something of it`,
    "path_boundary",
  );
}

interface Named {
  /** What a person is told that would run it. */
  readonly text: string;
  readonly folder: string;
}

function namedScript(question: GateQuestion, skills: UntrustedSkills): Named | undefined {
  for (const part of runningParts(question)) {
    const from = part.cwd ?? question.workspace.cwd;
    const named = wordsOf(part).flatMap((word) =>
      hasPattern(word) ? matching(word, from, skills) : resolve(from, word),
    );
    const files = part.effects.filter(isFileEffect).map((effect) => effect.path.resolved);
    const folder = firstOf([...named, ...files], skills.leadsInto);
    if (folder !== undefined) return { folder, text: part.text };
  }
  return undefined;
}

/** Brought to another name and run from there, in one command. */
function carriedScript(report: EffectReport, skills: UntrustedSkills): Named | undefined {
  const writes = report.effects.some(({ op }) => op === "write");
  const sources = report.effects.filter(isFileEffect).filter(({ op }) => op === "read" || op === "delete");
  const folder = writes
    ? firstOf(
        sources.map(({ path }) => path.resolved),
        skills.leadsInto,
      )
    : undefined;
  return folder === undefined ? undefined : { folder, text: report.command?.text ?? "it" };
}

/** What a shell may put in the place of a pattern, and where it would look for more. */
function matching(word: string, from: string, skills: UntrustedSkills): readonly string[] {
  const components = resolve(from, word).split("/");
  const wanted = components.map(componentOf);
  const fitting = skills.entries().filter((entry) => {
    const names = entry.split("/");
    return names.length === wanted.length && names.every((name, at) => wanted[at]?.(name) === true);
  });
  return [...fitting, components.slice(0, components.findIndex(hasPattern)).join("/")];
}

/** As a shell matches one component of a path: a dot at its beginning only by a dot. */
function componentOf(pattern: string): (name: string) => boolean {
  // Classes of characters are not told apart.
  const { matches } = compileName(pattern.replace(/\[\[.*\]\]/, "*"));
  return (name) => matches(name) && (!name.startsWith(".") || /^[.[\\]/.test(pattern));
}
