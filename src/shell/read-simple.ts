import { type Command, forEachChild, parse, type SyntaxNode } from "unbash";
import { isSink, isStandardInput } from "../effects/devices.ts";
import { looseWords } from "./command-text.ts";
import { type Cursor, peek, readDocuments, readWord, take, UnclearText } from "./read-word.ts";
import type { Assignment, InsideCommands, NodeOf, ShellNode, ShellRedirect, WordTemplate } from "./tree.ts";

const mostWords = 8_192;
const mostRedirects = 64;

export function unexpected({ source, at }: Cursor): UnclearText {
  return new UnclearText(`the text around ${JSON.stringify(source.slice(at, at + 10))} is not understood`);
}

/** A joined line counts as a blank only behind a blank: elsewhere it joins words. */
export function skipBlanks(cursor: Cursor): void {
  take(cursor, /(?:[ \t]|(?<=[ \t\n])\\\n|(?<=[\s;&|()]|^)#[^\n]*)*/y);
}

export function skipLines(cursor: Cursor): void {
  for (skipBlanks(cursor); take(cursor, /\n/y) !== undefined; skipBlanks(cursor)) readDocuments(cursor);
}

export function readSimple(cursor: Cursor): ShellNode {
  const start = cursor.at;
  const words: WordTemplate[] = [];
  const assignments: Assignment[] = [];
  const redirects: ShellRedirect[] = [];
  const texts: string[] = [];
  let why: string | undefined;
  let end = start;
  for (; ; skipBlanks(cursor)) {
    const from = cursor.at;
    if (from >= cursor.source.length || peek(cursor, /[\n;&|()](?<!&(?=>))/y)) break;
    if (peek(cursor, redirection) !== undefined) {
      const redirect = readRedirect(cursor);
      if ("why" in redirect) why ??= redirect.why;
      else redirects.push(redirect);
      end = cursor.at;
      continue;
    }
    const assigned = words.length > 0 ? undefined : take(cursor, /([A-Za-z_]\w*)(\[[^\]'"`$()]*\])?(\+?)=/y);
    const read = readWord(cursor, assigned === undefined ? "word" : "value");
    if (assigned !== undefined) {
      const [whole, name = "", index, sign] = assigned;
      const array = peek(cursor, /\(/y) === undefined ? undefined : take(cursor, /\([^()'"`$\\]*\)/y);
      if (index !== undefined || sign === "+" || array !== undefined) why ??= `it sets ${whole}`;
      const [value = { text: "", pieces: [] }] = read;
      why ??= value.odd;
      assignments.push({ name, value });
    } else {
      const [first] = read;
      if (first === undefined || cursor.at === from) throw unexpected(cursor);
      // `{fd}>x` chooses a descriptor.
      if (/^\{\w+\}$/.test(first.text) && peek(cursor, /[<>]/y)) throw unexpected(cursor);
      if (words.length === 0 && (read.length > 1 || !isPlainCommand(first)))
        why ??= "its command word is not plain text";
      why ??= read.find(({ odd }) => odd !== undefined)?.odd;
      words.push(...read);
    }
    texts.push(cursor.source.slice(from, cursor.at));
    end = cursor.at;
  }
  if (end === start) throw unexpected(cursor);
  if (words.length > mostWords || redirects.length > mostRedirects) why ??= "it is too long";
  if (why !== undefined) return opaque(cursor, start, why, end);
  return { kind: "simple", text: texts.join(" "), assignments, words, redirects };
}

/** Plain text, in which plain variables may be filled in. `[` alone matches no file name. */
function isPlainCommand({ pieces, text }: WordTemplate): boolean {
  if (text === "[") return true;
  if (text.includes("$") && !pieces.some(({ kind }) => kind === "variable")) return false;
  return pieces.every(
    (piece) =>
      piece.kind === "variable" ||
      (piece.kind === "text" && /^[\x21-\x7e]*$/.test(piece.value) && (piece.quoted || !/[*?[]/.test(piece.value))),
  );
}

/** Not `<(…)`, which is a word. More than one digit may be a word to other shells. */
export const redirection = /(\d*)(<<<|<<-|<<|<>|<&|<(?!\()|&>>|&>|>>|>\||>&|>(?!\())/y;

export function readRedirect(cursor: Cursor): ShellRedirect | { readonly why: string } {
  const start = cursor.at;
  const [, digits = "", operator = ""] = take(cursor, redirection) ?? [];
  take(cursor, /[ \t]*/y);
  const descriptor = digits === "" ? (operator.startsWith("<") ? 0 : 1) : Number(digits);
  if (operator === "<<" || operator === "<<-") {
    const named = take(cursor, /(?:([\w.-]+)|'([\w.-]+)'|"([\w.-]+)"|\\([\w.-]+))(?=[\s;&|()<>]|$)/y);
    if (named === undefined || digits.length > 1) throw new UnclearText("a here-document has an unusual delimiter");
    const delimiter = named.slice(1).find(Boolean) ?? "";
    const quoted = named[1] === undefined;
    const document = {
      delimiter,
      quoted,
      tabs: operator === "<<-",
      from: cursor.at,
      content: { text: "", pieces: [] },
    };
    cursor.pending.push(document);
    const text = cursor.source.slice(start, cursor.at);
    return {
      kind: "input",
      text,
      descriptor,
      get content() {
        return document.content;
      },
    };
  }
  const [target, more] = readWord(cursor, operator === "<<<" ? "value" : "target");
  const text = cursor.source.slice(start, cursor.at);
  if (target === undefined || target.text === "" || more !== undefined) throw unexpected(cursor);
  if (target.odd !== undefined || digits.length > 1) return { why: target.odd ?? "a redirection is unusual" };
  if (operator === "<<<") return { kind: "input", text, descriptor, content: target };
  return redirectOf(operator, target, { text, descriptor });
}

function redirectOf(
  operator: string,
  target: WordTemplate,
  common: { readonly text: string; readonly descriptor: number },
): ShellRedirect | { readonly why: string } {
  const [only, second] = target.pieces;
  const literal = only?.kind === "text" && second === undefined ? only.value : undefined;
  if (operator === ">&" || operator === "<&") {
    // Behind >& and <& bash expands the word a second time, quotes or not. With `-` it closes one.
    if (literal === undefined || !/^\d$/.test(literal)) return { why: "a redirection names no descriptor" };
    return { kind: "copy", ...common, source: Number(literal) };
  }
  if (operator === "<" && literal !== undefined && isStandardInput(literal))
    return { kind: "copy", ...common, source: 0, byName: true };
  const takes = operator !== "<" && operator !== "<>" && isSink(literal ?? "");
  if (literal !== undefined && (takes || sinks.has(literal)))
    return { kind: "sink", ...common, empty: literal === "/dev/null" };
  return { kind: operator === "<" ? "read" : operator === "<>" ? "change" : "write", ...common, target };
}

const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

export function opaque({ source, at }: Cursor, start: number, why: string, end = at): NodeOf<"opaque"> {
  const text = source.slice(start, end);
  return { kind: "opaque", text, why, inside: commandsInside(text) };
}

export function rough(text: string): InsideCommands {
  return [{ text, words: looseWords(text), rough: true }];
}

/** `GIT_EDITOR="rm x"`: a variable that a command is given may be one that it runs. */
export function insideGiven(value: string): InsideCommands {
  if (!/\s/.test(value)) return [];
  return [{ text: value, words: value.trim().split(/\s+/), ...(/[$`]/.test(value) ? {} : { rough: true }) }];
}

function givenText(prefix: Command["prefix"][number]): InsideCommands {
  return insideGiven(prefix.type === "Assignment" && prefix.value?.type === "Word" ? prefix.value.value : "");
}

/** Substitutions in substitutions hold each other's text: from here on one list of words stands for the rest. */
const mostInside = 1024 * 1024;

export function commandsInside(source: string): InsideCommands {
  const found: InsideCommands[number][] = [];
  let size = 0;
  const waiting: SyntaxNode[] = [];
  try {
    waiting.push(parse(source));
  } catch {
    return [];
  }
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Command" && node.name !== undefined) {
      const words = [node.name, ...node.args].map((word) => (word.type === "Word" ? word.value : word.text));
      const text = words.join(" ");
      found.push({ text, words }, ...node.prefix.flatMap(givenText));
      size += text.length;
      if (size > mostInside) return [...found, ...rough(source)];
    }
    forEachChild(node, (child) => void waiting.push(child));
  }
  return found;
}
