import { type CommandReading, notUnderstood, type ShellWord } from "../../programs/program-entry.ts";
import { noteCarried, settleSimple } from "./downloaded-code.ts";
import { choicesOf, type Evaluated, evaluate, expansionIn } from "./evaluate.ts";
import { expandValue, expandWord } from "./expand-word.ts";
import { outputOf } from "./known-output.ts";
import { insideGiven } from "./parse-shell.ts";
import { placeIn } from "./place.ts";
import { readBuiltin } from "./read-builtin.ts";
import { readCommand } from "./read-command.ts";
import {
  alter,
  callWith,
  enter,
  isKnown,
  isParameter,
  merge,
  type ShellState,
  someText,
  withParametersOf,
} from "./shell-state.ts";
import type { SimpleCommand, WordTemplate } from "./shell-tree.ts";
import { mayTakeInput } from "./takes-input.ts";
import { isForOneCommand, isForProjects, isHarmless } from "./variable-names.ts";
import { assignAll } from "./visit-assignments.ts";
import { afterRedirects, visitRedirects } from "./visit-redirects.ts";
import { type Found, foundOf, type Step, spend, step, stepOver, type Walk } from "./walk.ts";

export function visitSimple(node: SimpleCommand, start: ShellState, walk: Walk): Step {
  const from = walk.found.length;
  const substituted: Found[] = [];
  const ended = runSimple(node, start, walk, substituted);
  settleSimple(node, from, substituted, walk);
  return ended;
}

/** `substituted` is given what runs before the command, for its words. */
function runSimple(node: SimpleCommand, start: ShellState, walk: Walk, substituted: Found[]): Step {
  const from = walk.found.length;
  // Behind a command its variables are evaluated with it; alone each one sees those before it.
  const values = node.words.length === 0 ? [] : node.assignments.map(({ value }) => value);
  const evaluated = evaluate([...node.words, ...values], start, walk);
  if ("why" in evaluated) return stepOver({ ...node, why: evaluated.why, inside: insideOf(node) }, start, walk);
  const redirected = visitRedirects(node.redirects, evaluated.state, walk);
  if (redirected === undefined) return stepOver({ ...node, why: "a redirection", inside: insideOf(node) }, start, walk);
  substituted.push(...walk.found.slice(from));
  noteCarried(node, substituted, walk);

  const before = redirected.state;
  const ready: Evaluated = { ...evaluated, state: { ...before, input: redirected.input } };
  const inside = { ...walk, fed: redirected.fed };
  const ended = node.words.length === 0 ? assignAll(node, ready.state, inside) : runAll(node, ready, inside);
  walk.found.push(...redirected.found);
  return afterRedirects(ended, before, redirected);
}

/** Once for every combination of values that its variables may have; what is possible counts. */
function runAll(node: SimpleCommand, evaluated: Evaluated, walk: Walk): Step {
  const prefix = separatesRead(node) ? "none" : readPrefix(node, evaluated, walk);
  if (prefix === "dangerous") {
    const names = node.assignments.map(({ name }) => name).join(" and ");
    return stepOver({ ...node, why: `it is given ${names}`, inside: insideOf(node) }, evaluated.state, walk);
  }
  const from = walk.found.length;
  const { state } = evaluated;
  const ends = choicesOf(node.words, state).flatMap((choice) => {
    spend(walk, state.directories.length);
    if (walk.limits.reached) return [];
    const ways = (state.directories.length === 0 ? ["/"] : state.directories).map((cwd) => ({
      cwd,
      words: node.words.flatMap((word) => expandWord(word, expansionIn(cwd, choice, evaluated, walk))),
    }));
    const alike = [...Map.groupBy(ways, ({ words }) => JSON.stringify(words)).values()];
    return alike.map((same) => {
      const directories = alike.length === 1 ? state.directories : same.map(({ cwd }) => cwd);
      return runOnce(node, same, prefix === "project", { ...state, directories }, walk);
    });
  });
  if (node.assignments.some(isOwn)) walk.found.push(...walk.found.splice(from).map(withVariables));
  const [first, ...others] = ends;
  if (first === undefined) return stepOver({ ...node, why: "nothing is certain", inside: [] }, state, walk);
  return others.length === 0 ? first : step(merge(first.state, ...others.map((end) => end.state)), someText);
}

/** Other than those that any command of a project may be given. */
function isOwn({ name, value }: SimpleCommand["assignments"][number]): boolean {
  const text = value.pieces.map((piece) => (piece.kind === "text" ? piece.value : "$")).join("");
  return name !== "IFS" && !isForProjects(name, text);
}

function withVariables(found: Found): Found {
  return { ...found, part: { ...found.part, given: true } };
}

interface Way {
  readonly cwd: string;
  readonly words: readonly ShellWord[];
}

function runOnce(node: SimpleCommand, ways: readonly Way[], given: boolean, state: ShellState, walk: Walk): Step {
  const words = ways[0]?.words ?? [];
  const [command] = words;
  const name = command?.value ?? "";
  if (state.altered === undefined && state.functions.has(name)) return callFunction(node, name, words, state, walk);
  const inner: Found[] = [];
  const read = ways.map((way) => readOne(way, state, { ...walk, found: inner }));
  const reading = combine(read.map((one) => one.reading));
  const settled = given && !reading.effects.some((effect) => effect.op === "exec" || effect.op === "unknown");
  const final = settled ? notUnderstood(`${name} is given variables that it may believe`) : reading;

  report(node, words, state, final, inner, walk);
  const [first = state, ...others] = read.map((one) => one.state);
  const moved = followDirectory(
    merge(first, ...others),
    read.map((one) => one.reading),
  );
  const left = mayTakeInput(words, final) ? { ...moved, input: someText } : moved;
  const next = final.altersShell ? alter(left, name) : left;
  const certain = read.every((one) => one.reading.cwd !== undefined && one.reading.mayStay !== true);
  return { ...step(next, outputOf(final, words, state, walk)), certain };
}

