import { z } from "zod";
import { type Outcome, ok } from "../contract/codes.ts";
import { lazy } from "../contract/lazy.ts";
import { parseWith, type ReadText, readSettingsText, type SettingsText } from "./parse-settings-text.ts";

/** What a person trusts of one project: hashes and nothing else. It lies where no repository can put a file. */
const trustFile = lazy(() => z.strictObject({ trusted: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/)) }));

export function readTrusted(file: string, read: ReadText): Outcome<readonly string[]> {
  const text = readSettingsText(file, read);
  if (!text.ok) return text;
  return text.value === undefined ? ok([]) : parseTrusted(text.value);
}

/** The text of the file after these were accepted and those revoked. */
export function changeTrusted(
  file: string,
  before: string | undefined,
  change: { readonly accept: readonly string[]; readonly revoke: readonly string[] },
): Outcome<string> {
  const known = before === undefined ? ok([]) : parseTrusted({ path: file, text: before });
  if (!known.ok) return known;
  const trusted = new Set([...known.value, ...change.accept]);
  for (const hash of change.revoke) trusted.delete(hash);
  return ok(`${JSON.stringify({ trusted: [...trusted] }, null, 2)}\n`);
}

function parseTrusted(text: SettingsText): Outcome<readonly string[]> {
  const parsed = parseWith(trustFile(), text);
  return parsed.ok ? ok(parsed.value.trusted) : parsed;
}
