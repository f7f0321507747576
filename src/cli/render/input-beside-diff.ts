import { readFields } from "./edit-view.ts";
import { counted } from "./table.ts";

/**
 * The input of a call whose change stands beside it as a diff. A field of many lines that all stand in the diff is named
 * and not said again; whatever does not stand there in exactly these words is.
 */
export function inputBesideDiff(action: string, diff: string): readonly string[] {
  const [title = "", ...rows] = action.split("\n");
  const fields = readFields(rows.map(uncounted));
  if (fields === undefined) return [title, ...rows];
  const said = new Set(diff.split("\n").map((row) => comparable(row.slice(1))));
  return [
    title,
    ...fields.flatMap((field) => {
      if (field.rows.length === 1) return [`${field.name}: ${field.rows[0]}`];
      const isSaid = field.rows.every((row) => row.trim() === "" || said.has(comparable(row)));
      // A text that ends with a line end has an empty row behind it.
      const count = field.rows.length - (field.rows.at(-1)?.trim() === "" ? 1 : 0);
      if (isSaid && count > 0) return [`${field.name}: ⟨${counted(count, "line")}, as below⟩`];
      return [`${field.name}:`, ...field.rows.map((row) => `  ${comparable(row)}`)];
    }),
  ];
}

/** The blanks that a row of a field begins with, counted together with the two that set it apart. */
function uncounted(row: string): string {
  return row.replace(/^⟨(\d{1,4}) blanks⟩/, (_, blanks) => " ".repeat(Number(blanks)));
}

/** An input has its long blanks counted where a diff still shows them. */
function comparable(row: string): string {
  return row.replace(/[^\S\n]{12,}/gu, (run) => `⟨${run.length} blanks⟩`);
}
