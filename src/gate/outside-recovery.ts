import { isFileEffect } from "../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../contract/gate.ts";
import { isNeverShown } from "../contract/path-scope.ts";

/** What helps where nothing but the place is wrong. Nobody is shown how to open a place to have something removed there. */
export function outsideRecovery({ assessment }: GateQuestion): string | undefined {
  const judged = assessment.parts.length > 0 ? assessment.parts.flatMap(({ effects }) => effects) : assessment.effects;
  const closed = judged.filter(({ risk }) => risk === "R5");
  const paths = closed.flatMap(onlyOutside);
  if (paths.length === 0 || paths.length < closed.length) return undefined;
  return "Name a place in the workspace. A person can let tools work in another directory too, with --add-dir or with permissions.additionalDirectories in the settings.";
}

function onlyOutside({ effect, reason }: EffectRisk): readonly string[] {
  if (!isFileEffect(effect) || effect.op === "delete" || !reason.endsWith(", outside the workspace")) return [];
  const { resolved } = effect.path;
  return isNeverShown(resolved) ? [] : [resolved];
}
