const esc = "\u001b";
const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

export interface TakenApart {
  /** One key, one text without keys in it or one paste each, in the order in which they came. */
  readonly pieces: readonly string[];
  /** Letters came together with other keys: somebody writes. */
  readonly isText: boolean;
  /** A paste or a sequence whose end is still to come. It is among the pieces. */
  readonly unfinished: string;
}

/**
 * What came in one read: fast hands, a key that is held down and a slow line bring several keys at once. What a terminal
 * marks as pasted stays one piece. So does what can only be pasted, because something is written behind a line end: it
 * is marked here, or it would send itself line by line.
 */
export function takeApart(read: string, unfinished = ""): TakenApart {
  const tokens = [...(unfinished + read).matchAll(token)];
  const plain = tokens.map(([one]) => (one.startsWith(esc) ? "" : one)).join("");
  const last = tokens.at(-1)?.[0] ?? "";
  return {
    pieces: tokens.flatMap(({ 0: one, index }) =>
      index >= unfinished.length ? piecesOf(one) : [one.slice(unfinished.length - index)].filter((rest) => rest !== ""),
    ),
    isText: plain.length > 1 && /[^\p{Cc}]/u.test(plain),
    unfinished: isUnfinished(last) ? last : "",
  };
}

const paste = `${esc}\\[200~[^]*?(?:${esc}\\[201~|$)`;
const sequence = `${esc}{1,2}(?:\\[\\[?[0-?]*[ -/]*(?:[@-~]|$)|O[0-9;]*(?:[@-~]|$))|${esc}[^]?`;
const text = "[\\t\\n\\r -~\\u0080-\\u{10ffff}]+";
/** What is none of these is a control key. */
const token = new RegExp(`${paste}|${sequence}|${text}|[^]`, "gu");
const begun = new RegExp(`^${esc}{1,2}(?:\\[\\[?[0-?]*[ -/]*|O[0-9;]*)?$`);

function isUnfinished(last: string): boolean {
  return last.startsWith(pasteStart) ? !last.endsWith(pasteEnd) : begun.test(last);
}

function piecesOf(one: string): readonly string[] {
  if (one.startsWith(esc)) return [one];
  if (/[\r\n]\s*\S/.test(one)) return [pasteStart + one + pasteEnd];
  return (one.match(/\r\n?|[\n\t]|[^\r\n\t]+/g) ?? []).map((piece) => (piece === "\r\n" ? "\r" : piece));
}
