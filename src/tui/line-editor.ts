/** A text with a place in it. Positions count UTF-16 units and never stand inside a character. */
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

/** One line up or down; `undefined` at the first or last, where a history may take over. */
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

/** Characters as people see them. */
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
