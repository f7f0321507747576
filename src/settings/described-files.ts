import path from "node:path";
import { isRecord } from "../contract/is-record.ts";
import type { ReadText } from "./parse-settings-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a directory's package.json says. */
export type Describe = (directory: string) => Fields;

const largest = 256 * 1024;
const mostEntries = 1_000;
const longestTarget = 4_096;
const deepest = 20;

/** What is there and cannot be read is thrown: a runtime may make more of it than we do. So is one that is too much. */
export function createDescribe(readText: ReadText): Describe {
  const known = new Map<string, Fields>();
  return (directory) => {
    const fields = known.get(directory) ?? fieldsIn(directory, readText);
    known.set(directory, fields);
    return fields;
  };
}

/** Where it lies is told as the cause. */
function fieldsIn(directory: string, readText: ReadText): Fields {
  try {
    return fieldsOf(readText(path.join(directory, "package.json")));
  } catch (error) {
    throw new Error(wrongWith(error), { cause: directory });
  }
}

/** The system's own words have the path in them. */
function wrongWith(error: unknown): string {
  if (error instanceof SyntaxError) return "it is no plain JSON";
  return error instanceof Error && !("code" in error) ? error.message : "it cannot be opened";
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
    return leavesOf(value).map((leaf) => leaf.replace("*", () => middle));
  });
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

function fieldsOf(text: string | undefined): Fields {
  if (text === undefined) return {};
  // With a letter that was lost, a name in it would be another one.
  if (text.includes("\uFFFD")) throw new Error("it is no text");
  if (text.length > largest) throw new Error("it is larger than 256 KiB");
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  if (!isRecord(value)) throw new Error("it is no object");
  for (const table of [value.exports, value.imports]) {
    if (weightOf(table, 0) > mostEntries) throw new Error("it names too much");
  }
  return value;
}

/** How many keys and targets there are; without end where one of them could become anything. */
function weightOf(value: unknown, depth: number): number {
  if (depth > deepest) return Number.POSITIVE_INFINITY;
  if (typeof value === "string") {
    const isOdd = value.length > longestTarget || value.indexOf("*") !== value.lastIndexOf("*");
    return isOdd ? Number.POSITIVE_INFINITY : 1;
  }
  if (typeof value !== "object" || value === null) return 1;
  let weight = 0;
  for (const one of Object.values(value)) {
    weight += 1 + weightOf(one, depth + 1);
    if (weight > mostEntries) return weight;
  }
  return weight;
}
