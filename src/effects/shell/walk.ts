import { clip } from "../../base/text.ts";
import type { Effect, EffectPart, UnsureWord } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";
import type { NextStep } from "../../contract/tool.ts";
import { type GivenProgram, givenPrograms, mayRunGiven } from "../../programs/given-program.ts";
import { plainForms, plainRaw, plainWord } from "../../programs/plain-forms.ts";
import { type CommandReading, type Dialect, notUnderstood, type ShellWord } from "../../programs/program-entry.ts";
import type { Brought } from "./brought.ts";
import type { Limits } from "./limited-view.ts";
import { alter, isKnown, type ShellState, someText, type Value } from "./shell-state.ts";
import type { InsideCommands, ShellNode } from "./shell-tree.ts";

/** One way through a text: what was found so far, and what is left of the limits. */
export interface Walk {
  readonly view: EffectView;
  readonly found: Found[];
  readonly limits: Limits;
  readonly depth: number;
  readonly visit: (node: ShellNode, state: ShellState, walk: Walk) => Step;
  /** Where `break` and `continue` leave the innermost loop from. */
  readonly jumps: ShellState[];
  /** Where `return` leaves the function from. */
  readonly returns: ShellState[];
  readonly dialect: Dialect;
  /** In a loop that may go round any number of times. */
  readonly repeats: boolean;
  /** Functions that are being called. */
  readonly calls: readonly string[];
  /** Standard input comes from the text: a pipe, a file, a here-document. */
  readonly fed: boolean;
  /** What standard input holds may have been downloaded by the same text. */
  readonly downloaded: boolean;
  readonly brought: Brought;
}

export interface Found {
  readonly part: EffectPart;
  readonly raisedBecause?: string;
  readonly next?: NextStep;
  readonly programs?: readonly GivenProgram[];
  readonly command?: readonly ShellWord[];
  /** A text that could not be parsed at all. */
  readonly rough?: string;
  /** What it prints and writes may have been downloaded. */
  readonly brings?: boolean;
  readonly runsDownload?: boolean;
}

/** What a command leaves behind: the shell, and what it printed, line by line. */
export interface Step {
  readonly state: ShellState;
  readonly output: Value;
  /** It cannot fail, so what follows behind `&&` is not left out. */
  readonly certain?: boolean;
}

export function step(state: ShellState, output: Value = someText): Step {
  return { state, output };
}

/** Takes as many commands off the limit. */
export function spend({ limits }: Walk, commands: number): void {
  limits.commands -= commands;
  if (limits.commands < 0) limits.reached = true;
}

/** Says whether there was that much left. */
export function spendCharacters({ limits }: Pick<Walk, "limits">, characters: number): boolean {
  limits.characters -= characters;
  if (limits.characters < 0) limits.reached = true;
  return limits.characters >= 0;
}

/** Nothing is known about what comes after it either: it may have changed the shell. */
export function stepOver(
  command: { readonly text: string; readonly why: string; readonly inside: InsideCommands },
  state: ShellState,
  walk: Walk,
): Step {
  const why = `${clip(command.text, 60)}: ${command.why}`;
  walk.found.push({ part: { text: command.text, ...notUnderstood(why) } });
  for (const { text, words, rough } of command.inside) {
    const alsoAs = plainForms(plainRaw(words, state.altered === undefined), false);
    const programs = givenPrograms(
      words.map((value) => ({ value, certain: !/[$`]|[<>]\(/.test(value) })),
      { looked: false },
    );
    const part = { text, words, ...notUnderstood(why), ...(alsoAs === undefined ? {} : { alsoAs }) };
    walk.found.push({ part, programs, ...(rough ? { rough: text } : { command: words.map(rawWord) }) });
  }
  return step(alter(state, "something that was not understood"));
}

/** A word as it is written: quotes are gone, and what would be filled in is not known. */
export function rawWord(value: string): ShellWord {
  const word = { text: value, value, glob: false, tilde: false };
  return /[$`]|[<>]\(/.test(value) ? { ...word, value: "", unknown: { one: false } } : word;
}

/** What an inner command does is its own part's, not a second time this one's. */
export function foundOf(
  command: {
    readonly text: string;
    readonly words: readonly ShellWord[];
    readonly cwd: string | undefined;
    readonly input: Value;
  },
  reading: CommandReading,
  inner: readonly Found[],
  { fed }: Pick<Walk, "fed">,
): Found {
  const { effects, reason, moves, needsSavedRule, losesWork, raisedBecause, next } = reading;
  const elsewhere = new Set(inner.flatMap(({ part }) => part.effects));
  const understood = !effects.some((effect) => effect.op === "unknown");
  const alsoAs = plainForms(command.words.map(plainWord), understood);
  const runs = effects.some(({ op }) => op === "exec" || op === "connect" || op === "unknown");
  const openEnded = command.words.some((word) => word.unknown !== undefined) || (fed && runs);
  const unsure = command.words.flatMap(unsureWord);
  const part: EffectPart = {
    text: command.text,
    effects: elsewhere.size === 0 ? effects : effects.filter((effect) => !elsewhere.has(effect)),
    reason,
    words: command.words.map((word) => (word.unknown === undefined ? word.value : word.text)),
    ...(alsoAs === undefined ? {} : { alsoAs }),
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(openEnded ? { openEnded } : {}),
    ...(unsure.length > 0 ? { unsure } : {}),
    ...(fed && !isKnown(command.input) ? { fed } : {}),
    ...(moves ? { moves } : {}),
    ...(needsSavedRule ? { needsSavedRule } : {}),
    ...(losesWork ? { losesWork } : {}),
  };
  const programs = programsOf(command.words);
  return {
    part,
    command: command.words,
    ...(programs.length === 0 ? {} : { programs }),
    ...(raisedBecause === undefined ? {} : { raisedBecause }),
    ...(next === undefined || inner.length > 0 ? {} : { next }),
  };
}

function unsureWord({ unknown }: ShellWord, at: number): readonly UnsureWord[] {
  if (unknown === undefined || unknown.number === true || unknown.commit === true) return [];
  return [{ at, one: unknown.one }];
}

function programsOf(words: readonly ShellWord[]): readonly GivenProgram[] {
  const [first] = words;
  if (first === undefined || (first.unknown === undefined && !mayRunGiven(first.value))) return [];
  const given = words.map(({ text, value, glob, unknown }) => ({
    value: unknown === undefined ? value : text,
    certain: unknown === undefined,
    glob,
  }));
  return givenPrograms(given, { looked: true });
}

export function demandSavedRule(found: Found): Found {
  return {
    ...found,
    runsDownload: true,
    part: { ...found.part, reason: "runs what it downloads", needsSavedRule: true },
  };
}

export function unknown(why: string): Effect {
  return { op: "unknown", why };
}
