import type { ShellWord, UnknownValue } from "../../programs/program-entry.ts";
import type { ShellNode } from "./shell-tree.ts";

/** What a variable may hold: a text, or something only the running shell knows. */
export type Value = KnownValue | UnknownValue;

export interface KnownValue {
  readonly text: string;
}

export function isKnown(value: Value): value is KnownValue {
  return "text" in value;
}

/** What is longer is some text. */
export const longestValue = 64 * 1024;

export const someText: UnknownValue = { one: true };
export const someNumber: UnknownValue = { one: true, number: true };
export const someCommit: UnknownValue = { one: true, commit: true, plain: true };
export const someCount: UnknownValue = { one: true, number: true, plain: true };

/** The state of the shell on the way through a text. Every step makes a new one. */
export interface ShellState {
  /** Where it may stand. More than one once a `cd` may or may not have happened; none when it may be anywhere. */
  readonly directories: readonly string[];
  /** Came here through a link: bash and the kernel mean different parents by `..`. */
  readonly linked: boolean;
  /** What the text itself set. A variable that is not here holds some text. */
  readonly variables: ReadonlyMap<string, readonly Value[]>;
  /** Every name that may be an array, with what is in it. */
  readonly arrays: ReadonlyMap<string, ArrayValue>;
  /** `undefined` stands for a function that may or may not be defined. */
  readonly functions: ReadonlyMap<string, ShellNode | undefined>;
  /** What standard input holds, line by line, until something has taken a part of it. */
  readonly input: Value;
  /** What happened that makes later words mean something else. */
  readonly altered: string | undefined;
  /** Where `cd -` leads, as far as that is certain. */
  readonly previous: string | undefined;
  /** Where `popd` leads, the next one first. */
  readonly stack: readonly string[] | undefined;
}

export interface ArrayValue {
  /** These elements in this order, and no others. Else any number of elements, each one of these. */
  readonly exact: boolean;
  readonly values: readonly Value[];
  /** Certainly one with texts as keys: anywhere else a key is calculated. */
  readonly keyed: boolean;
}

export function freshState(directories: readonly string[]): ShellState {
  return {
    directories,
    linked: false,
    variables: new Map(),
    arrays: new Map(),
    functions: new Map(),
    input: someText,
    altered: undefined,
    previous: undefined,
    stack: [],
  };
}

const mostValues = 8;
const mostVariables = 128;
const mostDirectories = 16;

export function assign(before: ShellState, name: string, values: readonly Value[]): ShellState {
  // The name stands for the first element of an array; in a function it may be another variable.
  const state = before.arrays.has(name)
    ? { ...before, arrays: new Map(before.arrays).set(name, someElements) }
    : before;
  // What is not here holds some text, so what is too much may be left out.
  if (state.variables.size >= mostVariables && !state.variables.has(name)) return state;
  return { ...state, variables: new Map(state.variables).set(name, bounded(values)) };
}

/** Characters that are known and kept. */
export function sizeOf({ variables, arrays, input }: ShellState): number {
  let size = isKnown(input) ? input.text.length : 0;
  for (const values of variables.values()) size += lengthOf(values);
  for (const { values } of arrays.values()) size += lengthOf(values);
  return size;
}

function lengthOf(values: readonly Value[]): number {
  return values.reduce((length, value) => length + (isKnown(value) ? value.text.length : 0), 0);
}

const mostElements = 64;
const mostArrays = 64;
const longestArray = 8 * 1024;
const someElements: ArrayValue = { exact: false, values: [someText], keyed: false };

/** `undefined` when there are too many to be followed. */
export function assignArray(state: ShellState, name: string, array: ArrayValue): ShellState | undefined {
  if (state.arrays.size >= mostArrays && !state.arrays.has(name)) return undefined;
  const { keyed } = array;
  const values = lengthOf(array.values) > longestArray ? [someText] : array.values;
  const exact = array.exact && values.length <= mostElements && values === array.values;
  const kept: ArrayValue = { exact, values: exact ? values : boundedElements(values), keyed };
  const first = exact && !keyed ? (values[0] ?? { text: "" }) : someText;
  const arrays = new Map(state.arrays).set(name, kept);
  return { ...assign({ ...state, arrays: new Map() }, name, [first]), arrays };
}

