import type { Effect } from "../contract/effect.ts";
import { pathEffect, roleEffects } from "../programs/path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "../programs/program-entry.ts";
import { isKnown, type ShellValue } from "./expand-word.ts";

const list = (operators: string): ReadonlySet<string> => new Set(operators.split(" "));

/** They look at a file and print nothing. `-v` is left out: it calculates what it is given. */
export const fileTests = list("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S -nt -ot -ef");
export const textTests = list("-z -n = == != < >");
export const comparisons = list("-eq -ne -lt -le -gt -ge");

/** Is this descriptor a terminal? It calculates what it is given, so that must be a number already. */
export const terminalTest = "-t";

const unary = list("-b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S -z -n");
const binary = list("= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge");

/** That something is there is no content: a name that is not certain may be tested. */
export function fileEffects(value: ShellValue, place: Place): readonly Effect[] {
  if (!isKnown(value)) return [];
  if (value.text === "") return [];
  return [pathEffect("list", { text: value.text, value: value.text, glob: false, tilde: false }, "file", place)];
}

export const tests: ProgramEntry = {
  names: ["test", "["],
  verbatim: true,
  operands: readTest,
};

/** Unlike `[[`, it takes its words as they are; only `-v` and `-t` look into them. */
function readTest(call: ProgramCall, place: Place): CommandReading {
  const words = [...call.operands];
  if (call.name === "[" && words.pop()?.text !== "]") return notUnderstood("[ lacks its ]");
  const groups = words.reduce<ShellWord[][]>(
    (found, word) => {
      if (/^-[ao]$/.test(word.value) && found.at(-1)?.length !== 0) found.push([]);
      else found.at(-1)?.push(word);
      return found;
    },
    [[]],
  );
  const several = groups.length > 1;
  const effects: Effect[] = [];
  for (const group of groups) {
    const test = group.slice(group.findIndex((word) => word.value !== "!" || word.unknown !== undefined));
    if (test.some((word) => word.glob || word.unknown?.one === false || (several && word.unknown !== undefined))) {
      return notUnderstood("a test with words that are not certain");
    }
    const [first, second, third] = test;
    const sides = third === undefined ? [second] : [first, third];
    const operator = (third === undefined ? first : second)?.value ?? "";
    const asksTerminal = operator === terminalTest && second?.unknown === undefined && /^\d$/.test(second?.value ?? "");
    const known = test.length === 2 ? unary.has(operator) || asksTerminal : test.length === 3 && binary.has(operator);
    if (test.length > 1 && !known) return notUnderstood(`the test ${operator} is not in the tables`);
    if (test.length > 1 && fileTests.has(operator)) {
      for (const word of sides)
        if (word !== undefined && word.unknown === undefined) effects.push(...roleEffects("list", word, false, place));
    }
  }
  return { effects, reason: "tests" };
}
