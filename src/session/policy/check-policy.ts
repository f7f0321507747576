import type { PolicyCheck, PolicyProblem } from "../../contract/policy.ts";
import { type RuleText, type SettingsFile, settingsFile } from "../../contract/settings.ts";
import { compileRules } from "../../gate/compile-rules.ts";
import { parseRule } from "../../gate/parse-rule.ts";
import type { PatternPlaces } from "../../gate/path-pattern.ts";
import type { JsonPlace } from "../../settings/json-text.ts";
import { inspectWith, type TextProblem } from "../../settings/parse-settings-text.ts";
import { ruleText } from "../../settings/rule-text.ts";

export interface CheckedFile {
  readonly file: string;
  readonly text: string;
  readonly places: PatternPlaces;
  /** A project file is held to more: what is too broad for it is an error. */
  readonly project: boolean;
  readonly now: number;
}

/** Everything that is wrong with a policy, as it would be found when it is loaded. */
export function checkPolicy(checked: CheckedFile): PolicyCheck {
  const { file, text } = checked;
  const read = inspectWith(settingsFile, text);
  if (!read.ok) return { file, ok: false, rules: 0, problems: read.problems.map(fromText) };
  const rules = rulesIn(read.value, checked);
  const found = compileRules(
    rules.map((entry) => entry.rule),
    checked.places,
    checked.now,
  ).problems;
  const ofRules = found.map(({ rule, level, message }): PolicyProblem => {
    const field = rules.find((entry) => entry.rule === rule)?.field ?? "";
    return { level, message, ...at(field, read.placeOf), rule: rule.text, action: rule.action };
  });
  const problems = [...ofRules, ...hookProblems(read.value, checked.places, read.placeOf)].sort(byPlace);
  return { file, ok: problems.every(({ level }) => level !== "error"), rules: rules.length, problems };
}

function rulesIn({ permissions = {} }: SettingsFile, { file, project }: CheckedFile) {
  const layer = project ? "project" : "user";
  return (["deny", "ask", "allow"] as const).flatMap((action) =>
    (permissions[action] ?? []).map((written, index) => {
      // Judged as if it were trusted: what it would do then is the question.
      const trusted = project && action === "allow" ? ({ trusted: true } as const) : {};
      const rule: RuleText = { ...ruleText(written, { action, layer, origin: file }), ...trusted };
      return { rule, field: `permissions.${action}[${index}]` };
    }),
  );
}

/** The condition of a hook is a rule, and one that cannot be read never holds. */
function hookProblems(
  { hooks = {} }: SettingsFile,
  places: PatternPlaces,
  placeOf: (field: string) => JsonPlace,
): readonly PolicyProblem[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group, groupIndex) =>
      group.hooks.flatMap((handler, index): readonly PolicyProblem[] => {
        const parsed = handler.if === undefined ? undefined : parseRule(handler.if, places, true);
        if (parsed === undefined || !("problem" in parsed)) return [];
        const field = `hooks.${event}[${groupIndex}].hooks[${index}].if`;
        return [{ level: "error", message: parsed.problem, ...at(field, placeOf), rule: handler.if ?? "" }];
      }),
    ),
  );
}

function at(field: string, placeOf: (field: string) => JsonPlace): Pick<PolicyProblem, "field" | "line" | "column"> {
  return { field, ...placeOf(field) };
}

function fromText({ problem, field, place }: TextProblem): PolicyProblem {
  return {
    level: "error",
    message: problem,
    ...(field === undefined || field === "" ? {} : { field }),
    ...(place === undefined ? {} : { line: place.line, column: place.column }),
  };
}

function byPlace(a: PolicyProblem, b: PolicyProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
