import { type Outcome, ok } from "../../contract/codes.ts";
import type { RuleText, Settings } from "../../contract/settings.ts";
import type { GatePolicy } from "../../gate/policy.ts";
import { compileRules, whyNotSaved } from "../../gate/rules/compile-rules.ts";
import { escapePattern, type PatternPlaces } from "../../gate/rules/path-pattern.ts";
import type { RuleProblem } from "../../gate/rules/rule.ts";
import { updatePrivateText } from "../../host/state/private-text.ts";
import type { RuleSaver } from "../../session/ask.ts";
import { type LoadOptions, loadSettings } from "../../settings/load-settings.ts";
import { addAllowRules } from "../../settings/own-file.ts";

/** The settings, with warnings about their rules among the notices. */
export function loadPolicy(options: Omit<LoadOptions, "checkRule">, now: number): Outcome<Settings> {
  const settings = loadSettings({
    ...options,
    checkRule: (rule) => compileRules([rule], options).problems.find(isError)?.message,
  });
  if (!settings.ok) return settings;
  const { problems } = compileRules(settings.value.rules, options, now);
  const warnings = problems.filter((problem) => !isError(problem)).map(describeProblem);
  return ok({ ...settings.value, notices: [...settings.value.notices, ...warnings] });
}

export function deniedPathRules({ deniedPaths }: Settings): readonly RuleText[] {
  return deniedPaths.flatMap((denied) =>
    ["Read", "Edit"].map((tool) => ({
      text: `${tool}(/${escapePattern(denied)})`,
      action: "deny" as const,
      layer: "user" as const,
      origin: "workspace.deniedPaths",
      match: [],
      noMatch: [],
    })),
  );
}

export function isError({ level }: RuleProblem): boolean {
  return level === "error";
}

export function describeProblem({ rule, message }: RuleProblem): string {
  return `${rule.text} (${rule.origin}): ${message}`;
}

/** Rules from an `always` answer go to a user file for this project, never into the repository. */
export function createRuleSaver(
  file: string,
  places: PatternPlaces,
  { classify }: Pick<GatePolicy, "classify">,
): RuleSaver {
  return {
    path: file,
    refusal: (rules) => rules.map((rule) => whyNotSaved(rule, places, classify)).find((reason) => reason !== undefined),
    save: (rules) => updatePrivateText(file, (before) => addAllowRules(file, before, rules)),
  };
}