function boundedElements(values: readonly Value[]): readonly Value[] {
  return values.length === 0 ? values : bounded(values);
}

/** What was known no longer holds: variables may have any value from here on. */
export function alter(state: ShellState, why: string): ShellState {
  return state.altered === undefined ? { ...state, altered: why, variables: new Map(), arrays: new Map() } : state;
}

/** After something in a copy of the shell, which shares its standard input. */
export function withInputOf(state: ShellState, copy: ShellState): ShellState {
  return copy.input === someText ? { ...state, input: someText } : state;
}

/** `$1` and so on, as far as the words stay one each. `$0` is no parameter: a function keeps that of the shell. */
export function callWith(state: ShellState, words: readonly ShellWord[]): ShellState {
  const own = state.variables.get("0");
  const called = withParameters(state, words);
  const variables = new Map(called.variables);
  if (own === undefined) variables.delete("0");
  else variables.set("0", own);
  return { ...called, variables };
}

/** `$0`, `$1` and so on, as far as the words stay one each. */
export function withParameters(state: ShellState, words: readonly ShellWord[]): ShellState {
  const certain = words.every((word) => !word.glob && !word.tilde && word.unknown?.one !== false);
  const { variables, arrays, ...rest } = withoutParameters(state);
  if (!certain) return { variables, arrays, ...rest };
  const values = words.map(({ unknown, value }): Value => unknown ?? { text: value });
  const numbered = values.slice(0, 10).map((value, index): [string, readonly Value[]] => [String(index), [value]]);
  const exact = values.length <= mostElements;
  const all: ArrayValue = { exact, values: exact ? values.slice(1) : [someText], keyed: false };
  return { ...rest, variables: new Map([...variables, ...numbered]), arrays: new Map(arrays).set("@", all) };
}

/** Nothing is known about `$1`, `$@` and so on. */
export function withoutParameters(state: ShellState): ShellState {
  const variables = new Map([...state.variables].filter(([name]) => !isParameter(name)));
  return { ...state, variables, arrays: new Map([...state.arrays].filter(([name]) => name !== "@")) };
}

/** `$@` as it is in another state. */
export function withParametersOf({ arrays: from }: ShellState, to: ShellState): ShellState {
  const own = from.get("@");
  const arrays = new Map([...to.arrays].filter(([name]) => name !== "@"));
  return { ...to, arrays: own === undefined ? arrays : arrays.set("@", own) };
}

export function isParameter(name: string): boolean {
  return /^\d/.test(name);
}

/** After a change of directory a relative name no longer leads where it came from. */
export function enter(state: ShellState, directories: readonly string[], linked: boolean): ShellState {
  const variables = new Map([...state.variables].map(([name, values]) => [name, values.map(withoutPlace)]));
  const arrays =
    state.arrays.size === 0
      ? state.arrays
      : new Map([...state.arrays].map(([name, array]) => [name, { ...array, values: array.values.map(withoutPlace) }]));
  const places = directories.length <= mostDirectories ? directories : [];
  const [left, another] = state.directories;
  return {
    ...state,
    directories: places,
    linked: state.linked || linked,
    variables,
    arrays,
    input: withoutPlace(state.input),
    previous: another === undefined && places.length === 1 ? left : undefined,
  };
}

export function withoutPlace(value: Value): Value {
  if (isKnown(value) || value.names === undefined) return value;
  const { names: _names, ...rest } = value;
  return rest;
}

/** What a command printed, for whoever takes it: names mean the same only where both stand in the same place. */
export function received(output: Value, from: ShellState, to: ShellState): Value {
  return sameItems(from.directories, to.directories) ? output : withoutPlace(output);
}

/** The state after one of several ways. */
export function merge(first: ShellState, ...others: readonly ShellState[]): ShellState {
  return others.reduce(mergeTwo, first);
}

