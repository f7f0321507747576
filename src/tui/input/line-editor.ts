import { widthOf } from "../../cli/render/wrap.ts";
export interface EditedText {
  readonly text: string;
  readonly at: number;
}

export const emptyText: EditedText = { text: "", at: 0 };

export const edits = {
  insert: ({ text, at }: EditedText, added: string): EditedText => ({
    text: text.slice(0, at) + added + text.slice(at),
    at: at + added.length,
  }),
  left: (edited: EditedText): EditedText => ({ ...edited, at: before(edited) }),
  right: (edited: EditedText): EditedText => ({ ...edited, at: after(edited) }),
  lineStart: (edited: EditedText): EditedText => ({ ...edited, at: startOfLine(edited) }),
  lineEnd: (edited: EditedText): EditedText => ({ ...edited, at: endOfLine(edited) }),
  wordLeft: (edited: EditedText): EditedText => ({ ...edited, at: startOfWord(edited) }),
  wordRight: (edited: EditedText): EditedText => ({ ...edited, at: endOfWord(edited) }),
  deleteLeft: (edited: EditedText): EditedText => cut(edited, before(edited), edited.at),
  deleteRight: (edited: EditedText): EditedText => cut(edited, edited.at, after(edited)),
  deleteWordLeft: (edited: EditedText): EditedText => cut(edited, startOfWord(edited), edited.at),
  deleteToLineStart: (edited: EditedText): EditedText => cut(edited, startOfLine(edited), edited.at),
  deleteToLineEnd: (edited: EditedText): EditedText => cut(edited, edited.at, endOfLine(edited)),
} as const;

export function moveLine({ text, at }: EditedText, by: -1 | 1): EditedText | undefined {
  const start = startOfLine({ text, at });
  const column = at - start;
  if (by === -1) {
    if (start === 0) return undefined;
    const above = startOfLine({ text, at: start - 1 });
    return { text, at: Math.min(above + column, start - 1) };
  }
  const end = endOfLine({ text, at });
  if (end === text.length) return undefined;
  return { text, at: Math.min(end + 1 + column, endOfLine({ text, at: end + 1 })) };
}

function cut({ text }: EditedText, from: number, to: number): EditedText {
  return { text: text.slice(0, from) + text.slice(to), at: from };
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

function before({ text, at }: EditedText): number {
  const line = startOfLine({ text, at });
  if (line === at) return Math.max(0, at - 1);
  let last = line;
  for (const { index } of characters.segment(text.slice(line, at))) last = line + index;
  return last;
}

function after({ text, at }: EditedText): number {
  const [first] = characters.segment(text.slice(at, at + 64));
  return at + (first?.segment.length ?? 0);
}

function startOfLine({ text, at }: EditedText): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function endOfLine({ text, at }: EditedText): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function startOfWord({ text, at }: EditedText): number {
  return at - (/\S*\s*$/.exec(text.slice(0, at))?.[0].length ?? 0);
}

function endOfWord({ text, at }: EditedText): number {
  return at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0);
}

export interface VisualRow {
  readonly from: number;
  readonly to: number;
}

export function visualRows(text: string, columns: number): readonly VisualRow[] {
  const rows: VisualRow[] = [];
  let from = 0;
  let at = 0;
  let width = 0;
  const end = (next: number) => {
    rows.push({ from, to: at });
    from = next;
    width = 0;
  };
  for (const character of text) {
    if (character === "\n") end(at + 1);
    else {
      const cells = widthOf(character);
      if (width + cells > columns && width > 0) end(at);
      width += cells;
    }
    at += character.length;
  }
  end(at);
  return rows;
}

export function rowsInView(
  { text, at }: EditedText,
  { columns, most }: { readonly columns: number; readonly most: number },
): { readonly rows: readonly VisualRow[]; readonly above: number; readonly below: number } {
  const all = visualRows(text, columns);
  const cursor = all.findLastIndex(({ from }) => from <= at);
  const above = Math.max(0, Math.min(cursor - most + 1, all.length - most));
  const rows = all.slice(above, above + most);
  return { rows, above, below: all.length - above - rows.length };
}

export interface MessageHistory {
  readonly past: readonly string[];
  readonly at: number;
  readonly draft: string;
}

const mostKept = 200;

export const emptyHistory: MessageHistory = { past: [], at: 0, draft: "" };

export function remember({ past }: MessageHistory, message: string): MessageHistory {
  const kept = past.at(-1) === message ? past : [...past, message].slice(-mostKept);
  return { past: kept, at: kept.length, draft: "" };
}

export function lookBack(
  history: MessageHistory,
  by: -1 | 1,
  written: string,
): { readonly history: MessageHistory; readonly text: string } | undefined {
  const at = history.at + by;
  if (at < 0 || at > history.past.length) return undefined;
  const draft = history.at === history.past.length ? written : history.draft;
  return { history: { ...history, at, draft }, text: history.past[at] ?? draft };
}

export function isLookingBack({ past, at }: MessageHistory, written: string): boolean {
  return past[at] === written;
}
