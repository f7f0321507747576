import { joinShown, nothing, type Paint, type Shown, say } from "../cli/render/shown.ts";
import { besideMargin, widthOf, wordRows } from "../cli/render/wrap.ts";

type Side = "left" | "right" | "centre";

const narrowest = 8;

export function renderTable(
  lines: readonly string[],
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
  cellText: (text: string) => Shown,
): readonly Shown[] {
  const hasHead = isRule(lines[1] ?? "");
  const sides = hasHead ? cellsOf(lines[1] ?? "").map(sideOf) : [];
  const body = lines.filter((_, index) => !(hasHead && index === 1));
  const isHead = (index: number) => hasHead && index === 0;
  const rows = body.map((line, index) =>
    cellsOf(line).map((cell) => (isHead(index) ? paint("strong", cellText(cell)) : cellText(cell))),
  );
  const count = Math.max(...rows.map((row) => row.length));
  const wanted = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at]?.text ?? ""))));
  const widths = fittingWidths(wanted, columns - bar.length * (count - 1));
  if (widths === undefined)
    return hasHead ? told(rows, { paint, columns }) : rows.flatMap((row) => joined(row, columns));
  const drawn = rows.map((row) => tableRow(row, widths, sides));
  const [head = [], ...rest] = drawn;
  if (!hasHead) return drawn.flat();
  return [...head, paint("quiet", widths.map((width) => "─".repeat(width)).join("─┼─")), ...rest.flat()];
}

function fittingWidths(wanted: readonly number[], room: number): readonly number[] | undefined {
  const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width, 0);
  if (sum(wanted) <= room) return wanted;
  if (sum(wanted.map((width) => Math.min(width, narrowest))) > room) return undefined;
  const widths = wanted.map((width) => Math.min(width, room));
  while (sum(widths) > room) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function tableRow(row: readonly Shown[], widths: readonly number[], sides: readonly Side[]): readonly Shown[] {
  const cells = widths.map((width, at) => wordRows(row[at] ?? nothing, width));
  const height = Math.max(...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, line) =>
    joinShown(
      widths.map((width, at) => padded(cells[at]?.[line] ?? nothing, width, sides[at])),
      bar,
    ),
  );
}

function told(
  [head = [], ...rows]: readonly (readonly Shown[])[],
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): readonly Shown[] {
  const rule = paint("quiet", "─".repeat(Math.min(columns, 24)));
  return rows.flatMap((row) => [
    rule,
    ...row.flatMap((cell, at) => {
      const name = head[at] ?? nothing;
      const line = name.text === "" ? cell : say`${name}: ${cell}`;
      return besideMargin(line, { columns, first: nothing, further: say`  ` });
    }),
  ]);
}

function joined(row: readonly Shown[], columns: number): readonly Shown[] {
  return besideMargin(joinShown(row, bar), { columns, first: nothing, further: say`  ` });
}

const bar = " │ ";

function isRule(line: string): boolean {
  return /-/.test(line) && /^[\s|:-]+$/.test(line);
}

function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  const cells = inner.match(/(?:`[^`]*`|\\.|[^|\\]|\\$)*(?:\||$)/g) ?? [];
  // The end of the text matches once more, with nothing.
  const whole = cells.at(-1) === "" && cells.length > 1 ? cells.slice(0, -1) : cells;
  return whole.map((cell) => cell.replace(/\|$/, "").replaceAll("\\|", "|").trim());
}

function sideOf(rule: string): Side {
  if (!rule.endsWith(":")) return "left";
  return rule.startsWith(":") ? "centre" : "right";
}

function padded(cell: Shown, width: number, side: Side = "left"): Shown {
  const missing = Math.max(0, width - widthOf(cell.text));
  const before = side === "right" ? missing : side === "centre" ? Math.floor(missing / 2) : 0;
  return say`${" ".repeat(before)}${cell}${" ".repeat(missing - before)}`;
}
