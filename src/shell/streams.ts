import { isFileEffect } from "../contract/effect.ts";
import { repositoryRoot } from "../programs/git/find-repository.ts";
import { picksSecrets } from "../programs/picks-secrets.ts";
import type { CommandReading, Place, ShellWord } from "../programs/program-entry.ts";
import { isLiteral } from "../programs/readings.ts";
import { isKnown, type ShellValue, someCount, someText } from "./expand-word.ts";

/** What a command prints, as far as `xargs` or `$(…)` behind it may take words from it. */
export function outputOf(
  reading: CommandReading,
  words: readonly ShellWord[],
  input: ShellValue,
  place: Place,
): ShellValue {
  if (reading.effects.some((effect) => effect.op === "unknown")) return someText;
  const line = words.map((word) => (isLiteral(word) && !word.tilde ? word.value : "\0")).join(" ");
  if (line === "pwd") return { text: place.cwd };
  if (/^echo [\w./@%+:,=][\w./@%+:,= -]*$/.test(line)) return { text: line.slice("echo ".length) };
  if (line === "git rev-parse --show-toplevel") {
    const root = repositoryRoot(place);
    return root === undefined ? someText : { text: root };
  }
  if (/^(?:wc -[lwcm]|nproc|id -[ug]|date \+%s)$/.test(line)) return someCount;
  // Some of the lines of a text are another text.
  if (reading.output === "input") return isKnown(input) ? someText : input;
  if (reading.output !== "names" || picksSecrets(words)) return someText;
  // A listing prints bare names: where they are used they stand for entries of the working directory.
  const here = words[0]?.value === "ls" ? [place.cwd] : [];
  const names = [...here, ...reading.effects.flatMap((effect) => (isFileEffect(effect) ? [effect.path.resolved] : []))];
  // `$(…)` drops the NUL between two names, and they become one.
  const flag = words[0]?.value === "find" ? /^-print0$/ : /^-[a-zA-Z]*[0zZ][a-zA-Z]*$|^--(?:null|zero|print0)$/;
  const endsWithNul = words.slice(1).some(({ value }) => flag.test(value));
  return { one: true, names: [...new Set(names)], from: place.cwd, ...(endsWithNul && { separator: "nul" }) };
}
