import { type Outcome, ok } from "../contract/codes.ts";
import type { SettingsFile } from "../contract/settings.ts";
import { parseSettingsText } from "./parse-settings-text.ts";

/** The text of a settings file with this as the usual model, everything else in it as it was. */
export function withModel(file: string, before: string | undefined, model: string): Outcome<string> {
  const parsed = before === undefined ? ok<SettingsFile>({}) : parseSettingsText({ path: file, text: before });
  return parsed.ok ? ok(`${JSON.stringify({ ...parsed.value, model }, null, 2)}\n`) : parsed;
}
