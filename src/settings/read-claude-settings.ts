import { z } from "zod";
import { type Outcome, ok } from "../contract/codes.ts";
import type { SettingsFile } from "../contract/settings.ts";
import { parseWith, type SettingsText } from "./parse-settings-text.ts";

/** Another program's file: we read its rules and leave the rest, but rules that we cannot read are an error. */
const claudeFile = z.looseObject({
  permissions: z.exactOptional(
    z.looseObject({
      allow: z.exactOptional(z.array(z.string())),
      ask: z.exactOptional(z.array(z.string())),
      deny: z.exactOptional(z.array(z.string())),
    }),
  ),
});

export interface ClaudeSettings {
  readonly file: SettingsFile;
  /** Named in the file, not taken over. */
  readonly ignored: readonly string[];
}

const understood = ["allow", "ask", "deny"];
/** The rest (a model, a status line, …) concerns that program alone. */
const wouldWiden = ["env", "hooks"];

export function readClaudeSettings(text: SettingsText): Outcome<ClaudeSettings> {
  const parsed = parseWith(claudeFile, text);
  if (!parsed.ok) return parsed;
  const { permissions = {}, ...others } = parsed.value;
  const { allow, ask, deny } = permissions;
  return ok({
    file: {
      permissions: {
        ...(allow === undefined ? {} : { allow }),
        ...(ask === undefined ? {} : { ask }),
        ...(deny === undefined ? {} : { deny }),
      },
    },
    ignored: [
      ...Object.keys(permissions)
        .filter((key) => !understood.includes(key))
        .map((key) => `permissions.${key}`),
      ...Object.keys(others).filter((key) => wouldWiden.includes(key)),
    ],
  });
}
