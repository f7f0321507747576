interface Field {
  readonly name: string;
  readonly rows: readonly string[];
}

/**
 * A replacement as people read it: the old lines with -, the new lines with +. Undefined when the action is
 * not one, or when anything in it cannot be told apart for certain; it is then shown as it stands.
 */
export function editView(action: string): readonly string[] | undefined {
  const [title = "", ...rows] = action.split("\n");
  const fields = readFields(rows);
  if (fields === undefined) return undefined;
  const view = fields.map(viewOf);
  const replaces = fields.some(({ name }) => name === "old_string" || name === "edits");
  return replaces && view.every((part) => part !== undefined) ? [title, ...view.flat()] : undefined;
}

/** `name: value`, or `name:` with the lines of its value below it, each two columns in. */
export function readFields(rows: readonly string[]): readonly Field[] | undefined {
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
