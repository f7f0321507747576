import type { RuleSetting, RuleText } from "../contract/settings.ts";

/** A rule as it stands in a file, with where that is. */
export function ruleText(written: RuleSetting, place: Pick<RuleText, "action" | "layer" | "origin">): RuleText {
  const { rule: text, match = [], noMatch = [], expires } = typeof written === "string" ? { rule: written } : written;
  return { text, ...place, match, noMatch, expires };
}
