import path from "node:path";
import { isRecord } from "../contract/is-record.ts";
import type { ReadText } from "./parse-settings-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a directory's package.json says; none where a runtime could not read it either. */
export type Describe = (directory: string) => Fields;

/** What cannot be read is thrown. */
export function createDescribe(readText: ReadText): Describe {
  const known = new Map<string, Fields>();
  return (directory) => {
    const fields = known.get(directory) ?? fieldsOf(readText(path.join(directory, "package.json")));
    known.set(directory, fields);
    return fields;
  };
}

/** What is started, or loaded, when the directory itself is named. */
export function describedMains({ main, module, exports }: Fields): readonly string[] {
  return [...[main, module].filter((name) => typeof name === "string"), ...targetsOf(exports, ".")];
}

/** Where a table of names leads for one of them (`./x`, `#x`), on whatever condition. */
export function targetsOf(table: unknown, asked: string): readonly string[] {
  const isTable = isRecord(table) && Object.keys(table).some((key) => /^[.#]/.test(key));
  if (!isTable) return asked === "." ? leavesOf(table) : [];
  return Object.entries(table).flatMap(([key, value]) => {
    if (key === asked) return leavesOf(value);
    const [before = "", after] = key.split("*");
    if (after === undefined || !asked.startsWith(before) || !asked.endsWith(after)) return [];
    const middle = asked.slice(before.length, asked.length - after.length);
    return leavesOf(value).map((leaf) => leaf.replaceAll("*", () => middle));
  });
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

function fieldsOf(text: string | undefined): Fields {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
