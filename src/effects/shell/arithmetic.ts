import { assign, isKnown, isNumber, type ShellState, someNumber, someText, type Value } from "./shell-state.ts";
import { isOrdinaryName } from "./variable-names.ts";

type Doubt = { readonly why: string };

/** What an expression does to variables. */
interface Calculation {
  readonly changes: readonly string[];
  /** `&&`, `||` or `?` stands in it: a change may be left out. */
  readonly perhaps: boolean;
}

/**
 * An expression of numbers and of variables that hold numbers. A variable with any other text is calculated in its
 * turn, subscripts and substitutions included, so it is refused; and so is whatever may be an error, because bash
 * drops the rest of the line then.
 */
export function calculate(
  expression: string,
  state: ShellState,
): { readonly state: ShellState; readonly changes: readonly string[] } | Doubt {
  const before = (name: string): readonly Value[] => state.variables.get(name) ?? [someText];
  const read = readArithmetic(expression, before);
  if ("why" in read) return read;
  const after = read.changes.reduce(
    (next, name) => assign(next, name, read.perhaps ? [...before(name), someNumber] : [someNumber]),
    state,
  );
  return { state: after, changes: read.changes };
}

function readArithmetic(expression: string, lookup: (name: string) => readonly Value[]): Calculation | Doubt {
  const tokens = expression.length > longest ? undefined : tokensOf(expression);
  if (tokens === undefined) return { why: `${expression.slice(0, 40)} is calculated` };
  const used = tokens.find(
    ({ name, kind, text }) =>
      name !== undefined &&
      kind !== "set" &&
      !lookup(name).every((value) => isNumber(value) && !(text === "$" && !isKnown(value) && value.mayBeEmpty)),
  );
  if (used !== undefined) return { why: `${used.name} may hold more than a number` };
  const changes = tokens.flatMap(({ kind, name }) => (kind !== "value" && name !== undefined ? [name] : []));
  const odd = changes.find((name) => !isOrdinaryName(name));
  if (odd !== undefined) return { why: `${odd} is changed` };
  const seen = tokens.map((token) => withNumber(token, changes, lookup));
  if (tokens.length > 0 && readList(seen, 0, 0) !== tokens.length) return { why: `${expression} is calculated` };
  return { changes, perhaps: tokens.some(({ text }) => text === "&&" || text === "||" || text === "?") };
}

/** A variable that holds a number which is known, and is not changed on the way, counts as that number. */
function withNumber(token: Token, changes: readonly string[], lookup: (name: string) => readonly Value[]): Token {
  const { name, kind } = token;
  if (name === undefined || kind !== "value" || changes.includes(name)) return token;
  const texts = lookup(name).map((value) => (isKnown(value) ? value.text : "0"));
  return texts.every((text) => /^[1-9]\d*$/.test(text)) ? { ...token, text: texts[0] ?? token.text } : token;
}

const longest = 2_000;
const deepest = 24;

interface Token {
  readonly text: string;
  /** A variable may be set without being looked at: `x = 1`. */
  readonly kind: "value" | "set" | "changed" | "sign";
  readonly name?: string;
}

