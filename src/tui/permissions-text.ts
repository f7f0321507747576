import type { RuleText } from "../contract/settings.ts";

const layerWords: Readonly<Record<RuleText["layer"], string>> = {
  managed: "your company's settings",
  command_line: "the command line",
  user_project: "your settings for this project",
  project: "the project's settings",
  user: "your settings",
  session: "this session",
};

/** The rules in force with where they come from, and below them what was agreed to in this session. */
export function permissionsText(
  rules: readonly Pick<RuleText, "action" | "text" | "layer" | "origin">[],
  grants: readonly { readonly rule: string }[],
): string {
  const rows = [
    ...rules.map(({ action, text, layer }) => `${action.padEnd(6)} ${text}  (${layerWords[layer]})`),
    ...grants.map(({ rule }) => `allow  ${rule}  (${layerWords.session})`),
  ];
  if (rows.length === 0) return "no rules: the mode and the risk decide";
  const files = [...new Set(rules.filter(({ layer }) => layer !== "command_line").map(({ origin }) => origin))];
  const removing = [
    ...(files.length === 0 ? [] : [`To remove a saved rule, delete it from ${files.join(" or ")}.`]),
    ...(grants.length === 0 ? [] : ["Rules of this session end with it: /new."]),
  ];
  return [...new Set(rows), ...removing].join("\n");
}
