import { firstOf } from "../base/async.ts";
import type { UntrustedSkills } from "../contract/app/skill.ts";
import { type EffectReport, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { deny, type Finding } from "./finding.ts";
import type { Policy } from "./policy.ts";
import { pathOf, runningParts, runsSomething, wordsOf } from "./running-parts.ts";
import { hasPattern, pathMatch } from "./shell-pattern.ts";

export function untrustedScript(question: GateQuestion, { untrustedSkills: look }: Policy): Finding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  if (!skills.some) return undefined;
  const found = namedScript(question, skills) ?? carriedScript(question.report, skills);
  if (found === undefined) return undefined;
  const { folder, text } = found;
  return deny(
    `nobody trusts the skill in ${folder} (see \`gauntlet trust\`), and ${text} would run something of it`,
    "path_boundary",
  );
}

interface Named {
  readonly text: string;
  readonly folder: string;
}

function namedScript(question: GateQuestion, skills: UntrustedSkills): Named | undefined {
  const matching = matcher(skills);
  for (const part of runningParts(question)) {
    const from = part.cwd ?? question.workspace.cwd;
    const named = wordsOf(part).flatMap((word) => {
      const path = pathOf(word, from, question.workspace);
      return hasPattern(word) ? matching(path) : path;
    });
    const files = part.effects.filter(isFileEffect).map((effect) => effect.path.resolved);
    const folder = firstOf([...named, ...files], skills.leadsInto);
    if (folder === undefined) continue;
    return { folder, text: runsSomething(part) ? part.text : (question.report.command?.text ?? part.text) };
  }
  return undefined;
}

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

function matcher(skills: UntrustedSkills): (pattern: string) => readonly string[] {
  let byDepth: ReadonlyMap<number, readonly string[]> | undefined;
  return (pattern) => {
    const components = pattern.split("/");
    byDepth ??= Map.groupBy(skills.entries(), (entry) => entry.split("/").length);
    const entries = components.includes("**") ? skills.entries() : (byDepth.get(components.length) ?? []);
    const first = components.slice(0, components.findIndex(hasPattern)).join("/");
    return [...entries.filter(pathMatch(pattern)), first];
  };
}
