import { type EffectPart, isFileEffect, type PlainForm } from "../contract/effect.ts";
import { baseName, type GivenProgram, runsInput } from "../programs/given-program.ts";
import { isInterpreter } from "../programs/interpreters.ts";
import { plainForms, plainWord } from "../programs/plain-forms.ts";
import type { ShellWord } from "../programs/program-entry.ts";
import { ownPrograms } from "../programs/programs.ts";
import { isLiteral } from "../programs/readings.ts";
import { startsBehind } from "../programs/sub-commands.ts";
import { proseFlags, type Wrapper, wrapperOf } from "../programs/wrappers.ts";
import { settleDownloads } from "./downloaded-code.ts";
import { someText } from "./expand-word.ts";
import { parseShell } from "./parse-shell.ts";
import { isInCatalogue } from "./read-command.ts";
import { freshState } from "./state.ts";
import { type FoundCommand, placeIn, rawWord, type ShellWalk, spend } from "./walk.ts";
import { commandWrappers } from "./wrappers.ts";

type Carried =
  | { readonly words: readonly ShellWord[]; readonly named: boolean }
  | { readonly text: string; readonly named: boolean };

const deepest = 3;
const mostWords = 1_000;

/**
 * Adds to each command what the commands inside it would do, as far as that would be refused: a wrapper never weakens a
 * refusal. A command that was understood runs only what the table says; in any other one every word may begin a command.
 */
export function withCarried(
  found: readonly FoundCommand[],
  { text, cwd, walk }: { readonly text: string; readonly cwd: string; readonly walk: ShellWalk },
): readonly FoundCommand[] {
  const runner = found.find((one) => isOpen(one) && runsText(one));
  const isLong = ({ command = [] }: FoundCommand) => command.length > mostWords;
  if (found.some(isLong)) return found.map((one) => refuse(one, "a command has too many words to be followed"));
  return found.map((one) => {
    const commands = [
      ...commandsIn(one, true),
      ...(one === runner ? [...roughly(text), ...found.flatMap(wordsOf)] : []),
    ];
    const carried = commands.flatMap((command) => settleDownloads(look(command, one.part.cwd ?? cwd, walk, deepest)));
    if (walk.limits.reached && commands.length > 0) return refuse(one, "it carries too many commands to be followed");
    if (carried.length === 0) return one;
    const parts = carried.map(({ part }) => part);
    const mayTouch = parts.flatMap(({ effects }) => effects.filter(isFileEffect));
    const lost = parts.find(({ needsSavedRule }) => needsSavedRule === true);
    // In a command that is not understood rules look everywhere as it is.
    const { words = [], alsoAs = [words] } = one.part;
    const forms = isOpen(one) ? {} : { alsoAs: distinct([...alsoAs, ...carried.flatMap(formsOf)]) };
    const part: EffectPart = { ...one.part, ...forms, ...(mayTouch.length === 0 ? {} : { mayTouch }) };
    return lost === undefined || part.needsSavedRule
      ? { ...one, part }
      : refuse({ ...one, part }, `${lost.text}: ${lost.reason}`);
  });
}

/** It runs its input, or a file such as `<(echo x)`: any text and any words beside it may be what it runs. */
export function runsText({ programs = [], command = [] }: FoundCommand): boolean {
  const isText = (program: GivenProgram) => runsInput(program) || (program.from === "file" && !program.word.certain);
  return programs.some(isText) || command.some(({ unknown }) => unknown?.pipe);
}

/** `… | npx tsx`: the interpreter that another program starts runs its input as well. */
export function feedsInterpreter({ fed, part: { effects, words = [] } }: FoundCommand): boolean {
  return fed === true && effects.some(({ op }) => op === "exec") && isInterpreter(baseName(words.at(-1) ?? ""));
}

function wordsOf({ command: [, ...rest] = [] }: FoundCommand): readonly Carried[] {
  return rest.flatMap((_word, at) => commandAt(rest, at));
}

function refuse(found: FoundCommand, reason: string): FoundCommand {
  return { ...found, part: { ...found.part, reason, needsSavedRule: true } };
}

function isOpen({ part }: FoundCommand): boolean {
  return part.effects.some(({ op }) => op === "unknown");
}

function distinct(forms: readonly PlainForm[]): readonly PlainForm[] {
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
}

function formsOf({ command, part }: FoundCommand): readonly PlainForm[] {
  if (command === undefined || part.words === undefined) return [];
  const words = command.map(plainWord);
  return [words, ...(plainForms(words, !isOpen({ part })) ?? [])];
}

function look(carried: Carried, cwd: string, walk: ShellWalk, left: number): readonly FoundCommand[] {
  spend(walk, 1 + ("text" in carried ? carried.text.length : carried.words.length * 20) / 200);
  if (left === 0 || walk.limits.reached) return [];
  const found: FoundCommand[] = [];
  const inner = { ...walk, found, jumps: [], input: someText };
  if ("text" in carried) walk.visit(parseShell(carried.text).root, freshState(cwd), inner);
  else placeIn(cwd, inner).inner(carried.words);
  const general = carried.named && "words" in carried;
  return [
    ...found,
    ...found.flatMap((one) => commandsIn(one, general).flatMap((next) => look(next, cwd, walk, left - 1))),
  ];
}

