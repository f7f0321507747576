import { matchedLinks, patternDirectory } from "../programs/match-pattern.ts";
import type { ShellWord } from "../programs/program-entry.ts";
import { expandValue, expandWord, isKnown, type ShellValue, someText } from "./expand-word.ts";
import { assign, merge, mergeValues, type ShellState, sameState } from "./state.ts";
import type { ForEach, ShellNode, SimpleCommand } from "./tree.ts";
import { isOrdinaryName } from "./variable-names.ts";
import { expansionOf, type FoundCommand, type ShellStep, type ShellWalk, step, stepOver, substitute } from "./walk.ts";

type CompoundNode = Extract<ShellNode, { kind: "conditional" | "loop" | "for-each" | "choice" }>;

export function visitCompound(node: CompoundNode, state: ShellState, walk: ShellWalk): ShellStep {
  const after = (body: ShellNode, before: ShellState) => either(walk.visit(body, before, walk));
  switch (node.kind) {
    case "conditional": {
      const ends: ShellState[] = [];
      let reached = state;
      for (const { test, body } of node.branches) {
        const tested = walk.visit(test, reached, walk);
        ends.push(after(body, tested.state));
        reached = tested.failed ?? tested.state;
      }
      return step(ends.reduce(merge, node.otherwise === undefined ? reached : after(node.otherwise, reached)));
    }
    case "loop":
      return repeat(state, walk, (entry, inner) => {
        const tested = inner.visit(node.test, entry, inner);
        const [enters = tested.state, leaves = tested.state] =
          node.word === "while" ? [tested.state, tested.failed] : [tested.failed, tested.state];
        return { exit: leaves, next: either(inner.visit(node.body, enters, inner)) };
      });
    case "for-each":
      return visitForEach(node, state, walk);
    case "choice": {
      const substituted = substitute(node.words, state, walk);
      if ("why" in substituted) return stepOver({ text: "case", why: substituted.why, inside: [] }, state, walk);
      return step(node.bodies.map((body) => after(body, state)).reduce(merge, state));
    }
  }
}

function either({ state, failed }: ShellStep): ShellState {
  return merge(state, failed);
}

/** A command that only assigns: each assignment sees those before it. */
export function assignAll(node: SimpleCommand, start: ShellState, walk: ShellWalk): ShellStep {
  let state = start;
  let certain = true;
  for (const { name, value } of node.assignments) {
    const substituted = substitute([value], state, walk);
    if ("why" in substituted) return stepOver({ ...node, why: substituted.why, inside: [] }, state, walk);
    if (state.altered !== undefined || !isOrdinaryName(name)) {
      return stepOver({ ...node, why: `it sets ${name}`, inside: [] }, state, walk);
    }
    certain &&= substituted.size === 0;
    state = assign(state, name, expandValue(value, expansionOf(substituted, state, walk, state.cwd ?? "/")));
  }
  return { state, output: someText, ...(!certain && { failed: state }) };
}

const mostRounds = 3;

/**
 * Goes round until nothing new can be known at the start of a round. Only the last round is reported: it covers
 * whatever the others did.
 */
function repeat(
  start: ShellState,
  walk: ShellWalk,
  round: (entry: ShellState, walk: ShellWalk) => { readonly exit: ShellState; readonly next: ShellState },
): ShellStep {
  let entry = start;
  for (let count = 0; count < mostRounds; count++) {
    const found: FoundCommand[] = [];
    const jumps: ShellState[] = [];
    const { exit, next } = round(entry, { ...walk, found, jumps, repeats: true });
    const again = [next, ...jumps].reduce(merge, entry);
    if (sameState(again, entry)) {
      walk.found.push(...found);
      return step(jumps.reduce(merge, exit));
    }
    entry = again;
    if (count === mostRounds - 1) walk.found.push(...found);
  }
  return stepOver({ text: "loop", why: "what it does differs from round to round", inside: [] }, start, walk);
}

const mostRuns = 16;

function visitForEach(node: ForEach, start: ShellState, walk: ShellWalk): ShellStep {
  const substituted = substitute(node.words, start, walk);
  const over = (why: string) => stepOver({ text: `for ${node.name}`, why, inside: [] }, start, walk);
  if ("why" in substituted) return over(substituted.why);
  if (!isOrdinaryName(node.name)) return over("it sets the name");
  const cwd = start.cwd ?? "/";
  const expansion = expansionOf(substituted, start, walk, cwd);
  const values = node.words.flatMap((word) => expandWord(word, expansion)).map((word) => boundValue(word, cwd, walk));
  if (values.every(isKnown) && values.length <= mostRuns) return runInTurn(node, values, start, walk);
  const value = values.length === 0 ? someText : values.reduce(mergeValues);
  return repeat(start, walk, (entry, inner) => ({
    exit: entry,
    next: either(inner.visit(node.body, assign(entry, node.name, value), inner)),
  }));
}

function runInTurn(node: ForEach, values: readonly ShellValue[], start: ShellState, walk: ShellWalk): ShellStep {
  const left: ShellState[] = [];
  const seen = new Set<string>();
  let state = start;
  for (const value of values) {
    const found: FoundCommand[] = [];
    const jumps: ShellState[] = [];
    state = jumps.reduce(
      merge,
      either(walk.visit(node.body, assign(state, node.name, value), { ...walk, found, jumps })),
    );
    left.push(...jumps);
    for (const entry of found) {
      const key = JSON.stringify(entry);
      if (!seen.has(key)) walk.found.push(entry);
      seen.add(key);
    }
  }
  return step(left.reduce(merge, state));
}

function boundValue(word: ShellWord, cwd: string, { view }: ShellWalk): ShellValue {
  if (word.unknown !== undefined) {
    const { mayBeEmpty: _never, ...unknown } = word.unknown;
    return { ...unknown, one: true };
  }
  const text = word.tilde ? view.workspace.home + word.value.slice(1) : word.value;
  if (!word.glob) return { text };
  const directory = patternDirectory(text, cwd);
  const links = directory === undefined ? undefined : matchedLinks(text, { view, cwd });
  if (directory === undefined || links === undefined || links.length > 0) return someText;
  return { one: true, names: [directory], from: cwd, ...(/^[^-*?[]/.test(text) && { plain: true }) };
}
