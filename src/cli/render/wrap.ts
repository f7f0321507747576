import { stripVTControlCharacters } from "node:util";
import { labelWidth, type Paint, painter, Shown, say } from "./shown.ts";

/** Fits one line into the width of its output. What people copy is not put through it. */
export type Wrap = (line: Shown) => Shown;

/** How something is shown on one output. No row that goes on with another stands where labels stand. */
export interface View {
  readonly paint: Paint;
  /** Breaks between words. */
  readonly wrap: Wrap;
  /** Breaks where the output ends, for text whose blanks mean something. */
  readonly fold: Wrap;
  /** For what people copy: one line, unless the terminal's own break could make it look like a label and a value. */
  copied(label: Shown, value: Shown): Shown;
}

export function viewOn(output: { readonly colour: boolean; readonly columns?: number }): View {
  const wrap = wrapper(output);
  return {
    paint: painter(output),
    wrap,
    fold: folder(output),
    copied: (label, value) => {
      const line = say`${label}${value}`;
      return / {2}/.test(stripVTControlCharacters(line.text).slice(labelWidth)) ? wrap(line) : line;
    },
  };
}

/** Narrower than this, breaking lines helps nobody. */
const narrowest = 30;
/** How far a row that goes on with another is indented at least. */
const leastHang = 2;

export function wrapper(output: { readonly columns?: number }): Wrap {
  return perRow(output, wrapRow);
}

function folder(output: { readonly columns?: number }): Wrap {
  return perRow(output, (text, columns) => {
    const rows = createRows(columns, leastHang * 2);
    rows.fill(text);
    return rows.text();
  });
}

function perRow(
  { columns }: { readonly columns?: number },
  breakRow: (text: string, columns: number) => string,
): (line: Shown) => Shown {
  if (columns === undefined || columns < narrowest) return (line) => line;
  return (line) =>
    new Shown(
      line.text
        .split("\n")
        .map((row) => {
          const text = row.replaceAll("\t", tabStop);
          return widthOf(text) <= columns ? text : breakRow(text, columns);
        })
        .join("\n"),
    );
}

/** A tab has no width of its own, and text of no known width cannot be kept inside its line. */
const tabStop = "    ";

/** Breaks between words. The lines after the first stand below the value, not below its label. */
function wrapRow(text: string, columns: number): string {
  const rows = createRows(columns, hangOf(text, columns));
  for (const word of text.match(/ *[^ ]+| +$/g) ?? []) rows.add(word);
  return rows.text();
}

/** Rows of one width, filled one after another. */
function createRows(columns: number, hang: number) {
  const done: string[] = [];
  let row = "";
  let width = 0;
  const start = (indent: number) => {
    done.push(row);
    row = " ".repeat(indent);
    width = indent;
  };
  /** As much as the row holds, the rest in the next. */
  const fill = (text: string) => {
    for (const [piece] of text.matchAll(pieces)) {
      const cells = widthOf(piece);
      if (width + cells > columns) start(hang);
      row += piece;
      width += cells;
    }
  };
  return {
    fill,
    /** Whole, as long as any row can hold it: a path that is broken in two is no path. */
    add(word: string): void {
      const bare = word.trimStart();
      const cells = widthOf(bare);
      if (width + widthOf(word) <= columns) fill(word);
      else if (row.trim() === "" || leastHang + cells > columns) fill(word);
      else {
        start(Math.min(hang, columns - cells));
        fill(bare);
      }
    },
    text: () => [...done, row].join("\n"),
  };
}

/** A colour is no character that a row could end in. */
const pieces = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m|.`, "gsu");

/** Where the value of a `label   value` line begins; else how far the line is indented. */
function hangOf(text: string, columns: number): number {
  const plain = stripVTControlCharacters(text);
  const label = /^ *\S+(?: \S+){0,2} {2,}/.exec(plain)?.[0].length ?? 0;
  const indent = /^ */.exec(plain)?.[0].length ?? 0;
  const hang = label > 0 && label <= 20 ? label : indent;
  return hang * 2 > columns ? leastHang : Math.max(leastHang, hang);
}

/** Columns on a terminal: wide scripts and pictures take two, marks none, our own colours none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/\p{M}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
