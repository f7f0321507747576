import { asPaste, esc, openPaste, type Paste, pasteStart } from "./open-paste.ts";

export interface TakenApart {
  /** One key, one text without keys in it or one paste each, in the order in which they came. */
  readonly pieces: readonly string[];
  /** Letters came together with other keys: somebody writes. */
  readonly isText: boolean;
}

interface TakingApart {
  /** What came in one read. */
  take(read: string, atMs: number): TakenApart;
  /** What was held back for its end and has waited long enough. */
  overdue(atMs: number): readonly string[];
  /** How long it is held back; `undefined` where nothing is. */
  waitsMs(): number | undefined;
}

/** Sequences come in one piece, or nearly. */
const sequenceMs = 20;

/**
 * Fast hands, a key that is held down and a slow line bring several keys in one read, or half of one. What a terminal
 * marks as pasted stays one piece. So does what can only be pasted, because something is written behind a line end: it
 * is marked here, or it would send itself line by line.
 */
export function createTakingApart(): TakingApart {
  /** A sequence whose end is still to come. */
  let begun = "";
  let begunAt = 0;
  let paste: Paste | undefined;

  return {
    take(read, atMs) {
      const pieces: string[] = [];
      let plain = "";
      let rest = begun + read;
      begun = "";
      while (rest !== "") {
        if (paste !== undefined) {
          const taken = paste.take(rest, atMs);
          pieces.push(...taken.pieces);
          if (taken.isOver) paste = undefined;
          rest = taken.rest;
          continue;
        }
        const start = rest.indexOf(pasteStart);
        const tokens = tokensOf(start === -1 ? rest : rest.slice(0, start));
        if (start === -1 && unfinished.test(tokens.at(-1) ?? "")) {
          begun = tokens.pop() ?? "";
          begunAt = atMs;
        }
        pieces.push(...tokens.flatMap(piecesOf));
        plain += tokens.filter((one) => !one.startsWith(esc)).join("");
        if (start === -1) break;
        paste = openPaste(atMs, tokensOf);
        rest = rest.slice(start + pasteStart.length);
      }
      return { pieces, isText: plain.length > 1 && /[^\p{Cc}]/u.test(plain) };
    },
    overdue(atMs) {
      if (paste !== undefined) return paste.overdue(atMs);
      if (begun === "" || beginsPaste(begun) || atMs - begunAt < sequenceMs) return [];
      const late = begun;
      begun = "";
      return isEscapes(late) ? [...late].map(() => escapeKey) : [late];
    },
    waitsMs: () => paste?.waitsMs() ?? (begun === "" || beginsPaste(begun) ? undefined : sequenceMs),
  };
}

/** Escape as nothing else can begin. */
const escapeKey = `${esc}[27u`;

const sequence = `${esc}{1,2}(?:\\[\\[?[0-?]{0,32}[ -/]{0,4}(?:[@-~]|$)|O[0-9;]{0,32}(?:[@-~]|$))|${esc}[^]?`;
const text = "[\\t\\n\\r -~\\u0080-\\u{10ffff}]+";
/** What is none of these is a control key. */
const token = new RegExp(`${sequence}|${text}|[^]`, "gu");
const unfinished = new RegExp(`^${esc}{1,2}(?:\\[\\[?[0-?]*[ -/]*|O[0-9;]*)?$`);

function tokensOf(read: string): string[] {
  return read.match(token) ?? [];
}

function isEscapes(begun: string): boolean {
  return begun.replaceAll(esc, "") === "";
}

/** No key is this: the rest of it comes, and must not be typed. */
function beginsPaste(begun: string): boolean {
  return begun.length > 2 && pasteStart.startsWith(begun);
}

function piecesOf(one: string): readonly string[] {
  if (one.startsWith(esc)) return [one];
  const line = one.search(/[\r\n]/);
  if (line !== -1 && /\S/.test(one.slice(line))) return [asPaste(one)];
  return (one.match(/\r\n?|[\n\t]|[^\r\n\t]+/g) ?? []).map((piece) => (piece === "\r\n" ? "\r" : piece));
}
