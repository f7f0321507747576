import { markedLines, visibleText } from "../../base/text.ts";
import type { Elicitation, ElicitedField } from "./server.ts";

export function elicitationWords({ server, message, ask }: Pick<Elicitation, "server" | "message" | "ask">): string {
  const asks =
    ask.mode === "url" && URL.canParse(ask.url)
      ? `The server ${server} asks for a page to be opened.\nThe address leads to ${new URL(ask.url).host}.\nIts words:`
      : `The server ${server} asks:`;
  return visibleText(`${asks}\n${markedLines(message.trimEnd())}`);
}

export function elicitationSchema(fields: readonly ElicitedField[]) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function propertyOf({ kind, title, description, choices = [], default: usual, min, max, format }: ElicitedField) {
  const words = {
    ...(title === undefined ? {} : { title: visibleText(title) }),
    ...(description === undefined ? {} : { description: visibleText(description) }),
  };
  const options = choices.map((choice) => ({ const: choice.value, title: visibleText(choice.title) }));
  switch (kind) {
    case "text":
      return {
        type: "string" as const,
        ...words,
        ...(format === undefined ? {} : { format }),
        ...(isCount(min) ? { minLength: min } : {}),
        ...(isCount(max) ? { maxLength: max } : {}),
        ...(typeof usual === "string" ? { default: usual } : {}),
      };
    case "choice":
      return {
        type: "string" as const,
        ...words,
        oneOf: options,
        ...(typeof usual === "string" ? { default: usual } : {}),
      };
    case "number":
    case "integer":
      return {
        type: kind,
        ...words,
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { maximum: max }),
        ...(typeof usual === "number" ? { default: usual } : {}),
      };
    case "boolean":
      return { type: "boolean" as const, ...words, ...(typeof usual === "boolean" ? { default: usual } : {}) };
    case "choices":
      return {
        type: "array" as const,
        ...words,
        items: { anyOf: options },
        ...(isCount(min) ? { minItems: min } : {}),
        ...(isCount(max) ? { maxItems: max } : {}),
        ...(Array.isArray(usual) ? { default: [...usual] } : {}),
      };
  }
}

function isCount(bound: number | undefined): bound is number {
  return bound !== undefined && Number.isSafeInteger(bound) && bound >= 0;
}

export type FieldValue = string | number | boolean | readonly string[];

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
