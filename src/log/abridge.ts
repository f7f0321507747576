import { sha256 } from "../base/digest.ts";

/** A text above this is evidence, not a line of a log. */
const longestText = 8 * 1024;
const kept = 200;

/** Long texts become their beginning, their length and their hash. The same value when nothing was long. */
export function abridge(value: unknown): unknown {
  if (typeof value === "string") return value.length > longestText ? abridgeText(value) : value;
  if (Array.isArray(value)) return changedOr(value, value.map(abridge));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, abridge(inner)]);
  const same = entries.every(([key, inner]) => Reflect.get(value, key) === inner);
  return same ? value : Object.fromEntries(entries);
}

function abridgeText(text: string): string {
  return `${text.slice(0, kept).toWellFormed()}… [abridged: ${text.length} characters, sha256 ${sha256(text)}]`;
}

function changedOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}
