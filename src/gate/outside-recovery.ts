import { dirname } from "node:path/posix";
import { isFileEffect, isInside, isInsideAny, isNeverShown, kernelTrees } from "../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../contract/gate.ts";
import type { Verdict } from "../contract/verdict.ts";
import { escapePattern } from "./path-pattern.ts";

export function outsideRecovery({ assessment, workspace }: GateQuestion): Pick<Verdict, "recovery" | "suggestedRules"> {
  const judged = assessment.parts.length > 0 ? assessment.parts.flatMap(({ effects }) => effects) : assessment.effects;
  const closed = judged.filter(({ risk }) => risk === "R5");
  const places = closed.flatMap((entry) => outsidePlace(entry) ?? []);
  const [place] = places;
  if (place !== undefined && places.length === closed.length)
    return {
      recovery: `Name a place in the workspace. A user can open ${place} with --add-dir or with permissions.additionalDirectories.`,
    };
  const rules = [...new Set(closed.flatMap((entry) => secretRule(entry, workspace.root) ?? []))];
  if (rules.length === 0 || closed.some((entry) => secretRule(entry, workspace.root) === undefined)) return {};
  const recovery = `Choose another way. Only a user can open it, with ${rules.join(" and ")} in permissions.allow.`;
  return { recovery, suggestedRules: rules };
}

function outsidePlace({ effect, reason }: EffectRisk): string | undefined {
  if (!isFileEffect(effect) || effect.op === "delete" || !reason.endsWith(", outside the workspace")) return undefined;
  const { kind, resolved } = effect.path;
  const directory = effect.scope === "tree" || kind === "directory" ? resolved : dirname(resolved);
  if (isNeverShown(resolved) || isInsideAny(directory, kernelTrees)) return undefined;
  return isNeverShown(directory) ? `a directory below ${directory}, but not itself,` : directory;
}

function secretRule({ effect, reason }: EffectRisk, root: string): string | undefined {
  if (!isFileEffect(effect) || effect.op !== "read" || effect.scope !== "file") return undefined;
  const { resolved } = effect.path;
  if (!reason.includes(", a secret (") || !isInside(resolved, root)) return undefined;
  return `Read(${escapePattern(resolved.slice(root.length))})`;
}