function mergeTwo(a: ShellState, b: ShellState): ShellState {
  if (a === b) return a;
  return {
    directories: mergeDirectories(a.directories, b.directories),
    linked: a.linked || b.linked,
    variables: mergeVariables(a.variables, b.variables),
    arrays: mergeArrays(a.arrays, b.arrays),
    functions: mergeFunctions(a.functions, b.functions),
    input: JSON.stringify(a.input) === JSON.stringify(b.input) ? a.input : someText,
    altered: a.altered ?? b.altered,
    previous: a.previous === b.previous ? a.previous : undefined,
    stack: JSON.stringify(a.stack) === JSON.stringify(b.stack) ? a.stack : undefined,
  };
}

function mergeDirectories(a: readonly string[], b: readonly string[]): readonly string[] {
  if (sameItems(a, b)) return a;
  if (a.length === 0 || b.length === 0) return [];
  const both = [...new Set([...a, ...b])];
  return both.length <= mostDirectories ? both : [];
}

const unset: readonly Value[] = [someText];

function mergeVariables(a: ShellState["variables"], b: ShellState["variables"]): ShellState["variables"] {
  if (a === b) return a;
  const merged = new Map<string, readonly Value[]>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [one = unset, other = unset] = [a.get(name), b.get(name)];
    merged.set(name, one === other ? one : bounded([...one, ...other]));
  }
  return merged;
}

function mergeArrays(a: ShellState["arrays"], b: ShellState["arrays"]): ShellState["arrays"] {
  if (a === b) return a;
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, mergeElements(a.get(name), b.get(name))]));
}

/** Where it is no array, the name may be a variable with any value. */
function mergeElements(a: ArrayValue = someElements, b: ArrayValue = someElements): ArrayValue {
  if (a === b || JSON.stringify(a) === JSON.stringify(b)) return a;
  return { exact: false, values: boundedElements([...a.values, ...b.values]), keyed: a.keyed && b.keyed };
}

function mergeFunctions(a: ShellState["functions"], b: ShellState["functions"]): ShellState["functions"] {
  if (a === b) return a;
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, a.get(name) === b.get(name) ? a.get(name) : undefined]));
}

function bounded(values: readonly Value[]): readonly Value[] {
  const [first, second] = values;
  if (first !== undefined && second === undefined) return values;
  if (values.includes(someText)) return unset;
  const distinct = new Map(values.map((value) => [JSON.stringify(value), value]));
  if (distinct.size <= mostValues && !distinct.has(JSON.stringify(someText)))
    return widenNumbers([...distinct.values()]);
  return [values.every(isNumber) ? anyNumber(values) : someText];
}

/** A counter takes many values; that it is a number is all that matters. */
function widenNumbers(values: readonly Value[]): readonly Value[] {
  return values.some((value) => !isKnown(value)) && values.every(isNumber) ? [anyNumber(values)] : values;
}

function anyNumber(values: readonly Value[]): UnknownValue {
  const mayBeEmpty = values.some((value) => !isKnown(value) && value.mayBeEmpty === true);
  return mayBeEmpty ? { ...someNumber, mayBeEmpty } : someNumber;
}

/** Without zeros in front: arithmetic takes those for another base. */
export function isNumber(value: Value): boolean {
  return isKnown(value) ? /^(?:0|-?[1-9]\d{0,14})$/.test(value.text) : value.number === true;
}

export function sameState(a: ShellState, b: ShellState): boolean {
  return (
    sameItems(a.directories, b.directories) &&
    a.linked === b.linked &&
    a.altered === b.altered &&
    a.previous === b.previous &&
    JSON.stringify(a.stack) === JSON.stringify(b.stack) &&
    (a.arrays === b.arrays || JSON.stringify([...a.arrays].sort()) === JSON.stringify([...b.arrays].sort())) &&
    (a.input === b.input || JSON.stringify(a.input) === JSON.stringify(b.input)) &&
    (a.variables === b.variables ||
      JSON.stringify([...a.variables].sort()) === JSON.stringify([...b.variables].sort())) &&
    (a.functions === b.functions ||
      (a.functions.size === b.functions.size &&
        [...a.functions].every(([name, body]) => b.functions.get(name) === body)))
  );
}

function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((item) => b.includes(item)));
}
