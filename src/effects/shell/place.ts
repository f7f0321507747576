import { basename } from "node:path/posix";
import { picksSecrets } from "../../programs/picks-secrets.ts";
import {
  type CommandReading,
  type Dialect,
  notUnderstood,
  type Place,
  type ShellWord,
} from "../../programs/program-entry.ts";
import { wrapperOf } from "../../programs/wrappers.ts";
import { parseShell } from "./parse-shell.ts";
import { readCommand } from "./read-command.ts";
import { freshState, isKnown, type ShellState, someText, type Value, withParameters } from "./shell-state.ts";
import { type Found, foundOf, spendCharacters, type Walk } from "./walk.ts";

/** Where a command runs, with the way to look at what it runs in its turn. */
export function placeIn(cwd: string, state: ShellState, walk: Walk, own: readonly ShellWord[] = []): Place {
  return {
    view: walk.view,
    cwd,
    ...(isKnown(state.input) ? { inputText: state.input.text } : { input: state.input }),
    inner: (words) =>
      readInner(picksSecrets(own) ? words.map(withoutNames) : words, cwd, inputBehind(own, state), walk),
    script: (text, dialect, parameters) => readScript(text, dialect, parameters, cwd, walk),
    typed: (text, dialect, parameters) => readTyped(text, dialect, parameters, cwd, walk),
  };
}

function withoutNames(word: ShellWord): ShellWord {
  return word.unknown?.names === undefined ? word : { ...word, unknown: { one: word.unknown.one } };
}

/** What runs several commands, or one several times, leaves each of them only what the ones before it left. */
function inputBehind([program]: readonly ShellWord[], state: ShellState): ShellState {
  const name = basename(program?.value ?? "");
  return wrapperOf(name)?.plain || name === "env" || name === "command" ? state : { ...state, input: someText };
}

/** A program, not a builtin: what would change this shell does not reach it from there. */
function readInner(words: readonly ShellWord[], cwd: string, state: ShellState, outer: Walk): CommandReading {
  const inner: Found[] = [];
  const reading = readProgram(words, cwd, state, { ...outer, found: inner, depth: outer.depth + 1 });
  const text = words.map((word) => word.text).join(" ");
  outer.found.push(foundOf({ text, words, cwd, input: state.input }, reading, inner, outer), ...inner);
  return reading;
}

const deepest = 40;

function readProgram(words: readonly ShellWord[], cwd: string, state: ShellState, walk: Walk): CommandReading {
  const [command, ...rest] = words;
  if (command === undefined || command.glob || command.tilde || command.unknown !== undefined) {
    return notUnderstood("the command that it runs is not certain");
  }
  if (walk.depth > deepest) return notUnderstood("commands run each other too deeply");
  const reading = readCommand([command, ...rest], placeIn(cwd, state, walk, words));
  return reading.cwd === undefined ? reading : notUnderstood(`${command.value} is no program of its own`);
}

/** A shell of its own, in the same directory. */
function readScript(
  text: string,
  dialect: Dialect,
  parameters: readonly ShellWord[],
  cwd: string,
  walk: Walk,
  input: Value = someText,
): CommandReading & { readonly left: Value } {
  // A text is parsed as often as it is run.
  const { root } = parseShell(spendCharacters(walk, 16 * text.length) ? text : "", dialect);
  const inner: Found[] = [];
  const state = { ...withParameters(freshState([cwd]), parameters), input };
  const ended = walk.visit(root, state, { ...walk, dialect, found: inner, jumps: [], returns: [], calls: [] });
  walk.found.push(...inner);
  const effects = inner.flatMap(({ part }) => part.effects);
  return { effects, reason: "runs the commands of a text", left: ended.state.input };
}

/** The shell reads its text line by line: a command that takes a line of it changes what the rest means. */
function readTyped(
  text: string,
  dialect: Dialect,
  parameters: readonly ShellWord[],
  cwd: string,
  walk: Walk,
): CommandReading {
  const input: Value = { text };
  const { left, effects, reason } = readScript(text, dialect, parameters, cwd, walk, input);
  // A single line is read before any of it runs.
  if (left === input || !text.trim().includes("\n")) return { effects, reason };
  const why = "a command may take lines of its own shell's text";
  return { effects: [...effects, { op: "unknown", why }], reason: why };
}
