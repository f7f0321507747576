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
  const words = { title: title && visibleText(title), description: description && visibleText(description) };
  const options = choices.map((choice) => ({ const: choice.value, title: visibleText(choice.title) }));
  const usualText = typeof usual === "string" ? usual : undefined;
  switch (kind) {
    case "text": {
      const length = { minLength: count(min), maxLength: count(max) };
      return { type: "string" as const, ...words, format, ...length, default: usualText };
    }
    case "choice":
      return { type: "string" as const, ...words, oneOf: options, default: usualText };
    case "number":
    case "integer": {
      const bounds = { minimum: min, maximum: max };
      return { type: kind, ...words, ...bounds, default: typeof usual === "number" ? usual : undefined };
    }
    case "boolean":
      return { type: "boolean" as const, ...words, default: typeof usual === "boolean" ? usual : undefined };
    case "choices": {
      const length = { minItems: count(min), maxItems: count(max) };
      const chosen = Array.isArray(usual) ? [...usual] : undefined;
      return { type: "array" as const, ...words, items: { anyOf: options }, ...length, default: chosen };
    }
  }
}

/** An odd bound would make a strict reader refuse the whole question. */
function count(bound: number | undefined): number | undefined {
  return bound !== undefined && Number.isSafeInteger(bound) && bound >= 0 ? bound : undefined;
}

export type FieldValue = string | number | boolean | readonly string[];

export function misfit(field: ElicitedField, value: unknown): string | undefined {
  const { kind, choices = [], format } = field;
  const offered = (one: unknown) => choices.some((choice) => choice.value === one);
  switch (kind) {
    case "text":
      if (typeof value !== "string") return "Enter text.";
      return isOfFormat(format, value.trim()) ? outOfBounds(field, value) : `Enter a valid ${format}.`;
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? outOfBounds(field, value) : "Enter a number.";
    case "integer":
      return Number.isSafeInteger(value) ? outOfBounds(field, Number(value)) : "Enter a whole number.";
    case "boolean":
      return typeof value === "boolean" ? undefined : "Enter yes or no.";
    case "choice":
      return offered(value) ? undefined : "Choose one of the options.";
    case "choices":
      return Array.isArray(value) && value.every(offered) ? outOfBounds(field, value) : "Choose from the options.";
  }
}

export function outOfBounds({ min, max }: ElicitedField, value: FieldValue): string | undefined {
  if (typeof value === "boolean") return undefined;
  const size = typeof value === "number" ? value : typeof value === "string" ? [...value].length : value.length;
  const verb = typeof value === "object" ? "Choose" : "Enter";
  const noun = typeof value === "string" ? " characters" : "";
  if (min !== undefined && size < min) return `${verb} at least ${min}${noun}.`;
  return max !== undefined && size > max ? `${verb} at most ${max}${noun}.` : undefined;
}

export function isOfFormat(format: ElicitedField["format"], text: string): boolean {
  if (format === "email") return /^[^\s@]+@[^\s@]+$/.test(text);
  if (format === "uri") return URL.canParse(text);
  if (format === "date") return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  return format === undefined || (/^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)));
}
