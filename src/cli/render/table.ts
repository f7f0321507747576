import { visibleText } from "../../contract/visible-text.ts";
import { joinShown, lines, type Paint, type Shown, say, type Tone } from "./shown.ts";

export interface Column<Row> {
  readonly title: string;
  readonly align?: "right";
  readonly tone?: (row: Row) => Tone;
  text(row: Row): string;
}

/** Aligned columns; the last one is not padded. Rows are one line each, whatever their text holds. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Paint): Shown {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.text(row))));
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const pad = (text: string, index: number) => {
    const width = widths[index] ?? 0;
    if (columns[index]?.align === "right") return text.padStart(width);
    return index === columns.length - 1 ? text : text.padEnd(width);
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

export function oneLine(text: string, limit = 160): string {
  const flat = visibleText(text.replace(/\s*\n\s*/g, " ⏎ "));
  return flat.length > limit ? `${flat.slice(0, limit - 1)}…` : flat;
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

/** `2026-11-15T08:35:01.123Z` as `08:35:01.123`. */
export function timeText(at: string): string {
  return at.slice(11, 23);
}

/** `2026-11-15T08:35:01.123Z` as `2026-11-15 08:35:01`. */
export function dateText(at: string): string {
  return at.slice(0, 19).replace("T", " ");
}
