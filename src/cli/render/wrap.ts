import { stripVTControlCharacters } from "node:util";
import { type Paint, painter, Shown } from "./shown.ts";

/** Fits one line into the width of its output. What people copy is not put through it. */
export type Wrap = (line: Shown) => Shown;

/** How something is shown on one output. */
export interface View {
  readonly paint: Paint;
  readonly wrap: Wrap;
}

export function viewOn(output: { readonly colour: boolean; readonly columns?: number }): View {
  return { paint: painter(output), wrap: wrapper(output) };
}

/** Narrower than this, breaking lines helps nobody. */
const narrowest = 30;

export function wrapper(output: { readonly columns?: number }): Wrap {
  const { columns } = output;
  if (columns === undefined || columns < narrowest) return (line) => line;
  return (line) =>
    new Shown(
      line.text
        .split("\n")
        .map((row) => wrapRow(row, columns))
        .join("\n"),
    );
}

/** Breaks between words. The lines after the first stand below the value, not below its label. */
function wrapRow(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const hang = " ".repeat(hangOf(text, columns));
  const rows: string[] = [];
  let row = "";
  for (const word of text.match(/ *[^ ]+| +$/g) ?? []) {
    if (row.trim() !== "" && widthOf(row + word) > columns) {
      rows.push(row);
      row = hang + word.trimStart();
    } else row += word;
  }
  return [...rows, row].join("\n");
}

/** Where the value of a `label   value` line begins; else how far the line is indented. */
function hangOf(text: string, columns: number): number {
  const plain = stripVTControlCharacters(text);
  const label = /^ *\S+(?: \S+){0,2} {2,}/.exec(plain)?.[0].length ?? 0;
  const indent = /^ */.exec(plain)?.[0].length ?? 0;
  const hang = label > 0 && label <= 20 ? label : indent;
  return hang * 2 > columns ? 0 : hang;
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