const pattern =
  /\s*(?:(?<set>[A-Za-z_]\w*)\s*=(?!=)|(?<changed>[A-Za-z_]\w*)\s*(?:(?:[-+*&|^]|<<|>>)=|(?<divided>[/%]=)|(?<stepped>\+\+|--))|(?:\+\+|--)(?<before>[A-Za-z_]\w*)|(?<number>16#[0-9a-fA-F]{1,15}\b|0[xX][0-9a-fA-F]{1,15}\b|0[0-7]{0,15}\b|[1-9]\d{0,17}\b)|(?<![A-Za-z_]\w*\s*[-+])\$(?:(?<filled>[A-Za-z_]\w*)|\{(?<braced>[A-Za-z_]\w*)\}|(?<special>[?#]|\{#[A-Za-z_]\w*(?:\[[@*]\])?\}))|(?<name>[A-Za-z_]\w*)|(?<sign>\*\*|<<|>>|<=|>=|==|!=|&&|\|\||-(?!-)|\+(?!\+)|[*/%<>!&|^~?:(),]))/y;

function tokensOf(expression: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const text = expression.trimEnd();
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.groups;
    if (found === undefined) return undefined;
    const { set, changed, divided, stepped, before, number, filled, braced, special, name, sign } = found;
    const value = filled ?? braced ?? name;
    if (set !== undefined) tokens.push({ text: "=", kind: "set", name: set });
    else if (changed !== undefined && stepped === undefined)
      tokens.push({ text: divided ?? "=", kind: "changed", name: changed });
    else if (changed !== undefined || before !== undefined)
      tokens.push({ text: "x", kind: "changed", name: changed ?? before ?? "" });
    else if (sign !== undefined) tokens.push({ text: sign, kind: "sign" });
    else {
      const text = number ?? (name === undefined ? "$" : "x");
      tokens.push({ text, kind: "value", ...(special !== undefined || value === undefined ? {} : { name: value }) });
    }
  }
  return tokens;
}

const binary: ReadonlySet<string> = new Set("** * / % + - << >> < > <= >= == != & ^ | && ||".split(" "));
const unary: ReadonlySet<string> = new Set(["!", "~", "-", "+"]);
/** An exponent below zero and a divisor that is zero are errors: both have to be seen. */
const needsNumber: ReadonlySet<string> = new Set(["**", "/", "%", "/=", "%="]);

/** Each of these gives the place behind what it read, or `undefined`. */
function readList(tokens: readonly Token[], start: number, depth: number): number | undefined {
  let at = readAssigned(tokens, start, depth);
  while (at !== undefined && tokens[at]?.text === ",") at = readAssigned(tokens, at + 1, depth);
  return at;
}

function readAssigned(tokens: readonly Token[], start: number, depth: number): number | undefined {
  let at = start;
  for (let token = tokens[at]; token !== undefined && isAssignment(token); token = tokens[at]) {
    if (needsNumber.has(token.text) && !isDivisor(tokens, at + 1, endsValue)) return undefined;
    at += 1;
  }
  return readChoice(tokens, at, depth);
}

function isAssignment({ kind, text }: Token): boolean {
  return kind === "set" || (kind === "changed" && text !== "x");
}

function readChoice(tokens: readonly Token[], start: number, depth: number): number | undefined {
  const test = readOperations(tokens, start, depth);
  if (test === undefined || tokens[test]?.text !== "?") return test;
  const colon = depth > deepest ? undefined : readList(tokens, test + 1, depth + 1);
  if (colon === undefined || tokens[colon]?.text !== ":") return undefined;
  return readChoice(tokens, colon + 1, depth + 1);
}

function readOperations(tokens: readonly Token[], start: number, depth: number): number | undefined {
  let at = readOperand(tokens, start, depth);
  while (at !== undefined) {
    const sign = tokens[at];
    if (sign?.kind !== "sign" || !binary.has(sign.text)) return at;
    if (needsNumber.has(sign.text) && !isDivisor(tokens, at + 1)) return undefined;
    at = readOperand(tokens, at + 1, depth);
  }
  return at;
}

function readOperand(tokens: readonly Token[], start: number, depth: number): number | undefined {
  let at = start;
  while (tokens[at]?.kind === "sign" && unary.has(tokens[at]?.text ?? "")) at += 1;
  const token = tokens[at];
  if (token?.text === "(" && depth <= deepest) {
    const close = readList(tokens, at + 1, depth + 1);
    return close !== undefined && tokens[close]?.text === ")" ? close + 1 : undefined;
  }
  const operand = token?.kind === "value" || (token?.kind === "changed" && token.text === "x");
  return operand ? at + 1 : undefined;
}

const endsValue = /^[,):]?$/;
const endsDivisor = /^(?!\*\*)/;

/** A number that is written there and is not zero, by itself. */
function isDivisor(tokens: readonly Token[], at: number, end = endsDivisor): boolean {
  const token = tokens[at];
  if (token?.kind !== "value" || !/^(?:0[xX]?|16#)[0-9a-fA-F]*[1-9a-fA-F]|^[1-9]\d*$/.test(token.text)) return false;
  return end.test(tokens[at + 1]?.text ?? "");
}
