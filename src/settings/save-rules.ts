import { type Outcome, ok } from "../contract/codes.ts";
import type { SettingsFile } from "../contract/settings.ts";
import { parseSettingsText } from "./parse-settings-text.ts";

/** The text of a settings file with these rules allowed, everything else in it as it was. */
export function addAllowRules(file: string, before: string | undefined, rules: readonly string[]): Outcome<string> {
  const parsed = before === undefined ? ok<SettingsFile>({}) : parseSettingsText({ path: file, text: before });
  if (!parsed.ok) return parsed;
  const { permissions = {}, ...others } = parsed.value;
  const allow = permissions.allow ?? [];
  const known = new Set(allow.map((rule) => (typeof rule === "string" ? rule : undefined)));
  const added = rules.filter((rule) => !known.has(rule));
  if (added.length === 0 && before !== undefined) return ok(before);
  const changed: SettingsFile = { ...others, permissions: { ...permissions, allow: [...allow, ...added] } };
  return ok(`${JSON.stringify(changed, null, 2)}\n`);
}
