import { type Outcome, ok } from "../contract/codes.ts";
import { readBefore } from "./read-own-file.ts";

/** The text of a settings file with these rules allowed, everything else in it as it was. */
export function addAllowRules(path: string, before: string | undefined, rules: readonly string[]): Outcome<string> {
  const read = readBefore(path, before);
  if (!read.ok) return read;
  const { permissions = {}, ...others } = read.value;
  const allow = permissions.allow ?? [];
  const known = new Set(allow.map((rule) => (typeof rule === "string" ? rule : undefined)));
  const added = rules.filter((rule) => !known.has(rule));
  if (added.length === 0 && before !== undefined) return ok(before);
  const changed = { ...others, permissions: { ...permissions, allow: [...allow, ...added] } };
  return ok(`${JSON.stringify(changed, null, 2)}\n`);
}
