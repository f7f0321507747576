import type { PatternPlaces } from "../../gate/path-pattern.ts";
import type { Policy } from "../../gate/policy.ts";
import { whyNotSaved } from "../../gate/savable-rule.ts";
import { updatePrivateText } from "../../host/state/private-text.ts";
import type { RuleSaver } from "../../session/permission-desk.ts";
import { addAllowRules } from "../../settings/save-rules.ts";

/** Rules that a person agreed to for always go to their own file for this project, never into the repository. */
export function createRuleSaver(
  file: string,
  places: PatternPlaces,
  { classify }: Pick<Policy, "classify">,
): RuleSaver {
  return {
    path: file,
    refusal: (rules) => rules.map((rule) => whyNotSaved(rule, places, classify)).find((reason) => reason !== undefined),
    save: (rules) => updatePrivateText(file, (before) => addAllowRules(file, before, rules)),
  };
}
