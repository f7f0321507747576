import { basename } from "node:path/posix";
import { clip } from "../base/text.ts";
import { fail, type Outcome } from "../contract/codes.ts";
import type { EffectPart, PathRef } from "../contract/effect.ts";
import type { EffectView } from "../contract/ports.ts";
import type { NextStep } from "../contract/tool.ts";
import { type GivenProgram, givenPrograms } from "../programs/given-program.ts";
import { picksSecrets } from "../programs/match-pattern.ts";
import { someCount } from "../programs/outputs.ts";
import { plainWord as plainForm, plainForms, plainRaw } from "../programs/plain-forms.ts";
import type { CommandReading, Dialect, ShellWord, Site } from "../programs/program-entry.ts";
import { notUnderstood, plainWord } from "../programs/readings.ts";
import { wrapperOf } from "../programs/wrappers.ts";
import { isKnown, type ShellValue, someText, type WordContext } from "./expand-word.ts";
import { parseShell } from "./parse-shell.ts";
import { readCommand } from "./read-command.ts";
import { alter, freshState, type ShellState } from "./state.ts";
import type { InsideCommands, ShellNode, Substitution, WordTemplate } from "./tree.ts";
import { namesSecret } from "./variable-names.ts";

export interface ShellWalk {
  readonly view: EffectView;
  readonly found: FoundCommand[];
  readonly limits: WalkLimits;
  readonly depth: number;
  readonly visit: (node: ShellNode, state: ShellState, walk: ShellWalk) => ShellStep;
  /** Where `break` and `continue` leave the innermost loop from. */
  readonly jumps: ShellState[];
  readonly repeats: boolean;
  readonly input: ShellValue;
  /** Standard input comes from the text: a pipe, a file, a here-document. */
  readonly fed: boolean;
}

export interface FoundCommand {
  readonly part: EffectPart;
  readonly raisedBecause?: string;
  readonly next?: NextStep;
  readonly programs?: readonly GivenProgram[];
  readonly command?: readonly ShellWord[];
  readonly rough?: string;
  readonly fed?: boolean;
}

export interface ShellStep {
  readonly state: ShellState;
  /** The state where it failed; absent when it cannot fail. */
  readonly failed?: ShellState;
  readonly output: ShellValue;
}

export function step(state: ShellState, output: ShellValue = someText): ShellStep {
  return { state, failed: state, output };
}

/** What may be spent on one text. Once they are `reached`, nothing of the text is understood. */
export interface WalkLimits {
  commands: number;
  /** Paths that are followed, and names of directories that are looked through. */
  looks: number;
  reached: boolean;
}

export function spend({ limits }: ShellWalk, commands: number): void {
  limits.commands -= commands;
  if (limits.commands < 0) limits.reached = true;
}

/** The same view, which looks at every path once and stops looking when the limits are reached. */
export function limitedView(view: EffectView, limits: WalkLimits): EffectView {
  const followed = new Map<string, Outcome<PathRef>>();
  const look = (count: number) => {
    limits.looks -= count;
    if (limits.looks < 0) limits.reached = true;
    return !limits.reached;
  };
  const resolve = (written: string, from?: string): Outcome<PathRef> => {
    const key = `${from ?? ""}\0${written}`;
    const known = followed.get(key);
    if (known !== undefined) return known;
    if (!look(10)) return fail("runtime_precondition_failed", "there are too many paths to examine");
    const found = view.resolve(written, from);
    followed.set(key, found);
    return found;
  };
  const { entries: list } = view;
  if (list === undefined) return { ...view, resolve };
  const entries = (directory: string) => {
    const found = limits.reached ? [] : list(directory);
    return look(found.length + 1) ? found : [];
  };
  return { ...view, resolve, entries };
}

