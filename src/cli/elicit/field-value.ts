import { type FieldValue, isOfFormat, outOfBounds } from "../../contract/server/elicitation.ts";
import type { ElicitedField } from "../../contract/server/server.ts";

/** What somebody typed for a field: its value, nothing at all, or why it is none. */
export type ReadField =
  | { readonly ok: true; readonly value?: FieldValue }
  | { readonly ok: false; readonly why: string };

/** Nothing typed stands for the default, and without one for leaving the field out. */
export function readField(field: ElicitedField, typed: string): ReadField {
  const text = field.kind === "text" ? typed : typed.trim();
  if (text.trim() === "") {
    if (field.default !== undefined) return { ok: true, value: field.default };
    return field.required ? { ok: false, why: "This has to be answered." } : { ok: true };
  }
  const read = readTyped(field, text);
  const problem = read.ok && read.value !== undefined ? outOfBounds(field, read.value) : undefined;
  return problem === undefined ? read : { ok: false, why: problem };
}

function readTyped(field: ElicitedField, text: string): ReadField {
  switch (field.kind) {
    case "text":
      return isOfFormat(field.format, text.trim())
        ? { ok: true, value: text }
        : { ok: false, why: `Give ${formatWords[field.format ?? "uri"]}.` };
    case "number":
    case "integer": {
      const value = Number(text);
      if (!Number.isFinite(value)) return { ok: false, why: "Give a number." };
      if (field.kind === "integer" && !Number.isSafeInteger(value)) return { ok: false, why: "Give a whole number." };
      return { ok: true, value };
    }
    case "boolean":
      if (/^(?:y|yes|true)$/i.test(text)) return { ok: true, value: true };
      if (/^(?:n|no|false)$/i.test(text)) return { ok: true, value: false };
      return { ok: false, why: "Say y or n." };
    case "choice":
      return chosen(field, text);
    case "choices": {
      const all = text.split(",").map((one) => chosen(field, one.trim()));
      const wrong = all.find((one) => !one.ok);
      if (wrong !== undefined) return wrong;
      const values = all.flatMap((one) => (one.ok && typeof one.value === "string" ? [one.value] : []));
      return { ok: true, value: [...new Set(values)] };
    }
  }
}

const formatWords = {
  email: "an address such as ann@example.com",
  uri: "an address such as https://example.com",
  date: "a date such as 2026-01-31",
  "date-time": "a time such as 2026-01-31T12:00:00Z",
} as const;

/** By its number, else by its own words. */
function chosen({ choices = [] }: ElicitedField, text: string): ReadField {
  const byNumber = /^\d{1,4}$/.test(text) ? choices[Number(text) - 1] : undefined;
  const found = byNumber ?? choices.find(({ value, title }) => value === text || title === text);
  if (found !== undefined) return { ok: true, value: found.value };
  return { ok: false, why: `Choose one of 1 to ${choices.length}.` };
}

/** A default, or a value, as a person reads it. */
export function valueText(field: ElicitedField, value: FieldValue): string {
  const titleOf = (one: string) => field.choices?.find((choice) => choice.value === one)?.title ?? one;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? titleOf(value) : value.map(titleOf).join(", ");
}

export const kindWords = {
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "y or n",
  choice: "one of these",
  choices: "some of these, with commas",
} as const satisfies Record<ElicitedField["kind"], string>;