/** With `general`, any word of what is not understood may begin a command, and any text may be one. */
function commandsIn(found: FoundCommand, general: boolean): readonly Carried[] {
  const { command, rough } = found;
  if (rough !== undefined) return general ? roughly(rough) : [];
  const [first, ...rest] = command ?? [];
  if (command === undefined) return general && isOpen(found) ? substitutionsIn(found.part.text) : [];
  if (first === undefined) return [];
  const name = baseName(first.value);
  const open = isOpen(found);
  const own = ownPrograms.has(name);
  // These show what they run as parts of their own.
  if (!open && (own || commandWrappers.some(({ names }) => names.includes(name)) || name === "command")) return [];
  const at = rest.findIndex(({ value }) => wrapperOf(`${name} ${value}`) !== undefined);
  const form = wrapperOf(`${name} ${rest[at]?.value}`);
  const entry = wrapperOf(name);
  const named = [...(form ? commandsOf(form, rest.slice(at + 1)) : []), ...(entry ? commandsOf(entry, rest) : [])];
  if (!open) return named;
  // Whatever directory it is in, and whatever stands in front of it.
  const known = command.filter(({ unknown }) => unknown === undefined);
  const whole: Carried = { words: known.map((word) => (word === first ? rawWord(name) : word)), named: false };
  if (!general) return [whole, ...named];
  const behind = rest.flatMap((word, at): readonly Carried[] => {
    const prose = proseFlags.has(rest[at - 1]?.value ?? "") || proseFlags.has(word.value.split("=")[0] ?? "");
    return own || prose ? commandAt(rest, at) : [...commandAt(rest, at), ...textsIn(word.value, false)];
  });
  return [whole, ...named, ...(own && !form && !entry ? [] : behind)];
}

function commandAt(words: readonly ShellWord[], at: number): readonly Carried[] {
  const word = words[at];
  return word && isLiteral(word) && !word.tilde && isInCatalogue(word.value)
    ? [{ words: words.slice(at), named: false }]
    : [];
}

function roughly(text: string): readonly Carried[] {
  const texts = [/[\n;&|]+/, /[\n;&|'"`(){}]+/].flatMap((ends) => text.split(ends));
  return [...new Set(texts)].flatMap((one) => textsIn(one, false));
}

/** In a stretch of text that was not understood, such as a calculation. */
function substitutionsIn(text: string): readonly Carried[] {
  const found = text.matchAll(/\$\((?!\()([^()]+)\)|`([^`]+)`/g);
  return Array.from(found, ([, a, b]) => ({ text: a ?? b ?? "", named: false }));
}

function commandsOf(entry: Wrapper, words: readonly ShellWord[]): readonly Carried[] {
  const { carries = [], only, texts } = entry;
  const given = words.flatMap(({ value }, at) =>
    carries.flatMap((flag): readonly Carried[] => {
      const attached = behindFlag(flag, value);
      return attached === undefined ? [] : textsIn(attached || (words[at + 1]?.value ?? ""), true);
    }),
  );
  if (texts) return [...given, ...words.flatMap(({ value }) => textsIn(value, true))];
  if (only) return given;
  const values = words.map(({ value }) => value);
  const starts = startsBehind(values, entry)
    .slice(0, 9)
    .map((at) => at + (entry.skip ?? 0));
  return [
    ...given,
    ...starts.flatMap((at) => [{ words: words.slice(at), named: true }, ...textsIn(words[at]?.value ?? "", true)]),
  ];
}

/** `-oX`, `-voX`, `+X` and `--flag=X`; empty when the value is the next word. */
function behindFlag(flag: string, word: string): string | undefined {
  if (word === flag) return "";
  if (word.startsWith(flag === "+" ? flag : `${flag}=`)) return word.slice(flag.length).replace(/^=/, "");
  const at = /^-\w$/.test(flag) && /^-\w/.test(word) ? word.indexOf(flag.slice(1), 1) : -1;
  return at < 0 ? undefined : word.slice(at + 1);
}

/** What editors, debuggers and options put in front of a command: `:!`, `shell `, `exec=`, `ProxyCommand `. */
const leadIn =
  /^(?:[:!+@|^\\{\s]|\/[^/]*\/|\.(?=shell|system)|ext::|(?:EXEC|SYSTEM|SHELL):|-\w+\s|(?:silent|shell|system|platform|spawn|term(?:inal)?|r|do|then|else|\d*\s*e|exec|run|alias\.\w+|[A-Z]\w*Command)(?:[=!]+|\s+|$))+/;

const inside = /(?<=")[^"\\]+(?=\\*")|(?<=')[^'\\]+(?=\\*')|(?<=\()[^()"']+(?=\))|(?<=[/|,#])[^/|,#]+(?=[/|,#]\w*e\b)/g;

/** The texts in a word that may be commands: all of it, what stands behind `=`, and what stands in quotes. */
function textsIn(word: string, named: boolean): readonly Carried[] {
  const value = /^(?:[\w.:+-]+=)+([^$`].*)$/s.exec(word)?.[1];
  const texts = [word, ...(value === undefined ? [] : [value]), ...(word.match(inside) ?? [])];
  const listed = named && !/\s/.test(word) ? [word.replaceAll(",", " ")] : [];
  return [...new Set([...texts.map((text) => text.replace(leadIn, "")), ...listed])]
    .filter((text) => /[\s;|&`<>(]/.test(text.trim()))
    .map((text) => ({ text, named }));
}
