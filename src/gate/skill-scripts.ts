import { firstOf } from "../base/async.ts";
import type { UntrustedSkills } from "../contract/app/skill.ts";
import { type EffectReport, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { deny, type GateFinding } from "./finding.ts";
import type { GatePolicy } from "./policy.ts";
import { pathOf, runningParts, runsSomething, wordsOf } from "./running-parts.ts";
import { hasPattern, pathMatch } from "./shell-pattern.ts";

export function untrustedScript(
  question: GateQuestion,
  { untrustedSkills: look }: GatePolicy,
): GateFinding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  if (!skills.some) return undefined;
  const found = namedScript(question, skills) ?? carriedScript(question.report, skills);
  if (found === undefined) return undefined;
  const { folder, text } = found;
  return deny(`${text} runs a script from the untrusted skill ${folder} (see \`gauntlet trust\`)`, "path_boundary");
}

interface NamedScript {
  readonly text: string;
  readonly folder: string;
}

function namedScript(question: GateQuestion, skills: UntrustedSkills): NamedScript | undefined {
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

/** Copied or moved, and run from there, in one command. */
function carriedScript({ effects, command }: EffectReport, skills: UntrustedSkills): NamedScript | undefined {
  if (!effects.some(({ op }) => op === "write")) return undefined;
  const sources = effects.filter(isFileEffect).filter(({ op }) => op === "read" || op === "delete");
  const folder = firstOf(sources, ({ path }) => skills.leadsInto(path.resolved));
  return folder === undefined ? undefined : { folder, text: command?.text ?? "it" };
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
