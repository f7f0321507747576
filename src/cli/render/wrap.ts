import { stripVTControlCharacters } from "node:util";
import { labeller, labelWidth, type Paint, painter, Shown, say } from "./shown.ts";

export type Wrap = (line: Shown) => Shown;

export interface View {
  readonly paint: Paint;
  readonly wrap: Wrap;
  readonly fold: Wrap;
  /** `say`, wrapped. */
  readonly line: typeof say;
  readonly label: (name: string) => Shown;
  /** A label and its value; nothing without a value. */
  row(name: string, value: string | Shown | undefined): Shown | undefined;
  /** For what people copy: one line, unless the terminal's own break could make it look like a label and a value. */
  copied(label: Shown, value: Shown): Shown;
}

export function viewOn(output: { readonly colour: boolean; readonly columns?: number }): View {
  const wrap = wrapper(output);
  const paint = painter(output);
  const label = labeller(paint);
  return {
    paint,
    wrap,
    fold: folder(output),
    line: (words, ...values) => wrap(say(words, ...values)),
    label,
    row: (name, value) => (value === undefined ? undefined : wrap(say`${label(name)}${value}`)),
    copied: (label, value) => {
      const line = say`${label}${value}`;
      return / {2}/.test(stripVTControlCharacters(line.text).slice(labelWidth)) ? wrap(line) : line;
    },
  };
}

const narrowest = 30;
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

interface Margin {
  readonly columns: number;
  readonly first: Shown;
  readonly further?: Shown;
}

export function besideMargin(text: Shown, { columns, first, further }: Margin): readonly Shown[] {
  const margin = widthOf(first.text);
  const room = columns - margin;
  if (room < leastWords) return [say`${first}${text}`];
  const rest = further ?? say`${" ".repeat(margin)}`;
  return wordRows(text, room).map((row, index) => say`${index === 0 ? first : rest}${row}`);
}

const leastWords = 16;

export function wordRows(text: Shown, columns: number): readonly Shown[] {
  const plain = text.text.replaceAll("\t", tabStop);
  if (widthOf(plain) <= columns) return [new Shown(plain)];
  const rows = createRows(columns, 0);
  for (const word of plain.match(/ *[^ ]+| +$/g) ?? []) rows.add(word);
  return paintedApart(rows.text().split("\n"));
}

const ends: Readonly<Record<string, string>> = { 1: "22", 2: "22", 3: "23", 31: "39", 32: "39", 33: "39", 36: "39" };

function paintedApart(rows: readonly string[]): readonly Shown[] {
  let open: readonly string[] = [];
  return rows.map((row) => {
    const before = open;
    for (const [, code = ""] of row.matchAll(colours)) {
      const ended = open.findLastIndex((one) => ends[one] === code);
      open = ended === -1 ? (ends[code] === undefined ? open : [...open, code]) : open.toSpliced(ended, 1);
    }
    const closing = open.map((code) => ends[code] ?? "").toReversed();
    return new Shown(`${escapes(before)}${row}${escapes(closing)}`);
  });
}

const escapeKey = String.fromCharCode(27);
const colours = new RegExp(`${escapeKey}\\[([0-9]+)m`, "g");

function escapes(codes: readonly string[]): string {
  return codes.map((code) => `${escapeKey}[${code}m`).join("");
}

/** A tab has no width of its own, and text of no known width cannot be kept inside its line. */
const tabStop = "    ";

function wrapRow(text: string, columns: number): string {
  const rows = createRows(columns, hangOf(text, columns));
  for (const word of text.match(/ *[^ ]+| +$/g) ?? []) rows.add(word);
  return rows.text();
}

function createRows(columns: number, hang: number) {
  const done: string[] = [];
  let row = "";
  let width = 0;
  const start = (indent: number) => {
    done.push(row);
    row = " ".repeat(indent);
    width = indent;
  };
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
    /** A word is broken only if no row can hold it: a broken path cannot be copied. */
    add(word: string): void {
      const bare = word.trimStart();
      const cells = widthOf(bare);
      const all = widthOf(word);
      if (width + all <= columns) {
        row += word;
        width += all;
      } else if (leastHang + cells > columns) fill(word);
      else if (row.trim() === "") {
        row = `${" ".repeat(columns - cells)}${bare}`;
        width = columns;
      } else {
        start(Math.min(hang, columns - cells));
        fill(bare);
      }
    },
    text: () => [...done, row].join("\n"),
  };
}

const pieces = new RegExp(`${escapeKey}\\[[0-9;]*m|.`, "gsu");

function hangOf(text: string, columns: number): number {
  const plain = stripVTControlCharacters(text);
  const label = /^ *\S+(?: \S+){0,2} {2,}/.exec(plain)?.[0].length ?? 0;
  const indent = /^ */.exec(plain)?.[0].length ?? 0;
  const hang = label > 0 && label <= 20 ? label : indent;
  return hang * 2 > columns ? leastHang : Math.max(leastHang, hang);
}

export function widthOf(text: string): number {
  if (printable.test(text)) return text.length;
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/\p{M}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const printable = /^[ -~]*$/;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
