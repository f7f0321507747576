import { basename, dirname } from "node:path/posix";
import { type Effect, isFileEffect } from "../../contract/effect.ts";
import { repositoryRoot } from "../../programs/git/read-git.ts";
import { picksSecrets } from "../../programs/picks-secrets.ts";
import type { CommandReading, ShellWord } from "../../programs/program-entry.ts";
import { placeIn } from "./place.ts";
import { isKnown, type ShellState, someCommit, someCount, someText, type Value } from "./shell-state.ts";
import type { Walk } from "./walk.ts";

/** What a command prints, as far as its words and its entry in the tables tell. */
export function outputOf(reading: CommandReading, words: readonly ShellWord[], state: ShellState, walk: Walk): Value {
  if (state.altered !== undefined || reading.effects.some((effect) => effect.op === "unknown")) return someText;
  const text = printed(words, state, walk);
  if (text !== undefined) return { text };
  if (printsNumber(words)) return someCount;
  if (printsCommits(words)) return someCommit;
  // Some of the lines of a text are another text.
  if (reading.output === "input") return isKnown(state.input) ? someText : state.input;
  if (reading.output !== "names" || picksSecrets(words)) return someText;
  // A listing prints bare names: where they are used they stand for entries of the working directory.
  const here = words[0]?.value === "ls" ? state.directories : [];
  const names = [...new Set([...here, ...reading.effects.flatMap(pathOf)])];
  return { one: true, names, ...(endsWithNul(words) ? { separator: "nul" } : {}) };
}

function endsWithNul([name, ...words]: readonly ShellWord[]): boolean {
  const flag = name?.value === "find" ? /^-print0$/ : /^-[a-zA-Z]*[0zZ][a-zA-Z]*$|^--(?:null|zero|print0)$/;
  return words.some(({ value }) => flag.test(value));
}

function pathOf(effect: Effect): readonly string[] {
  return isFileEffect(effect) ? [effect.path.resolved] : [];
}

/** Commands whose output follows from their words alone. */
function printed(words: readonly ShellWord[], state: ShellState, walk: Walk): string | undefined {
  const [name, first, second, third] = words.map(literal);
  const [cwd, otherwise] = state.directories;
  if (cwd === undefined || otherwise !== undefined) return undefined;
  const count = words.length;
  if (name === "pwd" && (count === 1 || (count === 2 && first === "-P"))) return state.linked ? undefined : cwd;
  if (name === "echo") return echoed(words);
  if (name === "seq") return counted(words);
  if (name === "cat" && count === 1 && isKnown(state.input)) return state.input.text;
  if (name === "dirname" && count === 2 && isName(first)) return dirname(first);
  if (name === "basename" && count === 2 && isName(first)) return basename(first);
  if (name === "basename" && count === 3 && isName(first) && isName(second)) {
    // A name that is all suffix keeps it.
    return basename(first) === second ? second : basename(first, second);
  }
  if (name === "git" && count === 3 && first === "rev-parse" && second === "--show-toplevel" && third === undefined) {
    return repositoryRoot(placeIn(cwd, state, walk));
  }
  return undefined;
}

function echoed([, ...words]: readonly ShellWord[]): string | undefined {
  const texts = words.map(literal);
  const plain = texts.every((text) => text !== undefined && !text.includes("\\")) && !texts[0]?.startsWith("-");
  return plain ? texts.join(" ") : undefined;
}

function counted([, ...words]: readonly ShellWord[]): string | undefined {
  const numbers = words.map((word) => Number(/^\d{1,6}$/.exec(literal(word) ?? "")?.[0] ?? Number.NaN));
  const [first = Number.NaN, last = Number.NaN] = numbers.length === 1 ? [1, ...numbers] : numbers;
  const count = last - first + 1;
  if (numbers.length > 2 || !(count > 0 && count <= 64)) return undefined;
  return Array.from({ length: count }, (_none, index) => first + index).join("\n");
}

/** Whole numbers and nothing else. */
function printsNumber(words: readonly ShellWord[]): boolean {
  const line = words.map((word) => literal(word) ?? "?").join(" ");
  return (
    /^(?:wc -[lwcm]|id -[ug]|nproc|date \+%[sY]|git rev-list --count(?: [\w./^~-]+)+|grep -c [^-].*)$/.test(line) &&
    !(line.startsWith("grep") && words.length !== 3)
  );
}

const commitsOnly =
  /^(?:merge-base(?: [\w./~^-]+){2}|rev-parse(?: --short)? (?:HEAD|@)(?:[~^]\d*)*|rev-parse --abbrev-ref HEAD|branch --show-current|describe --tags --abbrev=0)$/;
const hashesOnly =
  /^log(?: (?:--format=%[hH]|--pretty=format:%[hH]|-\d+|-n \d+|--no-merges|--reverse|--all|(?:[\w./~^][\w./~^-]*)))*(?: --(?: [^ -]\S*)+)?$/;

/** Names of commits, one a line, and nothing else. */
function printsCommits([name, ...words]: readonly ShellWord[]): boolean {
  if (name?.value !== "git") return false;
  const line = words.map((word) => literal(word) ?? "\0").join(" ");
  return commitsOnly.test(line) || (hashesOnly.test(line) && /=format:%|=%/.test(line));
}

function isName(value: string | undefined): value is string {
  return value !== undefined && /^[^-].*[^/]$|^[^-/]$/.test(value);
}

function literal(word: ShellWord): string | undefined {
  return word.unknown === undefined && !word.glob && !word.tilde ? word.value : undefined;
}
