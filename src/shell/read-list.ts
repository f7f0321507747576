import { opaque, readRedirect, readSimple, redirection, skipBlanks, skipLines, unexpected } from "./read-simple.ts";
import { type Cursor, peek, readWord, take, UnclearText } from "./read-word.ts";
import type { SequenceItem, ShellNode, ShellRedirect, WordTemplate } from "./tree.ts";

const deepest = 60;

/** Up to the end of the text, or to what closes the list, which is left. */
export function readList(cursor: Cursor, close: RegExp | undefined): ShellNode {
  if (cursor.depth > deepest) throw new UnclearText("commands are nested too deeply");
  const items: SequenceItem[] = [];
  const isOver = () => cursor.at >= cursor.source.length || (close !== undefined && peek(cursor, close) !== undefined);
  for (skipLines(cursor); !isOver(); skipLines(cursor)) {
    const [first, ...rest] = readAndOr(cursor);
    const list: ShellNode = rest.length === 0 ? first.node : { kind: "sequence", items: [first, ...rest] };
    const before = items.length === 0 ? "start" : ";";
    skipBlanks(cursor);
    if (take(cursor, /&(?!&)/y)) items.push({ node: { kind: "background", body: list }, before });
    else {
      items.push({ node: first.node, before }, ...rest);
      if (!take(cursor, /;(?!;)/y) && peek(cursor, /\n/y) === undefined && !isOver()) throw unexpected(cursor);
    }
  }
  if (close !== undefined && cursor.at >= cursor.source.length) throw new UnclearText("a list does not end");
  const [only] = items;
  return items.length === 1 && only !== undefined ? only.node : { kind: "sequence", items };
}

/** As `readList`, with what closes it, and at least one command. */
function readClosed(cursor: Cursor, close: RegExp): ShellNode {
  cursor.depth += 1;
  const list = readList(cursor, close);
  cursor.depth -= 1;
  if (list.kind === "sequence" && list.items.length === 0) throw unexpected(cursor);
  take(cursor, close);
  return list;
}

function readAndOr(cursor: Cursor): readonly [SequenceItem, ...SequenceItem[]] {
  const items: [SequenceItem, ...SequenceItem[]] = [{ node: readPipeline(cursor), before: "start" }];
  for (skipBlanks(cursor); ; skipBlanks(cursor)) {
    const operator = take(cursor, /&&|\|\|/y)?.[0];
    if (operator !== "&&" && operator !== "||") return items;
    skipLines(cursor);
    items.push({ node: readPipeline(cursor), before: operator });
  }
}

function readPipeline(cursor: Cursor): ShellNode {
  const negated = take(cursor, /(?:(?:!|time(?=[ \t]+[^\s-]))[ \t]+)*/y)?.[0].includes("!") === true;
  cursor.negates ||= negated;
  const first = readCommand(cursor);
  const commands = [first];
  let withErrors = false;
  for (skipBlanks(cursor); ; skipBlanks(cursor)) {
    const sign = take(cursor, /\|&|\|(?!\|)/y)?.[0];
    if (sign === undefined) break;
    withErrors ||= sign === "|&";
    skipLines(cursor);
    commands.push(readCommand(cursor));
  }
  if (commands.length > 1) return { kind: "pipeline", commands, withErrors };
  return negated ? { kind: "group", copy: false, body: first, redirects: [] } : first;
}

function readCommand(cursor: Cursor): ShellNode {
  const start = cursor.at;
  for (const { begins, read } of compounds) {
    if (peek(cursor, begins) === undefined) continue;
    const body = read(cursor);
    const redirects: ShellRedirect[] = [];
    for (skipBlanks(cursor); peek(cursor, redirection) !== undefined; skipBlanks(cursor)) {
      const redirect = readRedirect(cursor);
      if ("why" in redirect) return opaque(cursor, start, redirect.why);
      redirects.push(redirect);
    }
    return redirects.length === 0 ? body : { kind: "group", copy: false, body, redirects };
  }
  if (peek(cursor, /(?:then|do|done|fi|else|elif|esac|select|coproc|\})(?=[\s;&|()<>]|$)/y)) throw unexpected(cursor);
  return readSimple(cursor);
}

interface Compound {
  /** Sticky: a reserved word stands for itself only in the place of a command. */
  readonly begins: RegExp;
  readonly read: (cursor: Cursor) => ShellNode;
}

