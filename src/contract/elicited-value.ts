import type { ElicitedField } from "./server.ts";

export type FieldValue = string | number | boolean | readonly string[];

/** Why a value is none for its field; nothing where it is one. */
export function misfit(field: ElicitedField, value: unknown): string | undefined {
  const { kind, choices = [], format } = field;
  const offered = (one: unknown) => choices.some((choice) => choice.value === one);
  switch (kind) {
    case "text":
      if (typeof value !== "string") return "It is no text.";
      return isOfFormat(format, value.trim()) ? outOfBounds(field, value) : `It is no ${format}.`;
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? outOfBounds(field, value) : "It is no number.";
    case "integer":
      return Number.isSafeInteger(value) ? outOfBounds(field, Number(value)) : "It is no whole number.";
    case "boolean":
      return typeof value === "boolean" ? undefined : "It is neither yes nor no.";
    case "choice":
      return offered(value) ? undefined : "It is none of the choices.";
    case "choices":
      return Array.isArray(value) && value.every(offered) ? outOfBounds(field, value) : "It is none of the choices.";
  }
}

/** Why a value is too little or too much for its field. */
export function outOfBounds({ min, max }: ElicitedField, value: FieldValue): string | undefined {
  if (typeof value === "boolean") return undefined;
  const [size, noun] =
    typeof value === "number"
      ? [value, ""]
      : typeof value === "string"
        ? [[...value].length, " characters"]
        : [value.length, " of them"];
  if (min !== undefined && size < min) return `Not less than ${min}${noun}.`;
  return max !== undefined && size > max ? `Not more than ${max}${noun}.` : undefined;
}

export function isOfFormat(format: ElicitedField["format"], text: string): boolean {
  if (format === "email") return /^[^\s@]+@[^\s@]+$/.test(text);
  if (format === "uri") return URL.canParse(text);
  if (format === "date") return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  return format === undefined || (/^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)));
}
