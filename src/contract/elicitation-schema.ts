import { markedLines } from "./marked-lines.ts";
import type { Elicitation, ElicitedField } from "./server.ts";
import { visibleText } from "./visible-text.ts";

/**
 * A server's question in words, for who hands it on: whose it is, and where a page that it wants opened really leads.
 * Our own lines come first, and each of the server's is marked, so that none can be taken for one of ours.
 */
export function elicitationWords({ server, message, ask }: Pick<Elicitation, "server" | "message" | "ask">): string {
  const asks =
    ask.mode === "url" && URL.canParse(ask.url)
      ? `The server ${server} asks for a page to be opened.\nThe address leads to ${new URL(ask.url).host}.\nIts words:`
      : `The server ${server} asks:`;
  return visibleText(`${asks}\n${markedLines(message.trimEnd())}`);
}

/** The fields of a server's question as a schema, as protocols hand them on. Its words are its own, and are made visible. */
export function elicitationSchema(fields: readonly ElicitedField[]) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** With everything that an answer is held to afterwards: who fills it in is told before and not after. */
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

/** Of a length or a number of things. What is none would make the whole question unreadable for a strict reader. */
function isCount(bound: number | undefined): bound is number {
  return bound !== undefined && Number.isSafeInteger(bound) && bound >= 0;
}