const compounds: readonly Compound[] = [
  { begins: /\(\(/y, read: readCalculation },
  { begins: /\(/y, read: (cursor) => readGroup(cursor, true) },
  { begins: /\{(?=\s)/y, read: (cursor) => readGroup(cursor, false) },
  { begins: word("if"), read: readConditional },
  { begins: word("while|until"), read: readLoop },
  { begins: /for[ \t]+\(\(/y, read: readCountingLoop },
  { begins: word("for"), read: readForEach },
  { begins: word("case"), read: readChoice },
  { begins: word("\\[\\["), read: readTest },
  { begins: /function[ \t]+[\w.-]+|[\w.-]+[ \t]*\([ \t]*\)/y, read: readFunction },
];

function word(text: string): RegExp {
  return new RegExp(`(?:${text})(?=[\\s;&|()<>]|$)`, "y");
}

const calculation = /\(\([^()'"`$\\]*(?:\([^()'"`$\\]*\)[^()'"`$\\]*)*\)\)/y;

function readCalculation(cursor: Cursor): ShellNode {
  const start = cursor.at;
  if (take(cursor, calculation) === undefined) throw unexpected(cursor);
  return opaque(cursor, start, "it is calculated");
}

function readGroup(cursor: Cursor, copy: boolean): ShellNode {
  const [opens, closes] = copy ? [/\(/y, /\)/y] : [/\{/y, word("\\}")];
  take(cursor, opens);
  return { kind: "group", copy, body: readClosed(cursor, closes), redirects: [] };
}

function readConditional(cursor: Cursor): ShellNode {
  const branches: { test: ShellNode; body: ShellNode }[] = [];
  const ends = word("elif|else|fi");
  for (let next = take(cursor, word("if")); next?.[0] !== "fi"; next = take(cursor, ends)) {
    if (next?.[0] === "else") return { kind: "conditional", branches, otherwise: readClosed(cursor, word("fi")) };
    const test = readClosed(cursor, word("then"));
    branches.push({ test, body: readOpen(cursor, ends) });
  }
  return { kind: "conditional", branches, otherwise: undefined };
}

/** A list with at least one command; what closes it is left. */
function readOpen(cursor: Cursor, closes: RegExp): ShellNode {
  const list = readList(cursor, closes);
  if (list.kind === "sequence" && list.items.length === 0) throw unexpected(cursor);
  return list;
}

function readLoop(cursor: Cursor): ShellNode {
  const kind = take(cursor, word("while|until"))?.[0] === "until" ? "until" : "while";
  const test = readClosed(cursor, word("do"));
  return { kind: "loop", word: kind, test, body: readClosed(cursor, word("done")) };
}

/** What it does is found, if it does it at all. */
function readCountingLoop(cursor: Cursor): ShellNode {
  const start = cursor.at;
  take(cursor, /for[ \t]+/y);
  if (take(cursor, calculation) === undefined) throw unexpected(cursor);
  const body = readBody(cursor);
  return { ...opaque(cursor, start, "how often it runs is calculated"), body };
}

function readBody(cursor: Cursor): ShellNode {
  skipBlanks(cursor);
  take(cursor, /;/y);
  skipLines(cursor);
  if (take(cursor, word("do")) === undefined) throw unexpected(cursor);
  return readClosed(cursor, word("done"));
}

function readForEach(cursor: Cursor): ShellNode {
  const start = cursor.at;
  const name = take(cursor, /for[ \t]+([A-Za-z_]\w*)[ \t]+in(?=[ \t])/y)?.[1];
  if (name === undefined) throw unexpected(cursor);
  const words: WordTemplate[] = [];
  for (skipBlanks(cursor); peek(cursor, /[\n;]/y) === undefined; skipBlanks(cursor)) {
    const [first, ...rest] = readWord(cursor, "word");
    if (first === undefined || first.text === "") throw unexpected(cursor);
    words.push(first, ...rest);
  }
  if (words.length === 0) throw unexpected(cursor);
  const body = readBody(cursor);
  const odd = words.find((one) => one.odd !== undefined)?.odd;
  return odd === undefined ? { kind: "for-each", name, words, body } : { ...opaque(cursor, start, odd), body };
}

function readChoice(cursor: Cursor): ShellNode {
  const start = cursor.at;
  take(cursor, /case[ \t]+/y);
  const words = [...readWord(cursor, "pattern")];
  if (take(cursor, /[ \t]+in(?=\s)/y) === undefined) throw unexpected(cursor);
  const bodies: ShellNode[] = [];
  for (skipLines(cursor); take(cursor, word("esac")) === undefined; skipLines(cursor)) {
    take(cursor, /\([ \t]*/y);
    do {
      skipBlanks(cursor);
      const [pattern] = readWord(cursor, "pattern");
      if (pattern === undefined || pattern.text === "") throw unexpected(cursor);
      words.push(pattern);
      skipBlanks(cursor);
    } while (take(cursor, /\|/y) !== undefined);
    if (take(cursor, /\)/y) === undefined) throw unexpected(cursor);
    bodies.push(readList(cursor, /;;/y));
    if (take(cursor, /;;(?!&)/y) === undefined) throw new UnclearText("a case falls through");
  }
  const odd = words.find((one) => one.odd !== undefined)?.odd;
  return odd === undefined ? { kind: "choice", words, bodies } : opaque(cursor, start, odd);
}

/** `[[ … ]]` as tests of their own: which of them are made is not followed. */
function readTest(cursor: Cursor): ShellNode {
  const start = cursor.at;
  take(cursor, /\[\[/y);
  const tests: WordTemplate[][] = [];
  let words: WordTemplate[] = [];
  const finish = () => {
    while (words[0]?.text === "!") words = words.slice(1);
    if (words.length > 0) tests.push(words);
    words = [];
  };
  for (;;) {
    take(cursor, /[ \t\n]+/y);
    if (take(cursor, word("\\]\\]")) !== undefined) break;
    const sign = take(cursor, /&&|\|\||[()]|[<>](?=[ \t])/y)?.[0];
    if (sign === "<" || sign === ">") words.push(quotedWord(sign));
    else if (sign !== undefined) finish();
    else {
      const [read] = readWord(cursor, "pattern");
      if (read === undefined || read.text === "") throw unexpected(cursor);
      words.push(read);
    }
  }
  finish();
  const odd = tests.map(oddTest).find((why) => why !== undefined);
  if (odd !== undefined || tests.length === 0) return opaque(cursor, start, odd ?? "[[ is empty");
  const items = tests.map((test, at) => ({
    node: testCommand(test),
    before: at === 0 ? ("start" as const) : (";" as const),
  }));
  const [only, second] = items;
  return only !== undefined && second === undefined ? only.node : { kind: "sequence", items };
}

function quotedWord(value: string, text = value): WordTemplate {
  return { text, pieces: [{ kind: "text", value, quoted: true }] };
}

/** Unlike `test`, it calculates what it compares as numbers. */
function oddTest(words: readonly WordTemplate[]): string | undefined {
  const calculates = words.length === 3 && /^-(?:eq|ne|lt|le|gt|ge)$/.test(words[1]?.text ?? "");
  const isNumber = ({ text }: WordTemplate) => /^(?:-?\d{1,9}|\$[?#])$/.test(text.replaceAll('"', ""));
  if (words[1]?.text === "=~") return "[[ matches a regular expression";
  if (calculates && ![words[0], words[2]].every((one) => one !== undefined && isNumber(one))) return "[[ calculates";
  return words.find(({ odd }) => odd !== undefined)?.odd;
}

function testCommand(words: readonly WordTemplate[]): ShellNode {
  const whole = words.map(
    ({ text, pieces }): WordTemplate => ({
      text,
      pieces: pieces.map((piece) => (piece.kind === "home" ? piece : { ...piece, quoted: true })),
    }),
  );
  const text = ["[[", ...words.map((one) => one.text)].join(" ");
  return { kind: "simple", text, assignments: [], words: [quotedWord("test", "[["), ...whole], redirects: [] };
}

/** Nothing follows its calls: what it holds is found, and what comes later is not understood. */
function readFunction(cursor: Cursor): ShellNode {
  const start = cursor.at;
  take(cursor, /(?:function[ \t]+)?[\w.-]+[ \t]*(?:\([ \t]*\))?/y);
  skipLines(cursor);
  const copy = peek(cursor, /\(/y) !== undefined;
  if (!copy && peek(cursor, /\{(?=\s)/y) === undefined) throw unexpected(cursor);
  const body = readGroup(cursor, copy);
  return { ...opaque(cursor, start, "a function is defined"), body };
}
