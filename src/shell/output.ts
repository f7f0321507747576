import { isFileEffect } from "../contract/effect.ts";
import { repositoryRoot } from "../programs/git/find-repository.ts";
import { picksSecrets } from "../programs/picks-secrets.ts";
import type { CommandReading, Place, ShellWord } from "../programs/program-entry.ts";
import { isKnown, someCommit, someCount, someText, type Value } from "./expand-word.ts";

export function outputOf(reading: CommandReading, words: readonly ShellWord[], input: Value, place: Place): Value {
  if (reading.effects.some((effect) => effect.op === "unknown")) return someText;
  const line = words.map((word) => literal(word) ?? "\0").join(" ");
  if (line === "pwd") return { text: place.cwd };
  if (/^echo [\w./@%+:,=][\w./@%+:,= -]*$/.test(line)) return { text: line.slice("echo ".length) };
  if (line === "git rev-parse --show-toplevel") {
    const root = repositoryRoot(place);
    return root === undefined ? someText : { text: root };
  }
  if (commits.test(line)) return someCommit;
  if (/^(?:wc -[lwcm]|nproc|id -[ug]|date \+%s)$/.test(line)) return someCount;
  const [, first = "1", last] = /^seq (?:(\d{1,6}) )?(\d{1,6})$/.exec(line) ?? [];
  if (last !== undefined) return counted(Number(first), Number(last));
  // Some of the lines of a text are another text.
  if (reading.output === "input") return isKnown(input) ? someText : input;
  if (reading.output !== "names" || picksSecrets(words)) return someText;
  // A listing prints bare names: where they are used they stand for entries of the working directory.
  const here = words[0]?.value === "ls" ? [place.cwd] : [];
  const names = [...here, ...reading.effects.flatMap((effect) => (isFileEffect(effect) ? [effect.path.resolved] : []))];
  return { one: true, names: [...new Set(names)], from: place.cwd, ...(endsWithNul(words) && { separator: "nul" }) };
}

const commits =
  /^git (?:merge-base(?: [\w./~^][\w./~^-]*){2}|rev-parse(?: --short)? (?:HEAD|@)(?:[~^]\d*)*|rev-parse --abbrev-ref HEAD|branch --show-current|describe --tags --abbrev=0|log(?: (?:-\d+|-n \d+|--no-merges|--reverse|[\w./~^][\w./~^-]*))* --(?:format=|pretty=format:)%[hH](?: (?:-\d+|-n \d+|--no-merges|--reverse|[\w./~^][\w./~^-]*))*(?: --(?: [\w./][\w./-]*)+)?)$/;

function counted(first: number, last: number): Value {
  if (last < first || last - first > 15) return someCount;
  return { text: Array.from({ length: last - first + 1 }, (_none, index) => first + index).join("\n") };
}

function endsWithNul([name, ...words]: readonly ShellWord[]): boolean {
  const flag = name?.value === "find" ? /^-print0$/ : /^-[a-zA-Z]*[0zZ][a-zA-Z]*$|^--(?:null|zero|print0)$/;
  return words.some(({ value }) => flag.test(value));
}

function literal(word: ShellWord): string | undefined {
  return word.unknown === undefined && !word.glob && !word.tilde ? word.value : undefined;
}
