import type { CommandExpansionPart, ProcessSubstitutionPart, Word, WordPart } from "unbash";
import { expandBraces } from "./expand-braces.ts";
import type { Piece, ShellNode, WordTemplate } from "./tree.ts";

export interface Doubt {
  readonly why: string;
}

/**
 * Where a word stands. Only a `word` of a command or a list has its braces expanded; a `regex` may hold brackets
 * and bars.
 */
export type WordUse = "word" | "value" | "target" | "pattern";

interface WordContext {
  readonly source: string;
  readonly nested: (part: CommandExpansionPart | ProcessSubstitutionPart) => ShellNode;
}

/**
 * A word, read a second time and independently of the parser: plain characters, quotes, escapes, plain variables
 * and substitutions. Anything else that bash would expand, and any disagreement with the parser, is a doubt.
 */
export function readWord(word: Word, use: WordUse, context: WordContext): readonly WordTemplate[] | Doubt {
  const expansions = expansionsOf(word.parts ?? []);
  if ("why" in expansions) return expansions;
  const scan = scanWord(word.pos, word.end, { ...context, expansions });
  if ("why" in scan) return scan;
  const text = context.source.slice(word.pos, word.end);
  if (scan.met !== expansions.size || scan.raw !== word.value) return { why: `${text} can be read in two ways` };
  if (!scan.braced) return [{ text, pieces: scan.pieces }];
  if (use === "value" || use === "pattern") return [{ text, pieces: scan.pieces }];
  if (use === "target") return { why: "braces are read in different ways" };
  const words = expandBraces(scan.pieces);
  return "why" in words ? words : words.map((pieces) => ({ text, pieces }));
}

/** Text between double quotes, without them; a here-document has no quotes inside. */
export function readQuoted(
  body: { readonly pos: number; readonly end: number; readonly parts: readonly WordPart[] },
  context: WordContext,
): WordTemplate | Doubt {
  const expansions = expansionsOf(body.parts);
  if ("why" in expansions) return expansions;
  const scan = new Scan({ ...context, expansions });
  const doubt = scan.quoted(body.pos, body.end, "");
  if (typeof doubt === "object") return doubt;
  if (scan.met !== expansions.size) return { why: "a here-document can be read in two ways" };
  return { text: context.source.slice(body.pos, body.end), pieces: scan.pieces };
}

type Expansion = Extract<
  WordPart,
  {
    type: "SimpleExpansion" | "ParameterExpansion" | "CommandExpansion" | "ArithmeticExpansion" | "ProcessSubstitution";
  }
>;
type Expansions = ReadonlyMap<number, Expansion>;

