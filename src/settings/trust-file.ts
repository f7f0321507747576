import { z } from "zod";
import { type Outcome, ok } from "../contract/codes.ts";
import { lazy } from "../contract/lazy.ts";
import type { BoundFiles } from "./named-files.ts";
import { parseWith, type ReadText, readSettingsText } from "./parse-settings-text.ts";

const hash = lazy(() => z.string().regex(/^sha256:[0-9a-f]{64}$/));
/**
 * What a person trusts of one project: hashes, and for people what each was called and which files it covers. It lies
 * where no repository can put a file.
 */
const trustFile = lazy(() =>
  z.strictObject({
    trusted: z.array(hash()),
    names: z.exactOptional(z.record(hash(), z.string())),
    /** The files that each covers, as they were. */
    bound: z.exactOptional(z.record(hash(), z.array(z.tuple([z.string(), z.string()])))),
  }),
);

export function readTrusted(file: string, read: ReadText): Outcome<readonly string[]> {
  const text = readSettingsText(file, read);
  if (!text.ok) return text;
  if (text.value === undefined) return ok([]);
  const parsed = parseWith(trustFile(), text.value);
  return parsed.ok ? ok(parsed.value.trusted) : parsed;
}

/** For people, by hashes. */
export interface TrustRecord {
  readonly names: Readonly<Record<string, string>>;
  readonly bound: Readonly<Record<string, BoundFiles>>;
}

/** What was trusted. Of a file that cannot be read nothing is known. */
export function readTrustRecord(file: string, read: ReadText): TrustRecord {
  const text = readSettingsText(file, read);
  const parsed = text.ok && text.value !== undefined ? parseWith(trustFile(), text.value) : undefined;
  const { names = {}, bound = {} } = parsed?.ok ? parsed.value : {};
  return { names, bound };
}

/** Names of the skills among them, whatever became of those. */
export function readTrustedSkills(file: string, read: ReadText): ReadonlySet<string> {
  const names = Object.values(readTrustRecord(file, read).names);
  return new Set(names.flatMap((name) => /^skill (.+?)(?: \(with .*)?$/.exec(name)?.[1] ?? []));
}

/** What was trusted long ago is known by its name alone: the file is read at every start, and only while it is small. */
const mostBound = 100;

/** The text of the file after these were accepted and those revoked. */
export function changeTrusted(file: string, before: string | undefined, change: TrustChange): Outcome<string> {
  const known = parseWith(trustFile(), { path: file, text: before ?? '{ "trusted": [] }' });
  if (!known.ok) return known;
  const trusted = new Set([...known.value.trusted, ...change.accept]);
  for (const revoked of change.revoke) trusted.delete(revoked);
  const kept = <Value>(before: Readonly<Record<string, Value>> = {}, now: Readonly<Record<string, Value>> = {}) => {
    // What is accepted once more is the latest again.
    const others = Object.entries(before).filter(([of]) => now[of] === undefined);
    return Object.fromEntries([...others, ...Object.entries(now)].filter(([of]) => trusted.has(of)));
  };
  const names = kept(known.value.names, change.names);
  const bound = Object.fromEntries(Object.entries(kept<BoundFiles>(known.value.bound, change.bound)).slice(-mostBound));
  const written = {
    trusted: [...trusted],
    ...(Object.keys(names).length === 0 ? {} : { names }),
    ...(Object.keys(bound).length === 0 ? {} : { bound }),
  };
  return ok(`${JSON.stringify(written, null, 2)}\n`);
}

export interface TrustChange {
  readonly accept: readonly string[];
  readonly revoke: readonly string[];
  /** Of those that are accepted, by their hashes. */
  readonly names?: Readonly<Record<string, string>>;
  readonly bound?: Readonly<Record<string, BoundFiles>>;
}
