import type { Explanation } from "../../contract/verdict.ts";
import { effectText } from "./effect.ts";
import { labeller, lines, nothing, type Shown, say, toneOfDecision } from "./shown.ts";
import type { View } from "./wrap.ts";

export function renderExplanation(explanation: Explanation, { paint, wrap }: View): Shown {
  const { decision, risk, reason, source, rule, code, effects, parts = [], suggestedRule, next, notes } = explanation;
  const label = labeller(paint);
  return lines([
    wrap(say`${paint(toneOfDecision(decision), decision.padEnd(14))}risk ${risk}: ${reason}`),
    say`${label("decided by")}${source}${rule === undefined ? nothing : say`, rule ${rule}`}${code === undefined ? nothing : say`, ${code}`}`,
    ...parts.flatMap((part) => [
      wrap(say`${label("part")}${part.risk}  ${paint("strong", part.text)}  ${part.reason}`),
      ...part.effects.map((effect) => say`${label("")}    ${effectText(effect)}`),
    ]),
    ...(parts.length > 0 ? [] : effects.map((effect) => wrap(say`${label("touches")}${effectText(effect)}`))),
    ...(suggestedRule === undefined ? [] : [say`${label("to allow it")}--allow ${quoted(suggestedRule)}`]),
    ...(next === undefined ? [] : [say`${label("instead")}${next.tool} ${quoted(JSON.stringify(next.input))}`]),
    ...notes.map((note) => wrap(say`${label("note")}${note}`)),
  ]);
}

/** As one word of a POSIX shell, to be copied. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
