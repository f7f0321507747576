import { isFileEffect } from "../contract/effect.ts";
import { repositoryRoot } from "../programs/git/find-repository.ts";
import { picksSecrets } from "../programs/picks-secrets.ts";
import type { CommandReading, Place, ShellWord } from "../programs/program-entry.ts";
import { isKnown, someCommit, someCount, someText, type Value } from "./expand-word.ts";

const list = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const neverTake = list(
  ": true false echo printf pwd test [ cd pushd popd export local declare typeset set shopt break continue return shift hash umask ulimit wait jobs",
);
const takeWhenTold = list(
  "ls basename dirname stat du df tree find sleep seq uname whoami id groups which type realpath readlink nproc printenv date",
);
const takeWithoutFile = list(
  "cat head tail grep egrep fgrep sed awk wc sort uniq cut nl tac od xxd hexdump md5sum sha1sum sha256sum file jq diff cmp comm",
);
/** They read to the end: where a word vanishes and they read the input after all, nothing is left of it. */
const takeAll = list("cat wc sort tac md5sum sha1sum sha256sum");
const gitNeverTakes = list(
  "log show diff status branch blame ls-files ls-tree rev-parse rev-list describe tag remote merge-base grep",
);

/**
 * May the command take a part of its standard input? What is left then begins anywhere, and nobody knows what it
 * holds.
 */
export function mayTakeInput(words: readonly ShellWord[], { effects }: CommandReading): boolean {
  const name = words[0]?.value ?? "";
  if (neverTake.has(name)) return false;
  if (words.some(namesInput)) return true;
  if (name === "git") return !gitNeverTakes.has(words[1]?.value ?? "");
  if (takeWhenTold.has(name)) return words.some(({ value }) => /^-(?:exec|ok)/.test(value));
  if (!takeWithoutFile.has(name) || !effects.some(({ op }) => op === "read")) return true;
  return !takeAll.has(name) && words.some((word) => word.glob || word.unknown?.one === false);
}

/** `-`, a list of names or patterns in a file, a file that is no operand: `-f -`, `--files0-from=-`, `--slurpfile`. */
function namesInput({ value, unknown }: ShellWord): boolean {
  if (unknown !== undefined) return unknown.plain !== true && unknown.names === undefined && unknown.number !== true;
  return /^-$|^(?:-[a-zA-Z]+|-.*=)?\/(?:dev|proc)\/|^-[a-zA-Z]*f|^--(?:f|slurpfile|rawfile|argfile|stdin|batch|pathspec)/.test(
    value,
  );
}

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
