import { flags, text } from "../programs/flag-lists.ts";
import { roleEffects } from "../programs/path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
  type UnknownValue,
} from "../programs/program-entry.ts";
import { runs } from "../programs/readings.ts";
import { wrappers } from "../programs/wrappers.ts";
import { surround } from "./expand-word.ts";
import { isForProjects, isOrdinaryName } from "./variable-names.ts";

/** Programs that run the command behind them and add nothing to what it does. */
export const commandWrappers: readonly ProgramEntry[] = [
  ...wrappers
    .filter(({ plain }) => plain)
    .map(
      ({ names, flags: plain = [], values = [], count = false, skip = 0 }): ProgramEntry => ({
        names,
        flags: plain,
        values: Object.fromEntries(values.map((flag) => [flag, "text"])),
        count,
        flagsFirst: true,
        operands: (call, place) => runBehind(call, skip, place),
      }),
    ),
  {
    names: ["env"],
    flags: flags("i0", "ignore-environment null"),
    values: text("-u --unset"),
    flagsFirst: true,
    operands: readEnvironment,
  },
  {
    names: ["xargs"],
    flags: flags("0rtx", "null no-run-if-empty verbose exit"),
    values: {
      ...text("-n -P -L -I -d -s --max-args --max-procs --delimiter --max-chars"),
      "-a": "read",
      "--arg-file": "read",
    },
    flagsFirst: true,
    operands: readXargs,
  },
];

function runBehind(call: ProgramCall, skip: number, place: Place): CommandReading {
  const before = call.operands.slice(0, skip);
  const words = call.operands.slice(skip);
  if (before.some((word) => word.glob || word.unknown?.one === false)) {
    return notUnderstood(`${call.name} with words that are not certain`);
  }
  if (words.length === 0) return notUnderstood(`${call.name} lacks its command`);
  return place.inner(words);
}

function readEnvironment(call: ProgramCall, place: Place): CommandReading {
  const first = call.operands.findIndex((word) => word.unknown !== undefined || !/^[A-Za-z_]\w*=/.test(word.value));
  const given = first < 0 ? call.operands : call.operands.slice(0, first);
  const words = first < 0 ? [] : call.operands.slice(first);
  const odd = given.find((word) => word.glob || !mayBeGiven(word.value));
  const prints = words.length === 0;
  const inner = prints ? { effects: [], reason: "env prints the environment" } : place.inner(words);
  const why = odd !== undefined ? `env gives ${odd.text}` : prints ? undefined : withheld(call);
  if (why === undefined) return inner;
  return { ...notUnderstood(why), effects: [{ op: "unknown", why }, ...inner.effects] };
}

/** Variables of the sandbox keep programs from what a repository would have them run: without them they do it. */
function withheld({ flags: given, values }: ProgramCall): string | undefined {
  if (given.has("-i") || given.has("--ignore-environment")) return "env takes every variable away";
  const taken = values.find(({ word }) => !(isOrdinaryName(word.value) || isForProjects(word.value, "")));
  return taken === undefined ? undefined : `env takes ${taken.word.text} away`;
}

function mayBeGiven(assignment: string): boolean {
  const [name = "", ...value] = assignment.split("=");
  return isForProjects(name, value.join("="));
}

