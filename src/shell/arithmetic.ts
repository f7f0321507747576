import { isNumber, someNumber, someText } from "./expand-word.ts";
import { assign, type ShellState } from "./state.ts";
import { isOrdinaryName } from "./variable-names.ts";

const operand = String.raw`[-+!~]?\s*(?:0|[1-9]\d{0,15}|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|\$[?#])`;
const sign = String.raw`(?:\*(?!\*)|<<|>>|[<>=!]=|[-+<>&|^]|&&|\|\|)`;
const plain = new RegExp(String.raw`^\s*${operand}\s*(?:${sign}\s*${operand}\s*|[/%]\s*[1-9]\d*\s*)*$`);
const bracket = new RegExp(String.raw`\((\s*${operand}\s*(?:${sign}\s*${operand}\s*|[/%]\s*[1-9]\d*\s*)*)\)`);
const change = /^\s*(?:(\w+)\s*(?:[-+*]?=(?!=)\s*(.*)|\+\+|--)|(?:\+\+|--)(\w+))\s*$/s;

/**
 * An expression of numbers and of variables that hold numbers. A variable with any other text is calculated in its
 * turn, substitutions included, so it is refused; and so is whatever may be an error, because bash drops the rest of
 * the line then.
 */
export function calculate(expression: string, state: ShellState): ShellState | { readonly why: string } {
  const why = `${expression.slice(0, 40)} is calculated`;
  if (expression.length > 500) return { why };
  const [, set, value, stepped] = change.exec(expression) ?? [];
  const name = set ?? stepped;
  const isNamed = name !== undefined && /^[A-Za-z_]/.test(name);
  let rest = isNamed ? (value ?? "0") : expression;
  while (bracket.test(rest)) rest = rest.replace(bracket, " 1 ");
  if (!plain.test(rest) || /\+\+|--/.test(rest)) return { why };
  const sets = isNamed && value !== undefined && !/[-+*]=/.test(expression.slice(0, expression.indexOf("=") + 1));
  const read = expression.replace(sets ? /^[^=]*=/ : /^/, "").matchAll(/(?<![\w])[A-Za-z_]\w*/g);
  const used = [...read].find(([one]) => {
    const held = state.variables.get(one) ?? someText;
    return !isNumber(held) || ("mayBeEmpty" in held && expression.includes("$"));
  });
  if (used !== undefined) return { why: `${used[0]} may hold more than a number` };
  if (!isNamed) return state;
  return isOrdinaryName(name) ? assign(state, name, someNumber) : { why: `${name} is changed` };
}
