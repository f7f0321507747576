import type { UntrustedItem } from "../contract/settings.ts";
import { visibleText } from "../contract/visible-text.ts";

const longestName = 200;

/** For people, once it is no longer there to be looked at. */
export function trustName(kind: UntrustedItem["kind"], text: string): string {
  const name = visibleText(`${kind.replaceAll("_", " ")} ${text}`.replace(/\s+/g, " "));
  return name.length <= longestName ? name : `${name.slice(0, longestName - 1).toWellFormed()}…`;
}
