import { closesBrackets } from "./regex-text.ts";

type Token =
  | { readonly kind: "number" | "name" | "string" | "regex" | "newline"; readonly text: string }
  /** A name with its opening parenthesis right behind it. */
  | { readonly kind: "call"; readonly text: string }
  | { readonly kind: "sign"; readonly text: string };

/**
 * Why an awk program may do more than print, or nothing when it only prints. The words of the language are
 * taken one by one; the few that run programs, read other files or write are refused, and so is every place
 * where awks disagree about what is a pattern and what is a division.
 */
export function awkObjection(program: string): string | undefined {
  const tokens = readTokens(program);
  if ("why" in tokens) return tokens.why;
  let depth = 0;
  let printing: { readonly depth: number } | undefined;
  for (const [index, token] of tokens.list.entries()) {
    const before = tokens.list[index - 1];
    if (token.kind === "name" || token.kind === "call") {
      const objection = nameObjection(token);
      if (objection !== undefined) return objection;
      if (token.text === "print" || token.text === "printf") printing = { depth };
    }
    if (token.kind === "newline" && printing !== undefined) {
      // After an operator the statement goes on in the next line.
      if (!endsOperand(before)) return "a print goes on in the next line";
      printing = undefined;
    }
    if (token.kind === "call" || token.text === "(" || token.text === "[") depth++;
    if (token.kind !== "sign") continue;
    if (token.text === ")" || token.text === "]") depth--;
    if (token.text === ";" || token.text === "}") printing = undefined;
    if (token.text === ">" && printing?.depth === depth && !toTerminal(tokens.list, index)) {
      return "print > writes a file";
    }
  }
  return depth === 0 ? undefined : "a parenthesis is not closed";
}

/** `print "x" > "/dev/stderr"` is a message. */
function toTerminal(tokens: readonly Token[], index: number): boolean {
  const target = tokens[index + 1];
  const end = tokens[index + 2];
  const closes = end === undefined || end.kind === "newline" || end.text === ";" || end.text === "}";
  return target?.kind === "string" && /^"\/dev\/std(?:err|out)"$/.test(target.text) && closes;
}

function nameObjection({ kind, text }: Token): string | undefined {
  if (Object.hasOwn(refused, text)) return `${text} of awk ${refused[text]}`;
  if (kind === "call" && !functions.has(text) && !statements.has(text)) return `the awk function ${text} is not known`;
  return undefined;
}

function readTokens(program: string): { readonly list: readonly Token[] } | { readonly why: string } {
  const list: Token[] = [];
  const openers: (Token | undefined)[] = [];
  let closedBy: Token | undefined;
  let at = 0;
  while (at < program.length) {
    const rest = program.slice(at);
    const blank = /^(?:[ \t]+|\\\n|#[^\n]*)/.exec(rest)?.[0];
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const last = list.at(-1);
    const token = rest.startsWith("/") ? readSlash(rest, last, closedBy) : readPlain(rest);
    if (token === undefined)
      return { why: `the awk program has ${JSON.stringify(rest[0])} where it is not understood` };
    if (token.text === "(" || token.kind === "call") openers.push(token.kind === "call" ? token : last);
    if (token.text === ")" && token.kind === "sign") closedBy = openers.pop();
    list.push(token);
    at += token.text.length + (token.kind === "call" ? 1 : 0);
  }
  return { list };
}

function readPlain(rest: string): Token | undefined {
  for (const [kind, shape] of shapes) {
    const text = shape.exec(rest)?.[0];
    if (text === undefined) continue;
    return kind === "name" && rest[text.length] === "(" ? { kind: "call", text } : { kind, text };
  }
  return undefined;
}

const shapes: readonly (readonly [Exclude<Token["kind"], "call" | "regex">, RegExp])[] = [
  ["newline", /^\n/],
  ["number", /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/],
  ["name", /^[A-Za-z_]\w*/],
  ["string", /^"(?:[^"\\\n]|\\[^\n])*"/],
  ["sign", /^(?:&&|\|\||==|!=|<=|>=(?!>)|!~|\+\+|--|\*\*=?|[-+*%^]=|[-+*%^=<!~?:,;$(){}[\]]|>(?!>))/],
];

/** A division behind an operand, a pattern elsewhere, and nothing where programs may differ. */
function readSlash(rest: string, last: Token | undefined, closedBy: Token | undefined): Token | undefined {
  const afterCondition = last?.text === ")" && closedBy !== undefined && statements.has(closedBy.text);
  if (afterCondition || last?.text === "++" || last?.text === "--") return undefined;
  if (last?.kind === "string" || last?.kind === "regex") return undefined;
  if (last?.kind === "name" && (functions.has(last.text) || notEverywhere.has(last.text))) return undefined;
  if (endsOperand(last)) return { kind: "sign", text: /^\/=?/.exec(rest)?.[0] ?? "/" };
  const text = /^\/(?:[^/\\\n]|\\[^\n])*\//.exec(rest)?.[0];
  return text !== undefined && closesBrackets(text.slice(1, -1)) ? { kind: "regex", text } : undefined;
}

function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === "name") return !statements.has(token.text);
  if (token.kind === "sign") return /^(?:[)\]]|\+\+|--)$/.test(token.text);
  return token.kind === "number" || token.kind === "string" || token.kind === "regex";
}

const statements: ReadonlySet<string> = new Set(
  "BEGIN END BEGINFILE ENDFILE if else while for do break continue next nextfile exit delete in print printf".split(
    " ",
  ),
);
/** Statements to some of these programs, names of variables to others. */
const notEverywhere: ReadonlySet<string> = new Set(["BEGINFILE", "ENDFILE", "nextfile"]);
const functions: ReadonlySet<string> = new Set([
  ..."length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper".split(
    " ",
  ),
  ..."gensub strftime systime mktime asort asorti patsplit strtonum and or xor lshift rshift compl isarray typeof".split(
    " ",
  ),
]);
const refused: Readonly<Record<string, string>> = {
  system: "runs a command",
  getline: "reads from files and programs",
  close: "handles files and programs",
  fflush: "handles files and programs",
  ARGV: "chooses which files are read",
  ARGC: "chooses which files are read",
  ENVIRON: "is the environment",
  SYMTAB: "reaches every variable",
  FUNCTAB: "reaches every function",
  function: "defines a function",
  func: "defines a function",
  return: "belongs to a function",
  switch: "is not understood",
  extension: "loads code",
  adump: "is not understood",
  stopme: "is not understood",
  bindtextdomain: "chooses where messages are read",
  dcgettext: "is not understood",
  dcngettext: "is not understood",
};
