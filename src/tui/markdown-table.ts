import { joinShown, type Paint, type Shown, say } from "../cli/render/shown.ts";
import { widthOf } from "../cli/render/wrap.ts";

type Side = "left" | "right" | "centre";

/**
 * The rows of a table with their columns below each other, its first one set apart. Where that is too wide, the
 * cells stand behind each other.
 */
export function renderTable(
  lines: readonly string[],
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
  cellText: (text: string) => Shown,
): readonly Shown[] {
  const hasHead = isRule(lines[1] ?? "");
  const sides = hasHead ? cellsOf(lines[1] ?? "").map(sideOf) : [];
  const body = lines.filter((_, index) => !(hasHead && index === 1));
  const rows = body.map((line) => cellsOf(line).map(cellText));
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at]?.text ?? ""))));
  const total = widths.reduce((sum, width) => sum + width, 0) + bar.length * (count - 1);
  const fits = total <= columns;
  const drawn = rows.map((row, index) => {
    const cells = fits ? widths.map((width, at) => padded(row[at] ?? say``, width, sides[at])) : row;
    const joined = joinShown(cells, bar);
    return hasHead && index === 0 ? paint("strong", joined) : joined;
  });
  const [head, ...rest] = drawn;
  if (!hasHead || head === undefined) return drawn;
  const rule = fits ? widths.map((width) => "─".repeat(width)).join("─┼─") : "─".repeat(Math.min(columns, 24));
  return [head, paint("quiet", rule), ...rest];
}

const bar = " │ ";

function isRule(line: string): boolean {
  return /-/.test(line) && /^[\s|:-]+$/.test(line);
}

/** A bar behind a backslash or inside of code is none. */
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
