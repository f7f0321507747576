import { z } from "zod";
import { lazy } from "../base/async.ts";
import { visibleText } from "../base/text.ts";
import type { UntrustedItem } from "../contract/app/skill.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ChangedItem } from "../contract/settings.ts";
import { updatePrivateText } from "../host/state/private-text.ts";
import type { CoveredFiles } from "../host/state/trust.ts";
import { parseWith, type ReadText, readSettingsText } from "./parse-settings-text.ts";

const hash = lazy(() => z.string().regex(/^sha256:[0-9a-f]{64}$/));
/** Stored where no repository can put a file. Names and files are for display. */
const trustFile = lazy(() =>
  z.strictObject({
    trusted: z.array(hash()),
    names: z.exactOptional(z.record(hash(), z.string())),
    files: z.exactOptional(z.record(hash(), z.array(z.tuple([z.string(), z.string()])))),
    /** The same, by versions before 0.2: they covered other files, so their hashes are not those of today. */
    bound: z.exactOptional(z.record(hash(), z.unknown())),
  }),
);

export function readTrusted(file: string, read: ReadText): Outcome<readonly string[]> {
  const text = readSettingsText(file, read);
  if (!text.ok) return text;
  if (text.value === undefined) return ok([]);
  const parsed = parseWith(trustFile(), text.value);
  if (!parsed.ok) return parsed;
  const { trusted, bound = {} } = parsed.value;
  return ok(trusted.filter((one) => !Object.hasOwn(bound, one)));
}

export interface TrustRecord {
  readonly names: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, CoveredFiles>>;
  readonly bound: Readonly<Record<string, unknown>>;
}

/** Empty for a file that cannot be read. */
export function readTrustRecord(file: string, read: ReadText): TrustRecord {
  const text = readSettingsText(file, read);
  const parsed = text.ok && text.value !== undefined ? parseWith(trustFile(), text.value) : undefined;
  const { names = {}, files = {}, bound = {} } = parsed?.ok ? parsed.value : {};
  return { names, files, bound };
}

export function readTrustedSkills(file: string, read: ReadText): ReadonlySet<string> {
  const names = Object.values(readTrustRecord(file, read).names);
  return new Set(names.flatMap((name) => /^skill (.+?)(?: \(with .*)?$/.exec(name)?.[1] ?? []));
}

export interface TrustChange {
  readonly accept: readonly string[];
  readonly revoke: readonly string[];
}

/** Only an item that is in the project can be trusted. */
export function changeTrust(file: string, items: readonly UntrustedItem[], change: TrustChange): Outcome<void> {
  for (const accepted of change.accept) {
    const item = items.find((known) => known.hash === accepted);
    if (item === undefined) {
      return fail("bad_request", `Nothing in this project has the hash ${accepted}.`, {
        recovery: "`gauntlet trust` lists the items.",
      });
    }
    if (item.refused !== undefined) {
      return fail("policy_denied", `${item.text} can never be trusted: ${item.refused}.`, {
        recovery: `Request less in ${item.origin}.`,
      });
    }
  }
  const accepted = items.filter((item) => change.accept.includes(item.hash));
  return updatePrivateText(file, (before) => changedText(file, before, { ...change, accepted }));
}

/** Of older items only the name is kept: a file of more than 1 MiB is not read. */
const mostCovered = 100;

function changedText(
  file: string,
  before: string | undefined,
  { accept, revoke, accepted }: TrustChange & { readonly accepted: readonly UntrustedItem[] },
): Outcome<string> {
  const parsed = parseWith(trustFile(), { path: file, text: before ?? '{ "trusted": [] }' });
  if (!parsed.ok) return parsed;
  const known = parsed.value;
  const trusted = new Set([...known.trusted, ...accept].filter((one) => !revoke.includes(one)));
  const kept = <Value>(was: Readonly<Record<string, Value>> = {}, now: readonly (readonly [string, Value])[] = []) => {
    // An item that is accepted again becomes the latest.
    const others = Object.entries(was).filter(([one]) => !accept.includes(one));
    return [...others, ...now].filter(([one]) => trusted.has(one));
  };
  const records = {
    names: kept(
      known.names,
      accepted.map(({ hash: of, kind, text, lines = [] }) => [of, trustName(kind, lines[0] ?? text)]),
    ),
    files: kept<CoveredFiles>(
      known.files,
      accepted.flatMap(({ hash: of, bound }) => (bound === undefined ? [] : [[of, bound] as const])),
    ).slice(-mostCovered),
    bound: kept(known.bound),
  };
  const written = Object.entries(records).flatMap(([key, pairs]) =>
    pairs.length === 0 ? [] : [[key, Object.fromEntries<unknown>(pairs)] as const],
  );
  return ok(`${JSON.stringify({ trusted: [...trusted], ...Object.fromEntries(written) }, null, 2)}\n`);
}

const longestName = 200;

export function trustName(kind: UntrustedItem["kind"], text: string): string {
  const name = visibleText(`${kind.replaceAll("_", " ")} ${text}`.replace(/\s+/g, " "));
  return name.length <= longestName ? name : `${name.slice(0, longestName - 1).toWellFormed()}…`;
}

export interface TrustedBefore {
  readonly item: UntrustedItem;
  readonly isFormer?: (was: string) => boolean;
  /** Its hash if these were the files that it covers. */
  readonly hashWith?: (files: CoveredFiles) => string;
}

const mostNamed = 3;

/** How an item that was trusted before differs from it. Empty if it never was trusted, or never can be. */
export function changedSince(
  offer: TrustedBefore,
  { names, files, bound }: TrustRecord,
  isThere: (hash: string) => boolean,
): readonly ChangedItem[] {
  const { item, isFormer } = offer;
  const formerly = Object.keys(names).filter((one) => !isThere(one) && isFormer?.(names[one] ?? "") === true);
  const last = formerly.at(-1);
  if (last === undefined || item.refused !== undefined) return [];
  const detail = Object.hasOwn(bound, last)
    ? "it was trusted with an earlier version, and what trust covers has changed since"
    : `it changed since it was trusted (${difference(offer, last, files[last]) || "its entry, or a file that it covers"})`;
  return [{ hash: item.hash, formerly, detail }];
}

function difference({ item, hashWith }: TrustedBefore, last: string, covered: CoveredFiles | undefined): string {
  if (covered === undefined || hashWith === undefined) return "";
  const [then, now] = [new Map(covered), new Map(item.bound)];
  const isEntry = hashWith(covered) !== last;
  // If the entry changed, only files that it named before and still names are listed.
  const all = isEntry ? [...then.keys()].filter((file) => now.has(file)) : [...then.keys(), ...now.keys()];
  const others = [...new Set(all)].filter((file) => then.get(file) !== now.get(file));
  const named = others.slice(0, mostNamed).map((file) => visibleText(file).replace(/\s+/g, " "));
  const more = others.length > named.length ? [`${others.length - named.length} more`] : [];
  return [...(isEntry ? ["its entry"] : []), ...named, ...more].join(", ");
}
