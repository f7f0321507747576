import type { Observation } from "../../contract/observation.ts";
import { quoted } from "./explanation.ts";
import { labeller, lines, type Paint, type Shown, say } from "./shown.ts";

/** What stands beside the user face: how it ended, why, and what to do next. */
export function renderEnding(observation: Observation, paint: Paint): Shown {
  const { ok, status, code, title, summary, metrics } = observation;
  const mark = ok ? paint("good", "✓") : paint("bad", status === "denied" ? "⊘" : "✗");
  const label = labeller(paint);
  return lines([
    say`${mark} ${title}${ok ? "" : `: ${code}`} ${paint("quiet", `(${Math.round(metrics.durationMs)} ms)`)}`,
    ...(ok ? [] : [say`${label("why")}${summary}`]),
    ...(ok || observation.permission === undefined ? [] : permissionLines(observation.permission, label)),
    ...(ok || observation.field === undefined ? [] : [say`${label("field")}${observation.field}`]),
    ...(ok || observation.recovery === undefined ? [] : [say`${label("then")}${observation.recovery}`]),
  ]);
}

function permissionLines(
  permission: NonNullable<Observation["permission"]>,
  label: (name: string) => Shown,
): readonly Shown[] {
  const { decision, reason, source, rule, risk, suggestedRule } = permission;
  const decided = say`${label(decision)}${reason} (risk ${risk}, by ${source}${rule === undefined ? "" : `, rule ${rule}`})`;
  return suggestedRule === undefined ? [decided] : [decided, ...readyRule(suggestedRule, label)];
}

/** An ask that nobody could answer ends with what would answer it next time. */
function readyRule(rule: string, label: (name: string) => Shown): readonly Shown[] {
  return [
    say`${label("to allow it")}--allow ${quoted(rule)}`,
    say`${label("or settings")}${JSON.stringify({ permissions: { allow: [rule] } })}`,
  ];
}
