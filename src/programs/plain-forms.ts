import type { PlainForm, PlainWord } from "../contract/effect.ts";
import { baseName, isSetting } from "./given-program.ts";
import type { ShellWord } from "./program-entry.ts";
import { shells } from "./runners.ts";
import {
  runsNext,
  type SubCommandEntry,
  sameProgram,
  startsBehind,
  subCommands,
  subCommandsOf,
} from "./sub-commands.ts";
import { runsBehind } from "./wrappers.ts";

const anything: PlainWord = { many: true };
/** With more readings than this, a command may be anything that its program can do. */
const mostReadings = 8;
const deepest = 3;
/** In what was not understood: with more commands than this it may be anything, and no rule names longer ones. */
const mostInside = 512;
const longestInside = 64;

export function plainWord(word: ShellWord): PlainWord {
  if (word.unknown !== undefined) return { many: !word.unknown.one };
  // `[` by itself is a program, and matches no file name.
  return word.glob && word.value !== "[" ? { many: false } : word.value;
}

/** A word that nobody looked into: quotes are gone, and what would be filled in stands as it was written. */
export function plainRaw(words: readonly string[], homeIsKnown: boolean): PlainForm {
  return words.map((word, index) => {
    const shown = homeIsKnown ? word.replace(/^\$(?:HOME|\{HOME\})(?=\/)/, "~") : word;
    if (/[$`]/.test(shown)) return anything;
    return index === 0 && /[*?{]|\[./.test(shown) ? anything : shown;
  });
}

/**
 * Other names of a command, for rules that refuse it: its program's own name, no options before the sub-command,
 * synonyms put back. `undefined` when there is none. Where it was not `understood`, every word may be the program.
 */
export function plainForms(words: PlainForm, understood: boolean): readonly PlainForm[] | undefined {
  const own = formsOf(words, 0);
  const forms = understood ? own : [...own, ...formsInside(words)];
  return forms.length === 0 ? undefined : forms;
}

/** Every command that may stand in a text, as far as it is in the table. */
export function formsInside(words: PlainForm): readonly PlainForm[] {
  const split = words.flatMap(
    (word): PlainForm =>
      typeof word === "string" ? word.split(/[\s;|&()`<>'"]+/).filter((piece) => piece !== "") : [word],
  );
  const begins = split.flatMap((word, at) => (mayBegin(split, word, at) ? [at] : []));
  if (begins.length > mostInside) return [[anything]];
  return begins.flatMap((at) =>
    typeof split[at] !== "string" && isText(split, at)
      ? [[anything]]
      : formsOf(split.slice(at, at + longestInside), deepest - 1),
  );
}

function mayBegin(words: PlainForm, word: PlainWord, at: number): boolean {
  return typeof word === "string" ? isListed(baseName(word)) : at > 0 && isBehindRunner(words, at);
}

/** `sudo -u root $command`, `sh -c $text`: between the two stand only options and their values. */
function isBehindRunner(words: PlainForm, at: number): boolean {
  for (let before = at - 1; before >= 0 && before >= at - longestInside; before -= 1) {
    const word = words[before];
    if (typeof word !== "string") continue;
    const name = baseName(word);
    if (runsBehind.has(name) || shells.has(name)) return !shells.has(name) || isText(words, at);
    const ahead = words[before - 1];
    const isValue = typeof ahead === "string" && ahead.startsWith("-");
    if (!isValue && !isSetting(word)) return false;
  }
  return false;
}

/** A single word that is read as a text of commands: `eval "$text"`, `sh -c "$text"`. */
function isText(words: PlainForm, at: number): boolean {
  const before = words[at - 1];
  return typeof before === "string" && (before === "eval" || /^-\w*c\w*$/.test(before));
}

function isListed(name: string): boolean {
  return subCommandsOf.has(folded(name)) || runsNext.has(name) || name.startsWith("git-") || isPython(name);
}

function formsOf([program, ...rest]: PlainForm, depth: number): readonly PlainForm[] {
  if (program === undefined) return [];
  if (typeof program !== "string") return ofUnknownProgram(program, rest);
  const name = baseName(program);
  if (depth > deepest) return isListed(name) ? [[anything]] : [];
  if (isPython(name)) return moduleForms(rest, depth);
  if (name.startsWith("git-")) return formsOf(["git", name.slice("git-".length), ...rest], depth + 1);
  if (runsNext.has(name)) return runForms(rest, name, depth);
  const entry = subCommandsOf.get(folded(name));
  if (entry === undefined) return [];
  if (name === "git" && setsAlias(rest)) return namesOf(name).map((one) => [one, anything]);
  return behindOptions(rest, entry).flatMap((words) => verbForms(entry, name, words, depth));
}

/** Whatever it is, its sub-commands may go by another name. */
function ofUnknownProgram(program: PlainWord, rest: PlainForm): readonly PlainForm[] {
  const [verb, ...others] = rest;
  if (typeof verb !== "string") return [[program, ...rest]];
  const verbs = new Set([verb, ...subCommands.flatMap(({ synonyms }) => own(synonyms, verb) ?? [])]);
  return [...verbs].map((one) => [program, one, ...others]);
}

function verbForms(entry: SubCommandEntry, name: string, words: PlainForm, depth: number): readonly PlainForm[] {
  const [verb, ...rest] = words;
  const plain = (form: PlainForm) => namesOf(name).map((one): PlainForm => [one, ...form]);
  if (typeof verb !== "string") return plain(words);
  const verbs = verbsOf(entry, verb);
  const forms = verbs.flatMap((one) => plain([one, ...rest]));
  const skipped = own(entry.leads, verb);
  if (skipped !== undefined) forms.push(...formsOf([name, ...rest.slice(skipped)], depth + 1));
  for (const one of verbs) {
    if (entry.runs?.includes(one)) forms.push(...runForms(rest, name, depth));
    if (one === "run" && entry.scripts !== undefined) forms.push(...behindOptions(rest, entry).flatMap(plain));
    else if (entry.scripts === "all" || entry.scripts?.includes(one)) forms.push(...plain(["run", one, ...rest]));
  }
  if (entry.targets) forms.push(...targetForms(rest).flatMap(plain));
  return forms;
}

/** `npx x`, `npm exec -- x`: as each other, and as `x` itself. */
function runForms(words: PlainForm, name: string, depth: number): readonly PlainForm[] {
  return behindOptions(words, undefined).flatMap((command): readonly PlainForm[] => {
    const alike: readonly PlainForm[] =
      name === "npm" || name === "npx"
        ? [
            ["npx", ...command],
            ["npm", "exec", ...command],
          ]
        : [[name, ...command]];
    return [...alike, command, ...formsOf(command, depth + 1)];
  });
}

function targetForms(words: PlainForm): readonly PlainForm[] {
  const targets = words.flatMap((word, at) => (typeof word === "string" && word.startsWith("-") ? [] : [at]));
  return targets.length > mostReadings ? [[anything]] : targets.map((at) => words.slice(at));
}

function moduleForms(words: PlainForm, depth: number): readonly PlainForm[] {
  const at = words.findIndex((word) => typeof word === "string" && /^-[A-Za-z]*m/.test(word));
  const flag = words[at];
  if (typeof flag !== "string") return [];
  const attached = flag.slice(flag.indexOf("m") + 1);
  const rest = words.slice(at + 1);
  const command: PlainForm = attached === "" ? rest : [attached, ...rest];
  return [command, ...formsOf(command, depth + 1)];
}

function behindOptions(words: PlainForm, entry: SubCommandEntry | undefined): readonly PlainForm[] {
  const found = startsBehind(
    words.map((word) => (typeof word === "string" ? word : undefined)),
    entry,
  );
  return found.length > mostReadings ? [[anything]] : found.map((at) => words.slice(at));
}

/** An alias of git that comes with the command, or may come with it, can be called anything. */
function setsAlias(words: PlainForm): boolean {
  return words.some((word, at) => {
    if (typeof word !== "string") return words[at - 1] === "-c";
    return /^(?:--config-env=)?(?:alias\.[^=]*|include\.path|includeif\.[^=]*)=/i.test(word);
  });
}

function verbsOf({ synonyms, abbreviated = [] }: SubCommandEntry, verb: string): readonly string[] {
  const written = verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const known = own(synonyms, written);
  if (known !== undefined) return [verb, known];
  const longer = written === "" ? [] : abbreviated.filter((name) => name.startsWith(written));
  return [...new Set([verb, ...longer.map((name) => own(synonyms, name) ?? name)])];
}

function own<T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

function namesOf(name: string): readonly string[] {
  return sameProgram.find((names) => names.includes(folded(name))) ?? [name];
}

function folded(name: string): string {
  return name.replace(/^(pip|python)[\d.]+$/, "$1");
}

function isPython(name: string): boolean {
  return folded(name) === "python" || name === "py" || name === "pypy3";
}
