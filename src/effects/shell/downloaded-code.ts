import type { EffectPart } from "../../contract/effect.ts";
import type { Opaque } from "./shell-tree.ts";
import { downloaders, wrappers } from "./tables/network.ts";
import { interpreters } from "./tables/runners.ts";

/** `curl … | sh`: something fetched is fed to something that runs what it is fed. */
export function pipesDownload(stages: readonly (readonly EffectPart[])[]): boolean {
  const fetched = stages.findIndex((parts) => parts.some(downloads));
  return fetched >= 0 && stages.slice(fetched + 1).some((parts) => parts.some(runsItsInput));
}

/** `sh -c "$(curl …)"`, `bash <(curl …)`: both were seen inside something that was not understood. */
export function substitutesDownload({ inside }: Opaque): boolean {
  return (
    inside.some(({ words }) => downloaders.has(programOf(words))) &&
    inside.some(({ words }) => interpreters.has(programOf(words)))
  );
}

/** The same for a command whose words are known, and what was substituted into it. */
export function runsSubstituted(words: readonly string[], substituted: readonly EffectPart[]): boolean {
  return interpreters.has(programOf(words)) && substituted.some(downloads);
}

function downloads({ words }: EffectPart): boolean {
  return words !== undefined && downloaders.has(programOf(words));
}

function runsItsInput({ words }: EffectPart): boolean {
  if (words === undefined || !interpreters.has(programOf(words))) return false;
  const own = words.slice(words.findIndex((word) => interpreters.has(baseName(word))) + 1);
  // With a program of its own (`python -m json.tool`, `node -e …`) the input is data.
  return !own.some((word) => /^-[cemp]$/.test(word)) && own.every((word) => word.startsWith("-"));
}

/** The program behind wrappers such as `sudo -u x` and `env A=b`. */
function programOf(words: readonly string[]): string {
  const found = words.find((word) => !wrappers.has(baseName(word)) && !/^-|=|^\d/.test(word));
  return baseName(found ?? "");
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
