import type { PathClass } from "../contract/gate.ts";
import { overbroad } from "./overbroad.ts";
import { parseRule } from "./parse-rule.ts";
import { type PatternPlaces, writtenPaths } from "./path-pattern.ts";

/** Why a rule is never saved for later sessions, however it was agreed to. */
export function whyNotSaved(
  text: string,
  places: PatternPlaces,
  classify: (path: string) => PathClass | undefined,
): string | undefined {
  const parsed = parseRule(text, places, false);
  if ("problem" in parsed) return `${text} cannot be read: ${parsed.problem}`;
  const { target } = parsed;
  const broad = overbroad(target, places);
  if (broad !== undefined) return `${text} is too broad: ${broad}`;
  if (target.kind !== "path") return undefined;
  const content = text.slice(text.indexOf("(") + 1, -1);
  const closed = writtenPaths(content, places).find((path) => classify(path) !== undefined);
  return closed === undefined ? undefined : `${text} covers ${closed}, which is protected`;
}
