import { clip, visibleText } from "../../base/text.ts";
import type { Output } from "../surface.ts";
import { joinShown, lines, painter, type Shown, say, type Tone } from "./shown.ts";

export interface Column<Row> {
  readonly title: string;
  readonly align?: "right";
  readonly spare?: true | "last";
  readonly tone?: (row: Row) => Tone;
  text(row: Row): string;
}

type Width = Pick<Output, "colour" | "columns">;

const narrowest = 12;

export function renderTable<Row>(rows: readonly Row[], wanted: readonly Column<Row>[], output: Width): Shown {
  const paint = painter(output);
  const columns = fittingColumns(rows, wanted, output.columns ?? Number.POSITIVE_INFINITY);
  const cells = rows.map((row) => columns.map((column) => oneLine(column.text(row))));
  const widths = columns.map((column) => widthOfColumn(rows, column));
  const room = Math.max(narrowest, (output.columns ?? Number.POSITIVE_INFINITY) - widthBeforeLast(widths));
  const pad = (text: string, index: number) => {
    const width = widths[index] ?? 0;
    if (columns[index]?.align === "right") return text.padStart(width);
    return index === columns.length - 1 ? clip(text, room) : text.padEnd(width);
  };
  const header = columns.map((column, index) => paint("quiet", pad(column.title, index)));
  const body = rows.map((row, line) =>
    columns.map((column, index) => {
      const text = pad(cells[line]?.[index] ?? "", index);
      return column.tone === undefined ? say`${text}` : paint(column.tone(row), text);
    }),
  );
  return lines([header, ...body].map((line) => joinShown(line, "  ")));
}

function fittingColumns<Row>(rows: readonly Row[], all: readonly Column<Row>[], room: number) {
  const fits = (columns: readonly Column<Row>[]) => {
    const widths = columns.map((column) => widthOfColumn(rows, column));
    return widthBeforeLast(widths) + Math.min(narrowest, widths.at(-1) ?? 0) <= room;
  };
  const some = all.filter((column) => column.spare !== true);
  return [all, some].find(fits) ?? some.filter((column) => column.spare === undefined);
}

function widthOfColumn<Row>(rows: readonly Row[], column: Column<Row>): number {
  return rows.reduce((most, row) => Math.max(most, oneLine(column.text(row)).length), column.title.length);
}

function widthBeforeLast(widths: readonly number[]): number {
  return widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
}

export function oneLine(text: string, limit = 160): string {
  const flat = visibleText(text.replace(/\s*\n\s*/g, " ⏎ "));
  return clip(flat, limit);
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function timeText(at: string): string {
  return at.slice(11, 23);
}

export function dateText(at: string): string {
  return at.slice(0, 19).replace("T", " ");
}
