import { fenceAfter, isTableRow } from "./markdown.ts";
import { type Item, type Screen, withItem } from "./screen-state.ts";

const longestLine = 4_000;
const mostTableRows = 100;

/** Lines that are complete are written out at once: what is redrawn stays one line long, however long the answer. */
export function withText(screen: Screen, text: string): Screen {
  const rows = (screen.line + text).split("\n");
  const line = rows.pop() ?? "";
  // A line without an end would be read again with every piece that comes.
  if (line.length > longestLine) return { ...withRows(screen, [...rows, line]), line: "" };
  return { ...withRows(screen, rows), line };
}

/** A table waits for its end, within reason. */
function withRows(screen: Screen, rows: readonly string[]): Screen {
  const ready: string[] = [];
  let { fence, table } = screen;
  for (const row of rows) {
    if (fence === undefined && isTableRow(row) && table.length < mostTableRows) {
      table = [...table, row];
      continue;
    }
    ready.push(...table, row);
    table = [];
    fence = fenceAfter(fence, row);
  }
  return { ...withSaid(screen, ready), fence, table };
}

export function endLine(screen: Screen): Screen {
  const { line, table, fence } = screen;
  const rows = line === "" ? table : [...table, line];
  let ended: Screen = { ...withSaid(screen, rows), line: "", table: [] };
  ended = { ...ended, wanted: 0, fence: line === "" ? fence : fenceAfter(fence, line) };
  for (let left = screen.wanted; left > 0; left--) ended = withOutput(ended);
  return ended;
}

function withSaid(screen: Screen, rows: readonly string[]): Screen {
  if (rows.length === 0) return screen;
  const { fence, spoke } = screen;
  const item: Item = {
    kind: "said",
    text: rows.join("\n"),
    first: !spoke,
    ...(fence === undefined ? {} : { fence }),
  };
  return { ...withItem(screen, item), spoke: true };
}

export function withOutput(screen: Screen): Screen {
  const observation = screen.outputs.at(-1);
  if (observation === undefined) {
    return withItem(screen, { kind: "note", tone: "quiet", text: "No call has more output to show." });
  }
  return { ...withItem(screen, { kind: "output", observation }), outputs: screen.outputs.slice(0, -1) };
}
