import { widthOf } from "../cli/render/wrap.ts";
import type { EditedText } from "./line-editor.ts";

/** A row on the screen: from one position of the text to another, without the line end. */
export interface VisualRow {
  readonly from: number;
  readonly to: number;
}

/** The rows that a text takes where so many cells stand in one. */
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

/** Those around the cursor, no more than so many, and how many stand above and below them. */
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
