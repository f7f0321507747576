import { calculate } from "./arithmetic.ts";
import { boundValue } from "./bound-value.ts";
import { noteCarried, noteListed } from "./downloaded-code.ts";
import { choicesOf, evaluate, expansionIn } from "./evaluate.ts";
import { expandWord } from "./expand-word.ts";
import { linesOf, takenNames } from "./read-names.ts";
import { assign, merge, type ShellState, sameState, someText, type Value } from "./shell-state.ts";
import type { ForEach, Loop, ShellNode, SimpleCommand } from "./shell-tree.ts";
import { isOrdinaryName } from "./variable-names.ts";
import { visitTest } from "./visit-test.ts";
import { type Found, type Step, step, stepOver, type Walk } from "./walk.ts";

type Compound = Extract<
  ShellNode,
  { kind: "conditional" | "loop" | "for-each" | "choice" | "test" | "arithmetic" | "definition" }
>;

export function visitCompound(node: Compound, state: ShellState, walk: Walk): Step {
  switch (node.kind) {
    case "conditional": {
      const ends: ShellState[] = [];
      let reached = state;
      for (const { test, body } of node.branches) {
        reached = walk.visit(test, reached, walk).state;
        ends.push(walk.visit(body, reached, walk).state);
      }
      const otherwise = node.otherwise === undefined ? reached : walk.visit(node.otherwise, reached, walk).state;
      return step(merge(otherwise, ...ends));
    }
    case "loop":
      return repeat(state, walk, (entry, inner) => {
        if (node.test.kind === "simple") noteCarried(node.test, [], inner);
        const line = readLine(node, entry);
        const tested = line?.taken ?? inner.visit(node.test, entry, inner).state;
        const next = inner.visit(node.body, tested, inner).state;
        return { exit: line?.ended ?? tested, next };
      });
    case "for-each":
      return visitForEach(node, state, walk);
    case "choice": {
      const evaluated = evaluate(node.words, state, walk);
      if ("why" in evaluated) return stepOver({ text: "case", why: evaluated.why, inside: [] }, state, walk);
      const ends = node.bodies.map((body) => walk.visit(body, evaluated.state, walk).state);
      return step(merge(evaluated.state, ...ends));
    }
    case "test":
      return visitTest(node, state, walk);
    case "arithmetic": {
      const read = calculate(node.expression, state);
      return "why" in read ? stepOver({ text: node.text, why: read.why, inside: [] }, state, walk) : step(read.state);
    }
    case "definition":
      return step({ ...state, functions: new Map([...state.functions, [node.name, node.body]]) });
  }
}

const mostRounds = 6;

/**
 * Goes round until nothing new can be known at the start of a round. Only the last round is reported: it covers
 * whatever the others did.
 */
function repeat(
  start: ShellState,
  walk: Walk,
  round: (entry: ShellState, walk: Walk) => { readonly exit: ShellState; readonly next: ShellState },
): Step {
  let entry = start;
  for (let count = 0; count < mostRounds; count++) {
    const found: Found[] = [];
    const jumps: ShellState[] = [];
    const { exit, next } = round(entry, { ...walk, found, jumps, repeats: true });
    const again = merge(entry, next, ...jumps);
    if (sameState(again, entry)) {
      walk.found.push(...found);
      return step(merge(exit, ...jumps));
    }
    entry = again;
    if (count === mostRounds - 1) walk.found.push(...found);
  }
  return stepOver({ text: "loop", why: "what it does differs from round to round", inside: [] }, start, walk);
}

/** `while read -r name`: each round takes a line. Anywhere else `read` changes the shell. */
function readLine(
  { test, word }: Loop,
  state: ShellState,
): { readonly taken: ShellState; readonly ended: ShellState } | undefined {
  if (word === "until" || test.kind !== "simple" || test.redirects.length > 0) return undefined;
  if (state.altered !== undefined) return undefined;
  const words = literalWords(test);
  const separators = test.assignments.every(
    ({ name, value }) => name === "IFS" && value.pieces.every((piece) => piece.kind === "text"),
  );
  if (words?.[0] !== "read" || state.functions.has("read") || !separators || test.assignments.length > 1)
    return undefined;
  const told = takenNames("read", words.slice(1));
  // With a count or a time limit a piece of a line is taken.
  if (told === undefined || [...told.flags].some((flag) => flag !== "r")) return undefined;
  const { names, ends } = told;
  const set = (values: readonly Value[]) => names.reduce((next, name) => assign(next, name, values), state);
  // Cut at another sign, or with signs taken off its ends, a line is some text.
  const blanks = test.assignments.every(({ value }) =>
    value.pieces.every((piece) => piece.kind === "text" && /^[ \t\n]*$/.test(piece.value)),
  );
  const whole = names.length === 1 && blanks && ends.every((end) => end === "");
  const lines = whole ? linesOf(state.input, ends.length > 0) : [someText];
  return { taken: set(lines), ended: { ...set([someText]), input: someText } };
}

function literalWords({ words }: SimpleCommand): string[] | undefined {
  const texts = words.map(({ pieces }) =>
    pieces.every((piece) => piece.kind === "text") ? pieces.map((piece) => piece.value).join("") : undefined,
  );
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

const mostRuns = 8;

function visitForEach(node: ForEach, start: ShellState, walk: Walk): Step {
  const from = walk.found.length;
  const evaluated = evaluate(node.words, start, walk);
  noteListed(node, walk.found.slice(from), walk);
  if ("why" in evaluated) return stepOver({ text: `for ${node.name}`, why: evaluated.why, inside: [] }, start, walk);
  if (!isOrdinaryName(node.name))
    return stepOver({ text: `for ${node.name}`, why: "it sets the name", inside: [] }, start, walk);
  const { state } = evaluated;
  const lists = state.directories.flatMap((cwd) =>
    choicesOf(node.words, state).map((choice) => {
      const expansion = expansionIn(cwd, choice, evaluated, walk);
      return node.words.flatMap((word) => expandWord(word, expansion)).map((word) => boundValue(word, cwd, walk));
    }),
  );
  const [list, other] = lists;
  if (list !== undefined && other === undefined && list.length <= mostRuns && list.every((value) => "text" in value)) {
    return runInTurn(node, list, state, walk);
  }
  const values = lists.flat();
  return repeat(state, walk, (entry, inner) => {
    const bound = assign(entry, node.name, values.length === 0 ? [someText] : values);
    return { exit: entry, next: inner.visit(node.body, bound, inner).state };
  });
}

function runInTurn(node: ForEach, values: readonly Value[], start: ShellState, walk: Walk): Step {
  const leaves: ShellState[] = [];
  const seen = new Set<string>();
  let state = start;
  for (const value of values) {
    const found: Found[] = [];
    const jumps: ShellState[] = [];
    const ended = walk.visit(node.body, assign(state, node.name, [value]), { ...walk, found, jumps });
    state = merge(ended.state, ...jumps);
    leaves.push(...jumps);
    for (const entry of found) {
      const key = JSON.stringify(entry);
      if (!seen.has(key)) walk.found.push(entry);
      seen.add(key);
    }
  }
  return step(merge(state, ...leaves));
}
