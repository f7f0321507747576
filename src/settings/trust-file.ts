import { z } from "zod";
import { type Outcome, ok } from "../contract/codes.ts";
import { lazy } from "../contract/lazy.ts";
import { parseWith, type ReadText, readSettingsText } from "./parse-settings-text.ts";

const hash = lazy(() => z.string().regex(/^sha256:[0-9a-f]{64}$/));
/**
 * What a person trusts of one project: hashes, and for people what each was called. It lies where no repository can put
 * a file.
 */
const trustFile = lazy(() =>
  z.strictObject({ trusted: z.array(hash()), names: z.exactOptional(z.record(hash(), z.string())) }),
);

export function readTrusted(file: string, read: ReadText): Outcome<readonly string[]> {
  const text = readSettingsText(file, read);
  if (!text.ok) return text;
  if (text.value === undefined) return ok([]);
  const parsed = parseWith(trustFile(), text.value);
  return parsed.ok ? ok(parsed.value.trusted) : parsed;
}

/** What was trusted, by its hash. Of a file that cannot be read nothing is known. */
export function readTrustedNames(file: string, read: ReadText): Readonly<Record<string, string>> {
  const text = readSettingsText(file, read);
  if (!text.ok || text.value === undefined) return {};
  const parsed = parseWith(trustFile(), text.value);
  return parsed.ok ? (parsed.value.names ?? {}) : {};
}

/** Names of the skills among them, whatever became of those. */
export function readTrustedSkills(file: string, read: ReadText): ReadonlySet<string> {
  const names = Object.values(readTrustedNames(file, read));
  return new Set(names.flatMap((name) => /^skill (.+?)(?: \(with .*)?$/.exec(name)?.[1] ?? []));
}

/** The text of the file after these were accepted and those revoked. */
export function changeTrusted(file: string, before: string | undefined, change: TrustChange): Outcome<string> {
  const known = parseWith(trustFile(), { path: file, text: before ?? '{ "trusted": [] }' });
  if (!known.ok) return known;
  const trusted = new Set([...known.value.trusted, ...change.accept]);
  for (const revoked of change.revoke) trusted.delete(revoked);
  const all = { ...known.value.names, ...change.names };
  const names = Object.fromEntries(Object.entries(all).filter(([of]) => trusted.has(of)));
  const named = Object.keys(names).length === 0 ? {} : { names };
  return ok(`${JSON.stringify({ trusted: [...trusted], ...named }, null, 2)}\n`);
}

export interface TrustChange {
  readonly accept: readonly string[];
  readonly revoke: readonly string[];
  /** Of those that are accepted, by their hashes. */
  readonly names?: Readonly<Record<string, string>>;
}
