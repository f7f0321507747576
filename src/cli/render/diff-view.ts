import { type Paint, type Shown, say } from "./shown.ts";
import { counted } from "./table.ts";

interface Field {
  readonly name: string;
  readonly rows: readonly string[];
}

export function editView(action: string): readonly string[] | undefined {
  const [title = "", ...rows] = action.split("\n");
  const fields = readFields(rows);
  if (fields === undefined) return undefined;
  const view = fields.map(viewOf);
  const replaces = fields.some(({ name }) => name === "old_string" || name === "edits");
  return replaces && view.every((part) => part !== undefined) ? [title, ...view.flat()] : undefined;
}

function readFields(rows: readonly string[]): readonly Field[] | undefined {
  const fields: { name: string; rows: string[] }[] = [];
  for (const row of rows) {
    const [, name, value] = /^(\w+):(?: (.*))?$/.exec(row) ?? [];
    const open = fields.at(-1);
    if (name !== undefined) fields.push({ name, rows: value === undefined ? [] : [value] });
    else if (open !== undefined && row.startsWith("  ")) open.rows.push(row.slice(2));
    else return undefined;
  }
  return fields;
}

function viewOf({ name, rows }: Field): readonly string[] | undefined {
  if (name === "old_string") return rows.map((row) => `-${row}`);
  if (name === "new_string") return rows.map((row) => `+${row}`);
  if (name === "edits") return editsView(rows.join("\n"));
  return [rows.length === 1 ? `${name}: ${rows[0]}` : `${name}:`, ...(rows.length === 1 ? [] : rows)];
}

function editsView(json: string): readonly string[] | undefined {
  try {
    const edits: unknown = JSON.parse(json);
    if (!Array.isArray(edits)) return undefined;
    const views = edits.map((edit, index) => oneEdit(edit, index));
    return views.every((view) => view !== undefined) ? views.flat() : undefined;
  } catch {
    return undefined;
  }
}

function oneEdit(edit: unknown, index: number): readonly string[] | undefined {
  if (typeof edit !== "object" || edit === null) return undefined;
  const { old_string: before, new_string: after, ...others }: Record<string, unknown> = { ...edit };
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const more = Object.keys(others).length === 0 ? "" : ` ${JSON.stringify(others)}`;
  return [
    `@ edit ${index + 1}${more}`,
    ...before.split("\n").map((row) => `-${row}`),
    ...after.split("\n").map((row) => `+${row}`),
  ];
}

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

function uncounted(row: string): string {
  return row.replace(/^⟨(\d{1,4}) blanks⟩/, (_, blanks) => " ".repeat(Number(blanks)));
}

/** An input has its long blanks counted where a diff still shows them. */
function comparable(row: string): string {
  return row.replace(/[^\S\n]{12,}/gu, (run) => `⟨${run.length} blanks⟩`);
}

export function diffLine(line: string, paint: Paint): Shown {
  if (line.startsWith("+")) return paint("good", line);
  if (line.startsWith("-")) return paint("bad", line);
  return line.startsWith("@") ? paint("accent", line) : say`${line}`;
}
