import { boundValue } from "./bound-value.ts";
import { choicesOf, type Evaluated, evaluate, expansionIn } from "./evaluate.ts";
import { expandValue, expandWord } from "./expand-word.ts";
import { type ArrayValue, assign, assignArray, isKnown, type ShellState, someText, type Value } from "./shell-state.ts";
import type { ArrayElement, Assignment, SimpleCommand, WordTemplate } from "./shell-tree.ts";
import { isOrdinaryName } from "./variable-names.ts";
import { type Step, step, stepOver, type Walk } from "./walk.ts";

/** A command that only assigns: each one sees those before it. */
export function assignAll(node: SimpleCommand, start: ShellState, walk: Walk): Step {
  let state = start;
  let certain = true;
  for (const assignment of node.assignments) {
    const { name, value, elements } = assignment;
    const evaluated = evaluate(elements?.map((element) => element.value) ?? [value], state, walk);
    if ("why" in evaluated) return stepOver({ ...node, why: evaluated.why, inside: [] }, state, walk);
    const next =
      state.altered === undefined && isOrdinaryName(name) ? assignOne(assignment, evaluated, walk) : undefined;
    if (next === undefined) return stepOver({ ...node, why: `it sets ${name}`, inside: [] }, state, walk);
    state = next;
    certain &&= evaluated.substituted.size === 0;
  }
  return { ...step(state), certain };
}

function assignOne(assignment: Assignment, evaluated: Evaluated, walk: Walk): ShellState | undefined {
  const { name, value, adds, key, elements } = assignment;
  const { state } = evaluated;
  if (elements !== undefined) return assignElements(name, elements, adds, evaluated, walk);
  const values = valuesOf(value, evaluated, walk);
  if (key !== undefined) return assignElement(name, key, values, state);
  if (!adds) return assign(state, name, values);
  const before = state.variables.get(name) ?? [someText];
  return assign(
    state,
    name,
    before.flatMap((one) => values.map((more) => joined(one, more))),
  );
}

function joined(one: Value, more: Value): Value {
  return isKnown(one) && isKnown(more) && one.text.length + more.text.length <= longest
    ? { text: one.text + more.text }
    : someText;
}

const longest = 4_096;

function valuesOf(value: WordTemplate, evaluated: Evaluated, walk: Walk): readonly Value[] {
  const { state } = evaluated;
  const values = state.directories.flatMap((cwd) =>
    choicesOf([value], state).map((choice) => expandValue(value, expansionIn(cwd, choice, evaluated, walk))),
  );
  return values.length === 0 ? [someText] : values;
}

/** `name=(…)`. Which elements there are is certain where there is one way to expand them. */
function assignElements(
  name: string,
  elements: readonly ArrayElement[],
  adds: boolean,
  evaluated: Evaluated,
  walk: Walk,
): ShellState | undefined {
  const { state } = evaluated;
  const before = state.arrays.get(name);
  const keyed = before?.keyed === true;
  if (elements.some(({ key }) => key !== undefined && !keyed && !isIndex(key))) return undefined;
  const templates = elements.map(({ value }) => value);
  const ways = state.directories.flatMap((cwd) =>
    choicesOf(templates, state).map((choice) => {
      const expansion = expansionIn(cwd, choice, evaluated, walk);
      return elements.flatMap(({ key, value }): readonly Element[] => {
        if (key !== undefined) return [{ value: expandValue(value, expansion), single: false }];
        return expandWord(value, expansion).map((word) => ({
          value: boundValue(word, cwd, walk),
          single: !word.glob && word.unknown?.one !== false,
        }));
      });
    }),
  );
  const [only, second] = ways;
  const sure = only !== undefined && second === undefined && !keyed && only.every(({ single }) => single);
  const added: ArrayValue = {
    exact: sure,
    values: ways.length === 0 ? [someText] : ways.flat().map(({ value }) => value),
    keyed,
  };
  return assignArray(state, name, adds ? append(before ?? single(name, state), added) : added);
}

interface Element {
  readonly value: Value;
  /** It is one element, in its turn. */
  readonly single: boolean;
}

/** What is no array becomes the first element of one, if it is set at all. */
function single(name: string, { variables }: ShellState): ArrayValue {
  return { exact: false, values: variables.get(name) ?? [someText], keyed: false };
}

function append(before: ArrayValue, added: ArrayValue): ArrayValue {
  return { exact: before.exact && added.exact, values: [...before.values, ...added.values], keyed: before.keyed };
}

function assignElement(name: string, key: string, values: readonly Value[], state: ShellState): ShellState | undefined {
  const before = state.arrays.get(name) ?? single(name, state);
  if (!before.keyed && !isIndex(key)) return undefined;
  if (mayBeNothing(key, state)) return undefined;
  return assignArray(state, name, { ...before, exact: false, values: [...before.values, ...values] });
}

/** An empty key is an error, and bash drops the rest of the line then. */
function mayBeNothing(key: string, { variables }: ShellState): boolean {
  const name = /^"?\$(\w+)"?$/.exec(key)?.[1];
  const values = name === undefined ? [] : (variables.get(name) ?? [someText]);
  return values.some((value) =>
    isKnown(value) ? value.text === "" : value.names === undefined || value.mayBeEmpty === true,
  );
}

/** Without zeros in front, which would make it another base or an error. */
function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,5})$/.test(key);
}
