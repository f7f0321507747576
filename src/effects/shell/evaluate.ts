import type { Dialect } from "../../programs/program-entry.ts";
import { calculate } from "./arithmetic.ts";
import type { Expansion } from "./expand-word.ts";
import {
  isKnown,
  received,
  type ShellState,
  someCount,
  someText,
  type Value,
  withInputOf,
  withoutPlace,
} from "./shell-state.ts";
import type { Substitution, WordTemplate } from "./shell-tree.ts";
import { namesSecret } from "./variable-names.ts";
import { spendCharacters, type Walk } from "./walk.ts";

/** The words of a command with everything in them carried out that runs before the command does. */
export interface Evaluated {
  readonly state: ShellState;
  readonly substituted: ReadonlyMap<Substitution, Value>;
}

/** Runs through substitutions and calculations once, in order. Substitutions see a copy of the shell. */
export function evaluate(
  templates: readonly WordTemplate[],
  start: ShellState,
  walk: Walk,
): Evaluated | { readonly why: string } {
  const substituted = new Map<Substitution, Value>();
  const names = variablesIn(templates);
  let state = start;
  for (const piece of templates.flatMap(({ pieces }) => pieces)) {
    const named = piece.kind === "variable" || piece.kind === "array";
    if (named && !state.variables.has(piece.name) && namesSecret(piece.name)) {
      return { why: `${piece.name} of the environment may be a secret` };
    }
    const key = piece.kind === "array" && typeof piece.part === "object" ? piece.part.key : undefined;
    if (piece.kind === "array" && key !== undefined && state.arrays.get(piece.name)?.keyed !== true) {
      const read = calculate(key, state);
      if ("why" in read) return read;
      if (read.changes.length > 0) return { why: `${key} is calculated` };
    }
    if (piece.kind === "command") {
      const ended = walk.visit(piece.body, state, walk);
      substituted.set(piece, substitutedValue(received(ended.output, ended.state, state), piece));
      state = withInputOf(state, ended.state);
    } else if (piece.kind === "arithmetic") {
      const read = calculate(piece.expression, state);
      if ("why" in read) return read;
      // The words before it saw the value that it had.
      const seen = read.changes.find((name) => names.includes(name));
      if (seen !== undefined) return { why: `${seen} is used and changed` };
      state = read.state;
    }
  }
  return { state, substituted };
}

/** A substitution takes line ends off the end and drops NUL bytes, and may be left with nothing. */
function substitutedValue(value: Value, { pipe }: Substitution): Value {
  if (isKnown(value)) return { text: value.text.replace(/\n+$/, "") };
  if (pipe) return value;
  return { ...(value.separator === "nul" ? withoutPlace(value) : value), mayBeEmpty: true };
}

const mostChoices = 8;

/** Every combination of values that the variables in these words may have. Too many, and none is known. */
export function choicesOf(templates: readonly WordTemplate[], { variables }: ShellState): readonly Choice[] {
  let choices: readonly Choice[] = [new Map()];
  for (const name of new Set(variablesIn(templates))) {
    const values = variables.get(name) ?? [];
    const use = values.length * choices.length > mostChoices ? [someText] : values;
    if (use.length > 0) choices = choices.flatMap((choice) => use.map((value) => new Map([...choice, [name, value]])));
  }
  return choices;
}

function variablesIn(templates: readonly WordTemplate[]): readonly string[] {
  return templates.flatMap(({ pieces }) => pieces.flatMap((piece) => (piece.kind === "variable" ? [piece.name] : [])));
}

export type Choice = ReadonlyMap<string, Value>;

export function expansionIn(
  cwd: string,
  choice: Choice,
  { state, substituted }: Evaluated,
  { view, dialect, limits }: Pick<Walk, "view" | "dialect" | "limits">,
): Expansion {
  const { home } = view.workspace;
  return {
    cwd,
    home,
    spend: (characters) => spendCharacters({ limits }, characters),
    variable: (name) => choice.get(name) ?? ofTheShell(name, { cwd, home, dialect }, state),
    array: (name) => state.arrays.get(name),
    substituted: (piece) => {
      const value = substituted.get(piece) ?? someText;
      return piece.pipe ? { one: true, plain: true, pipe: true } : value;
    },
  };
}

interface Shell {
  readonly cwd: string;
  readonly home: string;
  readonly dialect: Dialect;
}

/** Variables that the shell sets itself. What the environment holds beyond them is some text. */
function ofTheShell(name: string, { cwd, home, dialect }: Shell, { linked, previous }: ShellState): Value {
  if (name === "HOME") return { text: home };
  if (name === "PWD" && !linked) return { text: cwd };
  if (name === "OLDPWD" && !linked && previous !== undefined) return { text: previous };
  if (name === "@") return { one: false };
  return counts.has(name) || (dialect === "bash" && countsOfBash.has(name)) ? someCount : someText;
}

const counts: ReadonlySet<string> = new Set(["?", "#", "$", "PPID"]);
const countsOfBash: ReadonlySet<string> = new Set(["RANDOM", "SECONDS", "LINENO", "UID", "EUID"]);
