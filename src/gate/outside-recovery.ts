import { isFileEffect } from "../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../contract/gate.ts";
import { isInsideAny, isNeverShown } from "../contract/path-scope.ts";

/** What helps where nothing but the place is wrong. Nobody is shown how to open a place to have something removed there. */
export function outsideRecovery({ assessment, report, sandbox }: GateQuestion): string | undefined {
  const judged = assessment.parts.length > 0 ? assessment.parts.flatMap(({ effects }) => effects) : assessment.effects;
  const closed = judged.filter(({ risk }) => risk === "R5");
  const paths = closed.flatMap(onlyOutside);
  if (paths.length === 0 || paths.length < closed.length) return undefined;
  const isOwn = report.command !== undefined && sandbox.backend === "bubblewrap";
  if (isOwn && paths.every((path) => isInsideAny(path, temporary))) {
    return "A command has a /tmp of its own, and what it leaves there is gone when it ends: name a file of the workspace instead. A person can let commands work in a directory below /tmp with --add-dir.";
  }
  return "Name a place in the workspace. A person can let tools work in another directory too, with --add-dir or with permissions.additionalDirectories in the settings.";
}

const temporary = ["/tmp", "/var/tmp"];

function onlyOutside({ effect, reason }: EffectRisk): readonly string[] {
  if (!isFileEffect(effect) || effect.op === "delete" || !reason.endsWith(", outside the workspace")) return [];
  const { resolved } = effect.path;
  return isNeverShown(resolved) ? [] : [resolved];
}
