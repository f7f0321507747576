import { type CommandReading, notUnderstood } from "../../programs/program-entry.ts";
import { choicesOf, evaluate, expansionIn } from "./evaluate.ts";
import { expandValue } from "./expand-word.ts";
import { placeIn } from "./place.ts";
import { isNumber, type ShellState, type Value } from "./shell-state.ts";
import type { TestCommand } from "./shell-tree.ts";
import { comparisons, fileEffects, fileTests, terminalTest, textTests } from "./test-operators.ts";
import { type Step, step, stepOver, type Walk } from "./walk.ts";

/** `[[ … ]]`. Its numbers are calculated, so they must be numbers already. */
export function visitTest(node: TestCommand, start: ShellState, walk: Walk): Step {
  const templates = node.tests.flatMap(({ words }) => words);
  const evaluated = evaluate(templates, start, walk);
  if ("why" in evaluated) return stepOver({ text: node.text, why: evaluated.why, inside: [] }, start, walk);
  const { state } = evaluated;
  const effects = state.directories.flatMap((cwd) =>
    choicesOf(templates, state).flatMap((choice) => {
      const place = placeIn(cwd, state, walk);
      const expansion = expansionIn(cwd, choice, evaluated, walk);
      return node.tests.flatMap(({ operator, words }) => {
        const values = words.map((word) => expandValue(word, expansion));
        const why = refusal(operator, values);
        if (why !== undefined) return notUnderstood(why).effects;
        return fileTests.has(operator) ? values.flatMap((value) => fileEffects(value, place)) : [];
      });
    }),
  );
  const reading = unsettled(state) ?? { effects, reason: "[[ tests" };
  walk.found.push({ part: { text: node.text, words: ["[["], ...reading } });
  const unclear = reading.effects.some((effect) => effect.op === "unknown");
  return step(unclear ? { ...state, altered: state.altered ?? "[[" } : state);
}

/** Where it may stand anywhere, nothing of it was looked at. */
function unsettled({ altered, directories }: ShellState): CommandReading | undefined {
  if (altered !== undefined) return notUnderstood(`${altered} changed the shell before it`);
  return directories.length === 0 ? notUnderstood("the working directory is not certain") : undefined;
}

function refusal(operator: string, values: readonly Value[]): string | undefined {
  if (comparisons.has(operator) || operator === terminalTest) {
    return values.every(isNumber) ? undefined : `${operator} calculates what it is given`;
  }
  if (operator === "=~" || fileTests.has(operator) || textTests.has(operator)) return undefined;
  return `the test ${operator} is not in the tables`;
}