/** Nothing is known about what comes after it either: it may have changed the shell. */
export function stepOver(
  command: { readonly text: string; readonly why: string; readonly inside: InsideCommands },
  state: ShellState,
  walk: ShellWalk,
): ShellStep {
  const why = `${clip(command.text, 60)}: ${command.why}`;
  walk.found.push({ part: { text: command.text, ...notUnderstood(why) }, fed: walk.fed });
  for (const { text, words, rough } of command.inside) {
    const alsoAs = plainForms(plainRaw(words, state.altered === undefined), false);
    const programs = givenPrograms(words.map((value) => ({ value, certain: !isFilledIn(value) })));
    const part = { text, words, ...notUnderstood(why), alsoAs };
    const found = { part, programs, fed: true };
    walk.found.push(rough ? { ...found, rough: text } : { ...found, command: words.map(rawWord) });
  }
  return step(alter(state, "something that was not understood"));
}

function isFilledIn(word: string): boolean {
  return /[$`]|[<>]\(/.test(word);
}

export function rawWord(written: string): ShellWord {
  const value = written.replace(/\$\{\w+:?-([\w./~-]*)\}/g, "$1");
  return isFilledIn(value) ? { ...plainWord("", value), unknown: { one: false } } : plainWord(value);
}

export function foundOf(
  command: { readonly text: string; readonly words: readonly ShellWord[]; readonly cwd: string | undefined },
  reading: CommandReading,
  inner: readonly FoundCommand[],
  { fed }: Pick<ShellWalk, "fed">,
): FoundCommand {
  const { effects, reason, moves, needsSavedRule, losesWork, raisedBecause, next } = reading;
  const { text, words, cwd } = command;
  const elsewhere = new Set(inner.flatMap(({ part }) => part.effects));
  const understood = !effects.some(({ op }) => op === "unknown");
  const alsoAs = plainForms(words.map(plainForm), understood);
  const runs = effects.some(({ op }) => op === "exec" || op === "connect" || op === "unknown");
  const openEnded = words.some((word) => word.unknown !== undefined) || (fed && runs);
  const part: EffectPart = {
    text,
    effects: effects.filter((effect) => !elsewhere.has(effect)),
    reason,
    words: words.map((word) => (word.unknown === undefined ? word.value : word.text)),
    alsoAs,
    cwd,
    openEnded: openEnded || undefined,
    moves,
    needsSavedRule,
    losesWork,
  };
  return {
    part,
    command: words,
    fed,
    programs: programsOf(words),
    raisedBecause,
    next: inner.length === 0 ? next : undefined,
  };
}

function programsOf(words: readonly ShellWord[]): readonly GivenProgram[] {
  const given = words.map(({ text, value, glob, unknown }) => ({
    value: unknown === undefined ? value : text,
    certain: unknown === undefined,
    glob,
  }));
  return givenPrograms(given, true);
}

/** A value where it is used: a relative name means the same only in the directory where it was printed. */
function valueIn(value: ShellValue, cwd: string | undefined): ShellValue {
  if (isKnown(value) || value.names === undefined || value.from === cwd) return value;
  const { names: _names, from: _from, ...rest } = value;
  return rest;
}

export function placeIn(cwd: string, walk: ShellWalk, own: readonly ShellWord[] = []): Site {
  const input = valueIn(walk.input, cwd);
  return {
    view: walk.view,
    cwd,
    ...(isKnown(input) ? { inputText: input.text } : { input }),
    inner: (words) => readInner(picksSecrets(own) ? words.map(withoutNames) : words, cwd, own[0], walk),
    script: (text, dialect, parameters) => readScript(text, { dialect, parameters, cwd }, walk),
  };
}

function withoutNames(word: ShellWord): ShellWord {
  return word.unknown?.names === undefined ? word : { ...word, unknown: { one: word.unknown.one } };
}

const deepest = 40;

/** A program, not a builtin: what would change this shell does not reach it from there. */
function readInner(
  words: readonly ShellWord[],
  cwd: string,
  outside: ShellWord | undefined,
  outer: ShellWalk,
): CommandReading {
  const name = basename(outside?.value ?? "");
  // What runs several commands, or one several times, leaves each of them only what the ones before it left.
  const passes = wrapperOf(name)?.plain || name === "env" || name === "command";
  const inner: FoundCommand[] = [];
  const walk: ShellWalk = {
    ...outer,
    found: inner,
    depth: outer.depth + 1,
    input: passes ? outer.input : someText,
  };
  const reading = readProgram(words, cwd, walk);
  const text = words.map((word) => word.text).join(" ");
  outer.found.push(foundOf({ text, words, cwd }, reading, inner, outer), ...inner);
  return reading;
}

function readProgram(words: readonly ShellWord[], cwd: string, walk: ShellWalk): CommandReading {
  const [command, ...rest] = words;
  if (command === undefined || command.glob || command.tilde || command.unknown !== undefined) {
    return notUnderstood("the command that it runs is known only at run time");
  }
  if (walk.depth > deepest) return notUnderstood("commands run each other too deeply");
  return readCommand([command, ...rest], placeIn(cwd, walk, words));
}

/** A shell of its own, in the same directory, with `$0`, `$1` and so on as far as the words stay one each. */
function readScript(
  text: string,
  { dialect, parameters, cwd }: { dialect: Dialect; parameters: readonly ShellWord[]; cwd: string },
  walk: ShellWalk,
): CommandReading {
  spend(walk, 1 + text.length / 1_000);
  const certain = parameters.every((word) => !word.glob && !word.tilde && word.unknown?.one !== false);
  const parameter = ({ unknown, value }: ShellWord): ShellValue =>
    unknown === undefined ? { text: value } : { ...unknown, ...(unknown.names && { from: cwd }) };
  const values = certain ? parameters.slice(0, 10).map(parameter) : [];
  const variables = new Map(values.map((value, index) => [String(index), value]));
  const inner: FoundCommand[] = [];
  const state = { ...freshState(cwd), variables };
  const { root } = parseShell(walk.limits.reached ? "" : text, dialect);
  walk.visit(root, state, { ...walk, found: inner, jumps: [], depth: walk.depth + 1, input: someText });
  walk.found.push(...inner);
  return { effects: inner.flatMap(({ part }) => part.effects), reason: "runs the commands of a text" };
}

export type Substituted = ReadonlyMap<Substitution, ShellValue>;

/** Runs through what stands in words and runs before the command does. Substitutions see a copy of the shell. */
export function substitute(
  templates: readonly WordTemplate[],
  state: ShellState,
  walk: ShellWalk,
): Substituted | { readonly why: string } {
  const substituted = new Map<Substitution, ShellValue>();
  for (const piece of templates.flatMap(({ pieces }) => pieces)) {
    if (piece.kind === "variable" && !state.variables.has(piece.name) && namesSecret(piece.name)) {
      return { why: `${piece.name} of the environment may be a secret` };
    }
    if (piece.kind !== "command") continue;
    const { output } = walk.visit(piece.body, state, walk);
    // Line ends are taken off the end and NUL bytes dropped, and nothing may be left.
    const isWhole = piece.pipe || isKnown(output);
    substituted.set(
      piece,
      isWhole ? output : { ...valueIn(output, output.separator === "nul" ? undefined : output.from), mayBeEmpty: true },
    );
  }
  return substituted;
}

export function expansionOf(
  substituted: Substituted,
  state: ShellState,
  { view }: Pick<ShellWalk, "view">,
  cwd: string,
): WordContext {
  const { home } = view.workspace;
  const variable = (name: string): ShellValue => {
    const value = state.variables.get(name);
    if (value !== undefined) return valueIn(value, cwd);
    if (name === "HOME") return { text: home };
    if (name === "PWD" && state.cwd !== undefined) return { text: cwd };
    if (name === "@") return { one: false };
    return counts.has(name) ? someCount : someText;
  };
  const value = (piece: Substitution): ShellValue =>
    piece.pipe ? { one: true, plain: true, pipe: true } : valueIn(substituted.get(piece) ?? someText, cwd);
  return { cwd, home, variable, substituted: value };
}

const counts: ReadonlySet<string> = new Set(["?", "#", "$", "PPID"]);
