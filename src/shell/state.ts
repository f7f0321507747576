import { isKnown, type ShellValue, someText } from "./expand-word.ts";

export interface ShellState {
  /** `undefined` when it may be in more than one directory. */
  readonly cwd: string | undefined;
  /** What the text itself set. A variable that is not here holds some text. */
  readonly variables: ReadonlyMap<string, ShellValue>;
  /** What happened that makes later words mean something else. */
  readonly altered: string | undefined;
}

export function freshState(cwd: string): ShellState {
  return { cwd, variables: new Map(), altered: undefined };
}

const mostVariables = 128;

export function assign(state: ShellState, name: string, value: ShellValue): ShellState {
  const variables = new Map(state.variables).set(name, value);
  // What is not here holds some text, so what is too much may be left out.
  if (variables.size > mostVariables) variables.delete(name);
  return { ...state, variables };
}

/** What was known no longer holds: variables may have any value from here on. */
export function alter(state: ShellState, why: string): ShellState {
  return state.altered === undefined ? { ...state, altered: why, variables: new Map() } : state;
}

export function merge(a: ShellState, b: ShellState | undefined): ShellState {
  if (b === undefined || a === b) return a;
  const variables = [...a.variables].flatMap(([name, value]): (readonly [string, ShellValue])[] => {
    const other = b.variables.get(name);
    return other === undefined ? [] : [[name, mergeValues(value, other)]];
  });
  return { cwd: a.cwd === b.cwd ? a.cwd : undefined, variables: new Map(variables), altered: a.altered ?? b.altered };
}

export function mergeValues(a: ShellValue, b: ShellValue): ShellValue {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (isKnown(a) || isKnown(b) || a.names === undefined || b.names === undefined || a.from !== b.from) return someText;
  const plain = a.plain === true && b.plain === true;
  return { one: a.one && b.one, plain, from: a.from, names: [...new Set([...a.names, ...b.names])].sort() };
}

export function sameState(a: ShellState, b: ShellState): boolean {
  const text = ({ variables }: ShellState) => JSON.stringify([...variables].sort());
  return a.cwd === b.cwd && a.altered === b.altered && (a.variables === b.variables || text(a) === text(b));
}
