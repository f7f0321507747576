import { isRecord } from "../base/json.ts";
import type { AcceptedSpelling } from "../contract/intent.ts";

export interface NormalizedInput {
  readonly input: unknown;
  readonly spellings: readonly AcceptedSpelling[];
}

export function normalizeInput(input: unknown, aliases: Readonly<Record<string, string>>): NormalizedInput {
  const spellings: AcceptedSpelling[] = [];
  return { input: rename(input, new Map(Object.entries(aliases)), spellings, true), spellings };
}

function rename(
  value: unknown,
  aliases: ReadonlyMap<string, string>,
  spellings: AcceptedSpelling[],
  descend: boolean,
): unknown {
  if (!isRecord(value)) return value;
  let changed = false;
  const taken = new Set<string>();
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const canonical = aliases.get(key);
    const accepted = canonical !== undefined && !Object.hasOwn(value, canonical) && !taken.has(canonical);
    if (accepted) taken.add(canonical);
    if (accepted) spellings.push({ written: key, canonical });
    const renamed =
      descend && Array.isArray(inner) ? inner.map((item) => rename(item, aliases, spellings, false)) : inner;
    changed ||= accepted || renamed !== inner;
    return [accepted ? canonical : key, renamed];
  });
  return changed ? Object.fromEntries(entries) : value;
}