/** What comes in becomes the last words of the command, or with `-I` stands where the command says. */
function readXargs(call: ProgramCall, place: Place): CommandReading {
  const command: readonly ShellWord[] =
    call.operands.length > 0 ? call.operands : [{ text: "echo", value: "echo", glob: false, tilde: false }];
  const valuesOf = (...names: readonly string[]) =>
    call.values.filter(({ flag }) => names.includes(flag)).map(({ word }) => word.value);
  const marks = valuesOf("-I");
  const mark = marks.at(-1);
  // Cut at another sign than the end of a line, names fall apart.
  const whole = valuesOf("-d", "--delimiter").every((sign) => sign === "\\n");
  const input = whole ? (place.input ?? { one: true }) : { one: true };
  const file = call.values.findLast(({ flag }) => flag === "-a" || flag === "--arg-file")?.word;
  if (file !== undefined) {
    const read = roleEffects("read", file, false, place);
    const given = { ...call, values: call.values.filter(({ word }) => word !== file) };
    const inner = readXargs(given, { ...withoutInput(place), input: { one: true } });
    return { ...inner, effects: [...read, ...inner.effects] };
  }
  const lines = place.inputText;
  const together = [...call.flags].every((flag) => inTurn.has(flag));
  if (together && lines !== undefined && !/["'\\]/.test(lines)) {
    return runInTurn(command, wordsOf(lines), Number(valuesOf("-n", "--max-args").at(-1) ?? Number.NaN), place);
  }
  if (mark === undefined) {
    if (input.names !== undefined && changesInPlace(command)) return changeInPlace(call, command, input, place);
    return place.inner([...command, { ...blank, text: "…", unknown: { ...severalOf(input, place) } }]);
  }
  // A later -n or -L undoes -I, and words are put behind the command again.
  if (mark === "" || marks.length > 1 || valuesOf("-n", "-L", "--max-args").length > 0)
    return notUnderstood("xargs -I is written in an unusual way");
  return place.inner(command.map((word) => (word.value.includes(mark) ? replaced(word, mark, input, place) : word)));
}

/** Flags under which the words that come in are put behind the command, all of them or so many at a time. */
const inTurn: ReadonlySet<string> = new Set(
  "-r --no-run-if-empty -t --verbose -n --max-args -P --max-procs".split(" "),
);
const mostRuns = 64;

function runInTurn(
  command: readonly ShellWord[],
  words: readonly ShellWord[],
  count: number,
  place: Place,
): CommandReading {
  const size = Number.isNaN(count) ? Math.max(words.length, 1) : count;
  if (!(Number.isInteger(size) && size > 0) || words.length > size * mostRuns) {
    return notUnderstood("xargs runs it too often to be followed");
  }
  const starts = Array.from({ length: Math.max(Math.ceil(words.length / size), 1) }, (_none, index) => index * size);
  const readings = starts.map((start) => place.inner([...command, ...words.slice(start, start + size)]));
  const [first, ...others] = readings;
  if (first === undefined || others.length === 0) return first ?? notUnderstood("xargs runs nothing");
  return { ...Object.assign({}, ...others, first), effects: readings.flatMap((reading) => reading.effects) };
}

function withoutInput({ inputText: _text, ...place }: Place): Place {
  return place;
}

function changesInPlace([program, ...words]: readonly ShellWord[]): boolean {
  return program?.value === "sed" && words.some(({ value }) => /^(?:-[nErsuzb]*i|--in-place)/.test(value));
}

/** A name with blanks in it falls apart and may be a flag: whoever made the name has a say in what is run. */
function changeInPlace(
  call: ProgramCall,
  command: readonly ShellWord[],
  { names = [] }: UnknownValue,
  place: Place,
): CommandReading {
  const inner = place.inner([...command, { ...blank, text: "…", unknown: { one: false, names, plain: true } }]);
  return { ...inner, effects: [...inner.effects, ...runs(call).effects] };
}

function wordsOf(lines: string): readonly ShellWord[] {
  const words = lines.split(/[ \t\n]+/).filter((word) => word !== "");
  return words.map((value) => ({ text: value, value, glob: false, tilde: false }));
}

const blank: ShellWord = { text: "", value: "", glob: false, tilde: false };

/** With nothing coming in the command runs all the same, without words. */
function severalOf({ names }: UnknownValue, { cwd }: Place): UnknownValue {
  return names === undefined ? { one: false } : { one: false, names: [...new Set([...names, cwd])] };
}

/** Every line is one word, blanks and all. */
function replaced(word: ShellWord, mark: string, input: UnknownValue, { cwd }: Place): ShellWord {
  const [before = "", ...rest] = word.value.split(mark);
  const value: UnknownValue = rest.length === 1 ? { ...input, one: true } : { one: true };
  return { ...blank, text: word.text, unknown: surround(value, before, rest.at(-1) ?? "", cwd) };
}
