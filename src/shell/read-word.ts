import { expandBraces } from "./expand-braces.ts";
import type { ShellNode, WordPiece, WordTemplate } from "./tree.ts";

/** Thrown where the structure of a text is not certain: nothing of the text is understood then. */
export class UnclearText extends Error {}

export interface Cursor {
  readonly source: string;
  at: number;
  /** Here-documents that begin behind the next line end. */
  pending: HereDocument[];
  depth: number;
  negates: boolean;
  /** Reads the commands of a substitution, up to the sign that closes it or to the end. */
  readonly nested: (cursor: Cursor, close: ")" | undefined) => ShellNode;
}

export interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly tabs: boolean;
  readonly from: number;
  content: WordTemplate;
}

/** Where a word stands: only a `word` of a command or a list has its braces expanded. */
export type WordUse = "word" | "value" | "target" | "pattern";

export function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  const found = peek(cursor, pattern);
  if (found !== undefined) cursor.at += found[0].length;
  return found;
}

/** `pattern` is sticky. */
export function peek({ source, at }: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}

const meta = /[\s;&|()<>]/;
const variable = /\$(?:([A-Za-z_]\w*|[0-9?#$!@*])|\{([A-Za-z_]\w*|[0-9?#$!@*])\})/y;

/** The word at the cursor; several where braces make several of it. What is `odd` in one is not understood. */
export function readWord(cursor: Cursor, use: WordUse): readonly WordTemplate[] {
  const { source, at: start } = cursor;
  const pieces: WordPiece[] = [];
  let odd: string | undefined;
  let opened = false;
  let braced = false;
  const add = (piece: WordPiece | string) => {
    if (typeof piece === "string") odd ??= piece;
    else addPiece(pieces, piece);
  };
  if (source[start] === "~") {
    if (!/^~(?:[\s;&|()<>/]|$)/.test(source.slice(start, start + 2))) odd = "~ with a name is expanded";
    pieces.push({ kind: "home" });
    cursor.at += 1;
  }
  while (cursor.at < source.length) {
    const sign = source[cursor.at] ?? "";
    const next = source[cursor.at + 1] ?? "";
    if (sign === "<" && next === "(" && cursor.at === start) {
      cursor.at += 2;
      add({ kind: "command", body: readNested(cursor), quoted: true, pipe: true });
      if (use === "value" || !/^(?:[\s;&|)]|$)/.test(source.slice(cursor.at, cursor.at + 1))) {
        throw new UnclearText("<(…) is part of a word");
      }
    } else if (meta.test(sign)) {
      break;
    } else if (sign === "'") {
      const close = source.indexOf("'", cursor.at + 1);
      if (close < 0) throw new UnclearText("a quote is not closed");
      add({ kind: "text", value: source.slice(cursor.at + 1, close), quoted: true });
      cursor.at = close + 1;
    } else if (sign === '"') {
      cursor.at += 1;
      readQuoted(cursor, '"', add);
    } else if (sign === "\\") {
      if (next === "") throw new UnclearText("it ends with a backslash");
      // A joined line can turn a word into the number of a redirection, or put a dollar in front of what it expands.
      add(next === "\n" ? "a word continues on the next line" : { kind: "text", value: next, quoted: true });
      cursor.at += 2;
    } else if (sign === "$" && next === "'") {
      cursor.at += 2;
      readAnsi(cursor, add);
    } else if (sign === "$" && (next === "" || meta.test(next)) && next !== "(") {
      add({ kind: "text", value: "$", quoted: false });
      cursor.at += 1;
    } else if (sign === "$" || sign === "`") {
      readExpansion(cursor, false, add);
    } else {
      if (sign.charCodeAt(0) > 126) odd ??= "it has unquoted characters outside ASCII";
      if (sign === "~" && (/[=:]/.test(source[cursor.at - 1] ?? "") || opened)) odd ??= "~ may be expanded";
      opened ||= sign === "{";
      braced ||= opened && (sign === "," || source.startsWith("..", cursor.at));
      add({ kind: "text", value: sign, quoted: false });
      cursor.at += 1;
    }
  }
  if (cursor.at > start && /[<>]\(/.test(source.slice(cursor.at, cursor.at + 2))) {
    throw new UnclearText("<(…) is part of a word");
  }
  const text = source.slice(start, cursor.at);
  const whole: WordTemplate = { text, pieces, ...(odd !== undefined && { odd }) };
  if (!braced || odd !== undefined || use === "value" || use === "pattern") return [whole];
  if (use === "target") return [{ ...whole, odd: "braces are read in different ways" }];
  const words = expandBraces(pieces);
  return "why" in words ? [{ ...whole, odd: words.why }] : words.map((expanded) => ({ text, pieces: expanded }));
}

function addPiece(pieces: WordPiece[], piece: WordPiece): void {
  const last = pieces.at(-1);
  const joins = piece.kind === "text" && last?.kind === "text" && last.quoted === piece.quoted;
  if (joins) pieces[pieces.length - 1] = { ...last, value: last.value + piece.value };
  else pieces.push(piece);
}

type Add = (piece: WordPiece | string) => void;

/** From behind the opening quote; without one, up to the end: a here-document has no quotes inside. */
function readQuoted(cursor: Cursor, quote: '"' | "", add: Add): void {
  const { source } = cursor;
  add({ kind: "text", value: "", quoted: true });
  while (cursor.at < source.length) {
    const sign = source[cursor.at] ?? "";
    const next = source[cursor.at + 1] ?? "";
    if (sign === quote) {
      cursor.at += 1;
      return;
    }
    if (sign === "`" || (sign === "$" && !/^(?:["\s/|).,:%^~+=\]}\\]|)$/.test(next))) {
      readExpansion(cursor, true, add);
    } else if (sign === "\\" && next === "\n") {
      add("a word continues on the next line");
      cursor.at += 2;
    } else {
      const escaped = sign === "\\" && next !== "" && `$\`\\${quote}`.includes(next);
      add({ kind: "text", value: escaped ? next : sign, quoted: true });
      cursor.at += escaped ? 2 : 1;
    }
  }
  if (quote !== "") throw new UnclearText("a quote is not closed");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", "'": "'", '"': '"' };

function readAnsi(cursor: Cursor, add: Add): void {
  const body = take(cursor, /((?:[^'\\]|\\.)*)'/sy)?.[1];
  if (body === undefined) throw new UnclearText("a quote is not closed");
  if (/\\[^nt\\'"]/s.test(body.replace(/\\\\/g, ""))) add("$'…' holds an unusual escape");
  add({ kind: "text", value: body.replace(/\\(.)/gs, (_all, sign: string) => escapes[sign] ?? sign), quoted: true });
}

function readExpansion(cursor: Cursor, quoted: boolean, add: Add): void {
  const named = take(cursor, variable);
  if (named !== undefined) {
    add({ kind: "variable", name: named[1] ?? named[2] ?? "", quoted });
    return;
  }
  const opened = take(cursor, /\$(?:\{|\(\()/y);
  if (opened !== undefined) {
    skipBalanced(cursor, opened[0]);
    add(`${opened[0]} is more than a plain variable`);
    return;
  }
  if (take(cursor, /\$\(/y) !== undefined) {
    add({ kind: "command", body: readNested(cursor), quoted, pipe: false });
    return;
  }
  const ticked = take(cursor, /`([^`\\]*)`/y);
  if (ticked !== undefined && !(quoted && ticked[0].includes('"'))) {
    const inner = { ...cursor, source: cursor.source.slice(0, cursor.at - 1), pending: [], depth: cursor.depth + 1 };
    inner.at = cursor.at - ticked[0].length + 1;
    add({ kind: "command", body: cursor.nested(inner, undefined), quoted, pipe: false });
  } else if (ticked !== undefined || take(cursor, /`(?:[^`\\]|\\.)*`/sy) !== undefined) {
    add("`…` is written in an unusual way");
  } else if (/^\$["-]/.test(cursor.source.slice(cursor.at, cursor.at + 2)) && !quoted) {
    add("$ is expanded");
    cursor.at += 1;
  } else {
    throw new UnclearText("an unescaped $ or ` is expanded");
  }
}

/** Parameter operators and calculations: where they end is certain, what they give is not. */
function skipBalanced(cursor: Cursor, opened: string): void {
  const [open, close] = opened === "${" ? ["{", "}"] : ["(", ")"];
  for (let depth = opened.length - 1; depth > 0; ) {
    const sign = cursor.source[cursor.at];
    if (sign === undefined || sign === "'") throw new UnclearText("an expansion is not understood");
    if (sign === "`" || peek(cursor, /\$[\w({]/y)) readExpansion(cursor, true, () => undefined);
    else {
      cursor.at += sign === "\\" ? 2 : 1;
      if (sign === '"') readQuoted(cursor, '"', () => undefined);
      else if (sign === open) depth += 1;
      else if (sign === close) depth -= 1;
    }
  }
}

/** The commands of `$(…)` or `<(…)`; the cursor goes behind the bracket. */
function readNested(cursor: Cursor): ShellNode {
  const inner: Cursor = { ...cursor, pending: [], depth: cursor.depth + 1 };
  const body = cursor.nested(inner, ")");
  // Bash would look for a here-document of the outer command inside.
  const hasLine = cursor.source.slice(cursor.at, inner.at).includes("\n");
  if (inner.pending.length > 0 || (hasLine && cursor.pending.length > 0) || cursor.source[inner.at] !== ")") {
    throw new UnclearText("what it substitutes is not understood");
  }
  cursor.at = inner.at + 1;
  return body;
}

export function readDocuments(cursor: Cursor): void {
  const { source, pending } = cursor;
  cursor.pending = [];
  for (const document of pending) {
    const { delimiter, tabs, from } = document;
    if (pending.length > 1 || source.slice(from, cursor.at - 1).includes("\n")) {
      throw new UnclearText("a here-document starts in an unusual place");
    }
    const start = cursor.at;
    const plain = (line: string) => (tabs ? line.replace(/^\t+/, "") : line);
    let end = start;
    for (;;) {
      const stop = source.indexOf("\n", end);
      const line = source.slice(end, stop < 0 ? source.length : stop);
      if (plain(line) === delimiter) {
        cursor.at = stop < 0 ? source.length : stop + 1;
        break;
      }
      if (stop < 0) throw new UnclearText("a here-document does not end");
      end = stop + 1;
    }
    document.content = documentContent({ ...cursor, source: source.slice(0, end), at: start }, document);
  }
}

function documentContent(cursor: Cursor, { quoted, tabs }: HereDocument): WordTemplate {
  const { source, at: start } = cursor;
  const pieces: WordPiece[] = [];
  let odd: string | undefined;
  const inner: Cursor = { ...cursor, pending: [], depth: cursor.depth + 1 };
  if (quoted) pieces.push({ kind: "text", value: source.slice(start), quoted: true });
  else {
    readQuoted(inner, "", (piece) => {
      if (typeof piece === "string") odd ??= piece;
      else addPiece(pieces, piece);
    });
  }
  const [only, second] = pieces;
  if (tabs && (only?.kind !== "text" || second !== undefined)) odd ??= "a here-document is filled in, and loses tabs";
  const kept = tabs && only?.kind === "text" ? [{ ...only, value: only.value.replace(/^\t+/gm, "") }] : pieces;
  return { text: quoted ? "" : source.slice(start), pieces: kept, ...(odd !== undefined && { odd }) };
}
