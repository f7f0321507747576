import { setOf } from "../programs/flag-lists.ts";
import { roleEffects } from "../programs/path-operands.ts";
import type {
  CommandReading,
  ProgramCall,
  ProgramEntry,
  ShellWord,
  Site,
  UnknownValue,
} from "../programs/program-entry.ts";
import { notUnderstood, plainWord } from "../programs/readings.ts";
import { argumentsOf, passers, wrappers } from "../programs/wrappers.ts";
import { split, surround } from "./expand-word.ts";
import { isForProjects, isOrdinaryName } from "./variable-names.ts";

export const commandWrappers: readonly ProgramEntry[] = [
  ...wrappers
    .filter(({ plain }) => plain)
    .map(
      (wrapper): ProgramEntry => ({
        ...argumentsOf(wrapper),
        operands: (call, place) => runBehind(call, wrapper.skip ?? 0, place),
      }),
    ),
  ...passers.map((entry) => ({ ...entry, operands: entry.names.includes("env") ? readEnvironment : readXargs })),
];

function runBehind(call: ProgramCall, skip: number, place: Site): CommandReading {
  const before = call.operands.slice(0, skip);
  const words = call.operands.slice(skip);
  if (before.some((word) => word.glob || word.unknown?.one === false)) {
    return notUnderstood(`${call.name}: some arguments are known only when it runs`);
  }
  if (words.length === 0) return notUnderstood(`${call.name} has no command`);
  return place.inner(words);
}

function readEnvironment(call: ProgramCall, place: Site): CommandReading {
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
function readXargs(call: ProgramCall, place: Site): CommandReading {
  const command = call.operands.length > 0 ? call.operands : [plainWord("echo")];
  const valuesOf = (...names: readonly string[]) =>
    call.values.filter(({ flag }) => names.includes(flag)).map(({ word }) => word.value);
  const marks = valuesOf("-I");
  const counts = valuesOf("-n", "-L", "--max-args");
  const file = call.values.find(({ role }) => role === "read")?.word;
  const lines = file === undefined ? place.inputText : undefined;
  if (lines !== undefined && !/["'\\]/.test(lines) && [...call.flags].every((flag) => together.has(flag))) {
    const words = split(lines).map((word) => ({ ...word, glob: false }));
    const apart = counts.length > 0 && words.some(({ value }) => value.startsWith("-"));
    return apart ? notUnderstood("xargs is fed what looks like a flag") : place.inner([...command, ...words]);
  }
  // Cut at another sign than the end of a line, names fall apart.
  const whole = valuesOf("-d", "--delimiter").every((sign) => sign === "\\n");
  const input: UnknownValue = (whole ? place.input : undefined) ?? { one: true };
  const [mark, second] = marks;
  if (file !== undefined) {
    const inner = place.inner([...command, { ...plainWord("", "…"), unknown: { one: false } }]);
    return { ...inner, effects: [...roleEffects("read", file, false, place), ...inner.effects] };
  }
  if (mark === undefined) {
    // With nothing coming in the command runs all the same, without words.
    const names = input.names === undefined ? {} : { names: [...new Set([...input.names, place.cwd])] };
    return place.inner([...command, { ...plainWord("", "…"), unknown: { one: false, ...names } }]);
  }
  // A later -n or -L undoes -I, and words are put behind the command again.
  if (mark === "" || second !== undefined || counts.length > 0) {
    return notUnderstood("xargs -I is written in an unusual way");
  }
  return place.inner(command.map((word) => (word.value.includes(mark) ? replaced(word, mark, input, place) : word)));
}

const together = setOf("-r --no-run-if-empty -t --verbose -n --max-args -P --max-procs");

function replaced(word: ShellWord, mark: string, input: UnknownValue, { cwd }: Site): ShellWord {
  const [before = "", ...rest] = word.value.split(mark);
  const value: UnknownValue = rest.length === 1 ? { ...input, one: true } : { one: true };
  return { ...plainWord("", word.text), unknown: surround(value, before, rest.at(-1) ?? "", cwd) };
}

const fileTests = setOf("-b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S -nt -ot -ef");
const unaryTests = new Set([...fileTests, "-z", "-n"]);
const binaryTests = setOf("= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge");

export const tests: ProgramEntry = {
  names: ["test", "["],
  verbatim: true,
  operands: readTest,
};

/** Unlike `[[`, it takes its words as they are; only `-v` and `-t` look into them. */
function readTest(call: ProgramCall, place: Site): CommandReading {
  const words = [...call.operands];
  if (call.name === "[" && words.pop()?.text !== "]") return notUnderstood("[ has no closing ]");
  const test = words.slice(words.findIndex((word) => word.value !== "!" || word.unknown !== undefined));
  if (test.some((word) => word.glob || word.unknown?.one === false)) {
    return notUnderstood("test: some arguments are known only when it runs");
  }
  const [first, second, third] = test;
  const sides = [...(third === undefined ? [] : [first]), third ?? second].filter((word) => word !== undefined);
  const operator = (third === undefined ? first : second)?.value ?? "";
  const asksTerminal = operator === "-t" && second?.unknown === undefined && /^\d$/.test(second?.value ?? "");
  const isUnary = test.length === 2 && (unaryTests.has(operator) || asksTerminal);
  const isKnown = test.length < 2 || isUnary || (test.length === 3 && binaryTests.has(operator));
  if (!isKnown) return notUnderstood(`the test ${operator} is unknown`);
  const files = test.length > 1 && fileTests.has(operator) ? sides.filter(({ unknown }) => unknown === undefined) : [];
  return { effects: files.flatMap((word) => roleEffects("list", word, false, place)), reason: "tests" };
}