function readOne(
  { cwd, words }: Way,
  state: ShellState,
  walk: Walk,
): { readonly reading: CommandReading; readonly state: ShellState } {
  const [command, ...rest] = words;
  if (state.altered !== undefined) {
    return { reading: notUnderstood(`${state.altered} changed the shell before it`), state };
  }
  if (state.directories.length === 0) return { reading: notUnderstood("the working directory is not certain"), state };
  // Without a word what stands in front of it changes this shell; with one that is not certain anything does.
  if (command === undefined)
    return { reading: { ...notUnderstood("it has no command word"), altersShell: true }, state };
  if (!isCertain(command)) {
    return { reading: { ...notUnderstood(`${command.text} may become any command`), altersShell: true }, state };
  }
  const place = placeIn(cwd, state, walk, words);
  const builtin = readBuiltin(command.value, rest, state, place, walk);
  return builtin ?? { reading: readCommand([command, ...rest], place), state };
}

function isCertain({ value, glob, tilde, unknown, text }: ShellWord): boolean {
  if (text === "[") return true;
  return unknown === undefined && !glob && !tilde && /^[\x21-\x7e]+$/.test(value);
}

/** In every directory where the shell may stand. */
function combine(readings: readonly CommandReading[]): CommandReading {
  const [first, ...others] = readings;
  if (first === undefined) return notUnderstood("nothing is certain");
  if (others.length === 0) return first;
  return { ...Object.assign({}, ...others, first), effects: readings.flatMap((reading) => reading.effects) };
}

function followDirectory(state: ShellState, readings: readonly CommandReading[]): ShellState {
  const moved = readings.flatMap((reading) => reading.cwd ?? []);
  if (moved.length === 0) return state;
  const stays = moved.length < readings.length || readings.some((reading) => reading.mayStay === true);
  const stayed = stays ? state.directories : [];
  const linked = readings.some((reading) => reading.throughLink === true);
  return enter(state, [...new Set([...stayed, ...moved])], linked);
}

function report(
  node: SimpleCommand,
  words: readonly ShellWord[],
  state: ShellState,
  reading: CommandReading,
  inner: readonly Found[],
  walk: Walk,
): void {
  const text = shownText(node, words);
  const [only, second] = state.directories;
  const cwd = second === undefined && state.altered === undefined ? only : undefined;
  walk.found.push(foundOf({ text, words, cwd, input: state.input }, reading, inner, walk), ...inner);
}

/** As it is written; where variables were filled in, as it could have been written without them. */
function shownText(node: SimpleCommand, words: readonly ShellWord[]): string {
  const written = node.words.every(({ pieces }) => pieces.every(({ kind }) => kind === "text" || kind === "home"));
  if (written || words.some((word) => word.unknown !== undefined)) return node.words.map(({ text }) => text).join(" ");
  return words.map((word) => (word.glob || word.tilde ? word.value : quoted(word.value))).join(" ");
}

function quoted(value: string): string {
  return /^[\w./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** `IFS=, read x` cuts a line in its own way; what the names hold is not known in any case. */
function separatesRead({ words, assignments }: SimpleCommand): boolean {
  return (
    words[0]?.text === "read" &&
    assignments.every(({ name, value }) => name === "IFS" && value.pieces.every(({ kind }) => kind === "text"))
  );
}

/** What may stand in front of a command without changing what it does. */
function readPrefix(
  { assignments }: SimpleCommand,
  evaluated: Evaluated,
  walk: Walk,
): "none" | "project" | "dangerous" {
  if (assignments.length === 0) return "none";
  const [cwd] = evaluated.state.directories;
  let level: "none" | "project" = "none";
  for (const { name, value } of assignments) {
    const given = cwd === undefined ? someText : expandValue(value, expansionIn(cwd, new Map(), evaluated, walk));
    if (!isKnown(given) || !isForOneCommand(name, given.text)) return "dangerous";
    if (!isHarmless(name, given.text)) level = "project";
  }
  return level;
}

/** A function sees the shell as it is; whether its variables were its own is left open. */
function callFunction(
  node: SimpleCommand,
  name: string,
  words: readonly ShellWord[],
  state: ShellState,
  walk: Walk,
): Step {
  const body = state.functions.get(name);
  if (body === undefined || walk.calls.includes(name) || node.assignments.length > 0) {
    return stepOver({ ...node, why: `the function ${name} is not certain`, inside: insideOf(node) }, state, walk);
  }
  report(node, words, state, { effects: [], reason: `calls the function ${name}` }, [], walk);
  const returns: ShellState[] = [];
  const called = callWith(state, words);
  const ended = walk.visit(body, called, { ...walk, returns, calls: [...walk.calls, name] });
  const after = merge(ended.state, ...returns);
  const { variables, arrays } = merge(state, after);
  const own = [...variables].filter(([variable]) => !isParameter(variable));
  const kept = [...state.variables].filter(([variable]) => isParameter(variable));
  return step(withParametersOf(state, { ...after, arrays, variables: new Map([...own, ...kept]) }));
}

/** For a command that is not looked into further: its words as they are written. */
function insideOf({ words: templates, assignments }: SimpleCommand) {
  const words = templates.map(rawText);
  return [
    ...(words.length === 0 ? [] : [{ text: words.join(" "), words }]),
    ...assignments.flatMap(({ value }) => insideGiven(rawText(value))),
  ];
}

function rawText({ text, pieces }: WordTemplate): string {
  return pieces.every((piece) => piece.kind === "text") ? pieces.map((piece) => piece.value).join("") : text;
}
