import { isFileEffect } from "../contract/effect.ts";
import { repositoryRoot } from "./git/find-repository.ts";
import { picksSecrets } from "./match-pattern.ts";
import type { CommandReading, ShellWord, Site, UnknownValue } from "./program-entry.ts";

/** It never begins with a dash. */
export const someCount: UnknownValue = { one: true, number: true, plain: true };

/** What a command prints, as far as `xargs` or `$(…)` behind it may take words from it. */
export function printedBy(
  reading: CommandReading,
  words: readonly ShellWord[],
  place: Site,
): UnknownValue | { readonly text: string } | undefined {
  const line = words
    .map((word) => (word.unknown === undefined && !word.glob && !word.tilde ? word.value : "\0"))
    .join(" ");
  if (line === "pwd") return { text: place.cwd };
  if (/^echo [\w./@%+:,=][\w./@%+:,= -]*$/.test(line)) return { text: line.slice("echo ".length) };
  if (line === "git rev-parse --show-toplevel") {
    const root = repositoryRoot(place);
    return root === undefined ? undefined : { text: root };
  }
  if (/^(?:wc -[lwcm]|nproc|id -[ug]|date \+%s)$/.test(line)) return someCount;
  if (reading.output !== "names" || picksSecrets(words)) return undefined;
  // A listing prints bare names: where they are used they stand for entries of the working directory.
  const here = words[0]?.value === "ls" ? [place.cwd] : [];
  const names = [...here, ...reading.effects.flatMap((effect) => (isFileEffect(effect) ? [effect.path.resolved] : []))];
  // `$(…)` drops the NUL between two names, and they become one.
  const flag = words[0]?.value === "find" ? /^-print0$/ : /^-[a-zA-Z]*[0zZ][a-zA-Z]*$|^--(?:null|zero|print0)$/;
  const endsWithNul = words.slice(1).some(({ value }) => flag.test(value));
  return { one: true, names: [...new Set(names)], from: place.cwd, ...(endsWithNul && { separator: "nul" }) };
}
