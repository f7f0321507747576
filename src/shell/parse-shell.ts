import { parse } from "unbash";
import type { Dialect } from "../programs/program-entry.ts";
import { readList } from "./read-list.ts";
import { commandsInside, rough } from "./read-simple.ts";
import { type Cursor, UnclearText } from "./read-word.ts";
import type { InsideCommands, ShellNode, ShellParse } from "./tree.ts";

export const longestCommand = 128 * 1024;
const mostBraces = 2_000;

/** `sh` may be dash: what the two read in different ways is not read at all. */
const notOfSh =
  /\{[^}]*(?:,|\.\.)|\$'|\[\^|\|&|&>|[<>]\(|\[\[|\(\(|<<<|<>|\d\d[<>]|\b(?:time|declare|typeset|local)\b|\+=/;

/**
 * Reads the part of the shell's grammar that is understood, strictly: what does not fit makes a command, or the whole
 * text, opaque. A tolerant parser tells what is a syntax error, and which commands an opaque text holds.
 */
export function parseShell(text: string, dialect: Dialect = "bash"): ShellParse {
  const whole = (why: string, inside: () => InsideCommands): ShellParse => ({
    root: { kind: "opaque", text, why, inside: inside() },
    inside,
  });
  if (Buffer.byteLength(text) > longestCommand) {
    return whole(`it is longer than ${longestCommand / 1024} KiB`, () => rough(text));
  }
  // The tolerant parser looks for the end from every beginning.
  if (Math.max(text.split("{").length, text.split("((").length) > mostBraces)
    return whole("it has too many braces", () => rough(text));
  const inside = () => [...commandsInside(text), ...rough(text)];
  let error: { readonly message: string } | undefined;
  try {
    [error] = parse(text).errors ?? [];
  } catch {
    return whole("it could not be parsed", () => rough(text));
  }
  if (error !== undefined) {
    const refused = whole(`it could not be parsed: ${error.message}`, inside);
    // The parser is stricter than bash inside [[ ]] and (( )): there it may be wrong.
    return /\[\[|\(\(/.test(text) ? refused : { ...refused, syntaxError: error.message };
  }
  const disguised = disguise(text);
  if (disguised !== undefined) return whole(disguised, () => [...inside(), ...commandsInside(withoutDisguise(text))]);
  if (dialect === "sh" && notOfSh.test(text)) return whole("not every sh reads it as bash does", inside);
  const cursor: Cursor = { source: text, at: 0, pending: [], depth: 0, negates: false, nested: readNestedList };
  try {
    const root = readList(cursor, undefined);
    if (cursor.pending.length > 0) throw new UnclearText("a here-document does not end");
    return { root, inside, negates: cursor.negates };
  } catch (error) {
    if (error instanceof UnclearText) return whole(error.message, inside);
    throw error;
  }
}

function readNestedList(cursor: Cursor, close: ")" | undefined): ShellNode {
  return readList(cursor, close === undefined ? undefined : /\)/y);
}

const invisible =
  /[^\P{C}\n\t]|[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|\p{Default_Ignorable_Code_Point}/u;

/** Characters that make a text read differently from what it does, or that bash and people split differently. */
function disguise(text: string): string | undefined {
  if (!text.isWellFormed()) return "it is not valid Unicode";
  const code = invisible.exec(text)?.[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return code === undefined ? undefined : `it contains the invisible character U+${code}`;
}

function withoutDisguise(text: string): string {
  const blanks = text.replace(/[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\r\v\f]/g, " ");
  return blanks.replace(/[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}/gu, "");
}
