import { lazy } from "./async.ts";

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

export type JsonText =
  | { readonly ok: true; readonly value: unknown; readonly placeOf: (field: string) => JsonPlace }
  | { readonly ok: false; readonly problem: string; readonly place: JsonPlace };

/** Reports positions, and refuses duplicate keys, which could hide a deny list. Problems never quote the text. */
export function readJsonText(written: string): JsonText {
  const text = written.startsWith("\uFEFF") ? written.slice(1) : written;
  const fields = new Map<string, number>();
  const end = readValue({ text, fields, depth: 0 }, skipSpace(text, 0), "");
  if (typeof end !== "number") return { ok: false, problem: end.problem, place: placeAt(text, end.at) };
  const rest = skipSpace(text, end);
  if (rest < text.length) {
    return { ok: false, problem: "unexpected text after the value", place: placeAt(text, rest) };
  }
  const starts = lazy(() => lineStarts(text));
  return { ok: true, value: JSON.parse(text), placeOf: (field) => placeIn(starts(), offsetOf(fields, field)) };
}

export function fieldPath(parent: string, key: string | number): string {
  if (typeof key === "number") return `${parent}[${key}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent === "" ? key : `${parent}.${key}`;
}

const lastStep = /(?:\.?[A-Za-z_$][\w$]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/;

function offsetOf(fields: ReadonlyMap<string, number>, field: string): number {
  const at = fields.get(field);
  if (at !== undefined) return at;
  const parent = field.replace(lastStep, "");
  return parent === field ? 0 : offsetOf(fields, parent);
}

interface JsonReading {
  readonly text: string;
  readonly fields: Map<string, number>;
  readonly depth: number;
}

interface JsonProblem {
  readonly problem: string;
  readonly at: number;
}

const deepest = 32;

function readValue(reading: JsonReading, at: number, field: string): number | JsonProblem {
  reading.fields.set(field, at);
  const first = reading.text[at];
  if (first === undefined) return { problem: "the text ends where a value is expected", at };
  if (first === "{" || first === "[") {
    if (reading.depth >= deepest) return { problem: `nested deeper than ${deepest} levels`, at };
    const inner = { ...reading, depth: reading.depth + 1 };
    return first === "{" ? readObject(inner, at, field) : readArray(inner, at, field);
  }
  if (first === '"') return endOfString(reading.text, at) ?? { problem: "invalid string", at };
  return (
    endOfScalar(reading.text, at) ?? {
      problem: "expected an object, an array, a string in double quotes, a number, true, false or null",
      at,
    }
  );
}

const trailingComma = "trailing comma before this; remove it";

function readObject(reading: JsonReading, open: number, field: string): number | JsonProblem {
  const { text } = reading;
  const seen = new Set<string>();
  let at = skipSpace(text, open + 1);
  if (text[at] === "}") return at + 1;
  for (;;) {
    const keyEnd = text[at] === '"' ? endOfString(text, at) : undefined;
    if (keyEnd === undefined && text[at] === "}") return { problem: trailingComma, at };
    if (keyEnd === undefined) return { problem: "expected a key in double quotes", at };
    const key = String(JSON.parse(text.slice(at, keyEnd)));
    if (seen.has(key)) return { problem: "duplicate key", at };
    seen.add(key);
    const colon = skipSpace(text, keyEnd);
    if (text[colon] !== ":") return { problem: "expected ':' after the key", at: colon };
    const end = readValue(reading, skipSpace(text, colon + 1), fieldPath(field, key));
    if (typeof end !== "number") return end;
    at = skipSpace(text, end);
    if (text[at] === "}") return at + 1;
    if (text[at] !== ",") return { problem: "expected ',' or '}' after the value", at };
    at = skipSpace(text, at + 1);
  }
}

function readArray(reading: JsonReading, open: number, field: string): number | JsonProblem {
  const { text } = reading;
  let at = skipSpace(text, open + 1);
  if (text[at] === "]") return at + 1;
  for (let index = 0; ; index++) {
    if (text[at] === "]") return { problem: trailingComma, at };
    const end = readValue(reading, at, fieldPath(field, index));
    if (typeof end !== "number") return end;
    at = skipSpace(text, end);
    if (text[at] === "]") return at + 1;
    if (text[at] !== ",") return { problem: "expected ',' or ']' after the value", at };
    at = skipSpace(text, at + 1);
  }
}

function endOfString(text: string, at: number): number | undefined {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return isJson(text.slice(at, end + 1)) ? end + 1 : undefined;
}

function endOfScalar(text: string, at: number): number | undefined {
  let end = at;
  while (end < text.length && !" \n\r\t,]}".includes(text.charAt(end))) end++;
  return isJson(text.slice(at, end)) ? end : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return at;
}

function placeAt(text: string, at: number): JsonPlace {
  return placeIn(lineStarts(text), at);
}

function placeIn(starts: readonly number[], at: number): JsonPlace {
  let [first, behind] = [0, starts.length];
  while (behind - first > 1) {
    const middle = Math.floor((first + behind) / 2);
    if ((starts[middle] ?? 0) <= at) first = middle;
    else behind = middle;
  }
  return { line: first + 1, column: at - (starts[first] ?? 0) + 1 };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
