import { isNumber, type Value } from "./shell-state.ts";
import { isOrdinaryName } from "./variable-names.ts";

const token =
  /\s+|(?<assigned>[A-Za-z_]\w*)\s*(?:=(?!=)|(?<changed>[-+*/%&|^]=|<<=|>>=|\+\+|--))|(?:\+\+|--)(?<stepped>[A-Za-z_]\w*)|\d+#[0-9a-zA-Z]+|0[xX][0-9a-fA-F]+|\d+\b|\$?(?<name>[A-Za-z_]\w*)|\$\{(?<braced>[A-Za-z_]\w*)\}|\$(?<special>[?#])|[-+*/%<>=!&|^~?:(),]/y;

/**
 * An arithmetic expression of numbers and of variables that hold numbers, and which of them it changes. A variable
 * with any other text is calculated in its turn, subscripts and substitutions included, so it is refused.
 */
export function readArithmetic(
  expression: string,
  lookup: (name: string) => readonly Value[],
): { readonly changes: readonly string[] } | { readonly why: string } {
  const changes: string[] = [];
  let at = 0;
  while (at < expression.length) {
    token.lastIndex = at;
    const found = token.exec(expression);
    if (found === null || found[0] === "") return { why: `${expression} is calculated` };
    const { assigned, changed, stepped, name, braced } = found.groups ?? {};
    const target = assigned ?? stepped;
    if (target !== undefined && !isOrdinaryName(target)) return { why: `${target} is changed` };
    if (target !== undefined) changes.push(target);
    const used = name ?? braced ?? (changed !== undefined ? assigned : stepped);
    if (used !== undefined && !lookup(used).every(isNumber)) return { why: `${used} may hold more than a number` };
    at += found[0].length;
  }
  return { changes };
}