function expansionsOf(parts: readonly WordPart[]): Expansions | Doubt {
  const found = new Map<number, Expansion>();
  const waiting = [...parts];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    switch (part.type) {
      case "SimpleExpansion":
      case "ParameterExpansion":
      case "CommandExpansion":
      case "ArithmeticExpansion":
      case "ProcessSubstitution":
        found.set(part.pos, part);
        break;
      case "DoubleQuoted":
        waiting.push(...part.parts);
        break;
      case "BraceExpansion":
        if (/[$`]/.test(part.text)) return { why: "braces hold an expansion" };
        break;
      case "Literal":
      case "Glob":
      case "SingleQuoted":
      case "AnsiCQuoted":
        break;
      default:
        return { why: `${part.text} is expanded` };
    }
  }
  return found;
}

function scanWord(pos: number, end: number, context: ScanContext): Scan | Doubt {
  const scan = new Scan(context);
  const doubt = scan.word(pos, end);
  return doubt ?? scan;
}

interface ScanContext extends WordContext {
  readonly expansions: Expansions;
}

const expands: ReadonlySet<string> = new Set(["`", "<", ">", "&", ";", " ", "\t", "\n", "(", ")", "|"]);
const variable = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?#$!@*])/y;
const literals = "[A-Za-z0-9_.,@%+=~*?^: /-]*";
const braced = new RegExp(
  String.raw`^\$\{(?:([A-Za-z_][A-Za-z0-9_]*|[0-9?#$!@*])|(#)([A-Za-z_][A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*)(?:(?::?[-+]|%%?|##?|//?)${literals}|\^\^?|,,?|: ?\d+(?::\d+)?))\}$`,
);

class Scan {
  readonly pieces: Piece[] = [];
  /** The value with every expansion left as it is written: what the parser gives as well. */
  raw = "";
  met = 0;
  braced = false;
  readonly #context: ScanContext;

  constructor(context: ScanContext) {
    this.#context = context;
  }

  word(pos: number, end: number): Doubt | undefined {
    const { source } = this.#context;
    let at = pos;
    if (source[at] === "~") {
      if (at + 1 < end && source[at + 1] !== "/") return { why: "~ with a name is expanded" };
      this.pieces.push({ kind: "home" });
      this.raw += "~";
      at += 1;
    }
    let opened = false;
    while (at < end) {
      const character = source[at] ?? "";
      const next = at + 1 < end ? (source[at + 1] ?? "") : "";
      if (character === "'") {
        const close = source.indexOf("'", at + 1);
        if (close < 0 || close >= end) return { why: "a quote is not closed" };
        this.#text(source.slice(at + 1, close), true);
        at = close + 1;
      } else if (character === '"') {
        const close = this.quoted(at + 1, end, '"');
        if (typeof close === "object") return close;
        at = close;
      } else if (character === "\\") {
        if (next === "") return { why: "it ends with a backslash" };
        // Joined lines can turn a word into the number of a redirection.
        if (next === "\n") return { why: "a word goes on in the next line" };
        this.#text(next, true);
        at += 2;
      } else if (character === "$" && next === "'") {
        const close = this.#ansi(at + 2, end);
        if (typeof close === "object") return close;
        at = close;
      } else if (character === "$" && next === "") {
        this.#text("$", false);
        at += 1;
      } else if (character === "$" || character === "`" || (character === "<" && next === "(")) {
        const after = this.#expansion(at, end, false);
        if (typeof after === "object") return after;
        at = after;
      } else {
        if (expands.has(character)) {
          return { why: `an unquoted ${JSON.stringify(character)} means something else` };
        }
        if (character.charCodeAt(0) > 126) return { why: "it has unquoted characters outside ASCII" };
        if (character === "~" && (/[=:]/.test(source[at - 1] ?? "") || opened)) return { why: "~ may be expanded" };
        if (character === "{") opened = true;
        if (opened && (character === "," || source.startsWith("..", at))) this.braced = true;
        this.#text(character, false);
        at += 1;
      }
    }
    return undefined;
  }

  /** From behind the opening quote; gives the place behind the closing one. Without a quote, up to the end. */
  quoted(pos: number, end: number, quote: '"' | ""): number | Doubt {
    const { source } = this.#context;
    this.#text("", true);
    let at = pos;
    while (at < end) {
      const character = source[at] ?? "";
      const next = at + 1 < end ? (source[at + 1] ?? "") : "";
      if (quote !== "" && character === quote) return at + 1;
      if (character === "`" || (character === "$" && !/^(?:["\s/|).,:%^~+=\]}\\]|)$/.test(next))) {
        const after = this.#expansion(at, end, true);
        if (typeof after === "object") return after;
        at = after;
      } else if (character === "\\" && next === "\n") {
        // A joined line may put a dollar in front of what it expands.
        return { why: "a word goes on in the next line" };
      } else if (character === "\\" && next !== "" && `$\`\\${quote}`.includes(next)) {
        this.#text(next, true);
        at += 2;
      } else {
        this.#text(character, true);
        at += 1;
      }
    }
    return quote === "" ? end : { why: "a quote is not closed" };
  }

  #text(value: string, quoted: boolean): void {
    this.raw += value;
    const last = this.pieces.at(-1);
    if (last?.kind === "text" && last.quoted === quoted) {
      this.pieces[this.pieces.length - 1] = { ...last, value: last.value + value };
    } else {
      this.pieces.push({ kind: "text", value, quoted });
    }
  }

  #ansi(pos: number, end: number): number | Doubt {
    const { source } = this.#context;
    let value = "";
    for (let at = pos; at < end; at++) {
      const character = source[at] ?? "";
      if (character === "'") {
        this.#text(value, true);
        return at + 1;
      }
      const meant = character === "\\" ? escapes.get(source[at + 1] ?? "") : character;
      if (meant === undefined) return { why: "$'…' holds an unusual escape" };
      value += meant;
      if (character === "\\") at += 1;
    }
    return { why: "a quote is not closed" };
  }

  #expansion(at: number, end: number, quoted: boolean): number | Doubt {
    const { source } = this.#context;
    const part = this.#context.expansions.get(at);
    if (part === undefined || part.end > end) return { why: "an unescaped $ or ` is expanded" };
    const text = source.slice(at, part.end);
    const piece = this.#pieceOf(part, text, quoted, end - at);
    if ("why" in piece) return piece;
    this.pieces.push(piece);
    this.raw += text;
    this.met += 1;
    return part.end;
  }

  #pieceOf(part: Expansion, text: string, quoted: boolean, room: number): Piece | Doubt {
    const { source, nested } = this.#context;
    switch (part.type) {
      case "SimpleExpansion": {
        variable.lastIndex = part.pos;
        if (variable.exec(source)?.[0] !== text) return { why: `${text} is expanded` };
        return { kind: "variable", name: text.slice(1), quoted };
      }
      case "ParameterExpansion": {
        const [, plain, length, counted, changed] = braced.exec(text) ?? [];
        const name = plain ?? counted ?? changed;
        if (name === undefined) return { why: `${text} is more than a plain variable` };
        if (plain !== undefined) return { kind: "variable", name, quoted };
        const otherwise = /^\$\{\w+:-(.*)\}$/s.exec(text)?.[1];
        const change = length !== undefined ? "length" : otherwise === undefined ? "other" : { otherwise };
        return { kind: "variable", name, quoted, change };
      }
      case "ArithmeticExpansion":
        if (!text.startsWith("$((") || !text.endsWith("))")) return { why: `${text} is calculated` };
        return { kind: "arithmetic", expression: text.slice(3, -2), quoted };
      case "CommandExpansion": {
        const bracket = text.startsWith("$(") && !text.startsWith("$((") && text.endsWith(")");
        const ticks = /^`[^`\\]*`$/.test(text) && !(quoted && text.includes('"'));
        if (!bracket && !ticks) return { why: `${text} is written in an unusual way` };
        return { kind: "command", body: nested(part), quoted, pipe: false };
      }
      case "ProcessSubstitution":
        if (part.operator !== "<" || quoted || text.length !== room || this.pieces.length > 0) {
          return { why: `${text} is written in an unusual way` };
        }
        return { kind: "command", body: nested(part), quoted: true, pipe: true };
    }
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
]);

/** Characters that make a text read differently from what it does, or that bash and people split differently. */
export function disguise(text: string): string | undefined {
  if (!text.isWellFormed()) return "it is not valid Unicode";
  const found =
    /[^\P{C}\n\t]|[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|\p{Default_Ignorable_Code_Point}/u.exec(
      text,
    );
  if (found === null) return undefined;
  return `it contains the invisible character U+${found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

export function withoutDisguise(text: string): string {
  const blanks = text.replace(/[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\r\v\f]/g, " ");
  return blanks.replace(/[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}/gu, "");
}

/** Everything in a text that could be a word, whatever quotes and operators say. */
export function roughWords(text: string): readonly string[] {
  return text.split(/[^\w./:@%+=,-]+/).filter((word) => word !== "");
}
