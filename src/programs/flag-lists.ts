import type { OperandRoles, ProgramEntry, Role } from "./program-entry.ts";

export function text(names: string): Readonly<Record<string, "text">> {
  return Object.fromEntries(names.split(" ").map((name) => [name, "text" as const]));
}

export function listed(text: string): readonly string[] {
  return text.split(" ");
}

export function setOf(text: string): ReadonlySet<string> {
  return new Set(listed(text));
}

/**
 * A table of programs. An entry begins at two blanks: its names, its flags, and after a colon what its operands are.
 * `-ab` are two flags; `-n=` takes a text and `-o=write` a value with that role; the value of `--color?` may be left
 * out; `-#` is `-20`. One of the flags with `!` is needed, and those with `^` make operands trees. `read*` is any
 * number of operands, and `list*.` is the working directory where there are none. `~` is a blank in a name.
 */
export function entriesOf(table: string, common: Partial<ProgramEntry> = {}): readonly ProgramEntry[] {
  return table
    .trim()
    .split(/\n {2}(?=\S)/)
    .map((line) => ({ ...entryOf(line), ...common }));
}

function entryOf(line: string): ProgramEntry {
  const [head = "", operands = ""] = line.split(/ :(?:\s|$)/);
  const [names = "", ...words] = head.trim().split(/\s+/);
  const marked = words.flatMap((word) => {
    const [, needed, flag = "", mark = ""] = /^(!?)(-.+?)(\^|\?|=[a-z-]*)?$/.exec(word) ?? [];
    const single = flag.startsWith("--") || flag === "-#";
    const names = single ? [flag] : Array.from(flag.slice(1), (letter) => `-${letter}`);
    return names.map((name) => ({ name, mark, needed: needed === "!" }));
  });
  const namesWith = (mark: string) => marked.filter((flag) => flag.mark === mark).map(({ name }) => name);
  const needs = marked.filter(({ needed }) => needed).map(({ name }) => name);
  const values = marked.filter(({ mark }) => mark.startsWith("="));
  return {
    names: names.replaceAll("~", " ").split(","),
    flags: [...namesWith(""), ...namesWith("^")].filter((name) => name !== "-#"),
    optional: namesWith("?"),
    values: Object.fromEntries(values.map(({ name, mark }) => [name, roleOf(mark.slice(1) || "text")])),
    count: marked.some(({ name }) => name === "-#"),
    recursive: namesWith("^"),
    ...(needs.length > 0 && { needs }),
    operands: rolesOf(operands.split(" ").filter((word) => word !== "")),
  };
}

function rolesOf(words: readonly string[]): OperandRoles {
  const last = words.at(-1) ?? "";
  if (!last.includes("*")) return { first: words.map(roleOf) };
  const rest = roleOf(last.replace(/\*\.?$/, ""));
  return { first: words.slice(0, -1).map(roleOf), rest, ...(last.endsWith(".") && { none: rest }) };
}

const roles: readonly Role[] = ["text", "read", "read-tree", "list", "list-tree", "write", "edit"];

function roleOf(text: string): Role {
  const role = roles.find((one) => one === text);
  if (role === undefined) throw new Error(`${text} is not a role of an operand`);
  return role;
}

/** Rows that begin at two blanks: names, and behind semicolons fields, each a key and its words. `~` is a blank. */
export function rowsOf<Key extends string>(
  table: string,
  keys: readonly Key[],
): readonly ({ readonly names: readonly string[] } & Partial<Record<Key, readonly string[]>>)[] {
  return table
    .trim()
    .split(/\n {2}(?=\S)/)
    .map((row) => {
      const [names = [], ...fields] = row.split(/;\s/).map((field) => wordsIn(field));
      const found: Partial<Record<Key, readonly string[]>> = {};
      for (const [name, ...words] of fields) {
        const key = keys.find((one) => one === name);
        if (key === undefined) throw new Error(`${name} is not a field of ${names.join(" ")}`);
        found[key] = [...(found[key] ?? []), ...words];
      }
      return { names, ...found };
    });
}

function wordsIn(text: string): readonly string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll("~", " "));
}
