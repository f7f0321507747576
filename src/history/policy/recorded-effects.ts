import { type Effect, type EffectPart, type EffectReport, isFileEffect } from "../../contract/effect.ts";

/**
 * A report as it was recorded, in the place of one that could not look at the disk any more. Of a shell text the
 * parts are read again, for rules that name commands, and each recorded effect goes to the part that speaks of it.
 */
export function withRecordedEffects(report: EffectReport, effects: readonly Effect[]): EffectReport {
  const { parts } = report;
  if (parts === undefined || parts.length === 0) return { ...report, effects };
  const owners = effects.map((effect) =>
    Math.max(
      0,
      parts.findIndex((part) => speaksOf(part, effect)),
    ),
  );
  return {
    ...report,
    effects,
    parts: parts.map((part, index) => ({ ...part, effects: effects.filter((_effect, at) => owners[at] === index) })),
  };
}

function speaksOf(part: EffectPart, effect: Effect): boolean {
  if (isFileEffect(effect)) return part.text.includes(effect.path.written);
  switch (effect.op) {
    case "exec":
      return effect.argv.length > 0
        ? effect.argv.join(" ") === part.words?.join(" ")
        : part.text.includes(effect.program);
    case "connect":
      return part.text.includes(effect.host);
    default:
      return part.effects.some((own) => own.op === effect.op);
  }
}
