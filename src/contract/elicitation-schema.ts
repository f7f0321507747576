import type { Elicitation, ElicitedField } from "./server.ts";
import { visibleText } from "./visible-text.ts";

/** A server's question in words, for who hands it on: whose it is, and where a page that it wants opened really leads. */
export function elicitationWords({ server, message, ask }: Pick<Elicitation, "server" | "message" | "ask">): string {
  const leads = ask.mode === "url" && URL.canParse(ask.url) ? `\nThe address leads to ${new URL(ask.url).host}.` : "";
  return visibleText(`The server ${server} asks:\n${message}${leads}`);
}

/** The fields of a server's question as a schema, as protocols hand them on. Its words are its own, and are made visible. */
export function elicitationSchema(fields: readonly ElicitedField[]) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function propertyOf({ kind, title, description, choices = [], default: usual }: ElicitedField) {
  const words = {
    ...(title === undefined ? {} : { title: visibleText(title) }),
    ...(description === undefined ? {} : { description: visibleText(description) }),
  };
  const options = choices.map((choice) => ({ const: choice.value, title: visibleText(choice.title) }));
  switch (kind) {
    case "text":
      return { type: "string" as const, ...words, ...(typeof usual === "string" ? { default: usual } : {}) };
    case "choice":
      return {
        type: "string" as const,
        ...words,
        oneOf: options,
        ...(typeof usual === "string" ? { default: usual } : {}),
      };
    case "number":
    case "integer":
      return { type: kind, ...words, ...(typeof usual === "number" ? { default: usual } : {}) };
    case "boolean":
      return { type: "boolean" as const, ...words, ...(typeof usual === "boolean" ? { default: usual } : {}) };
    case "choices":
      return {
        type: "array" as const,
        ...words,
        items: { anyOf: options },
        ...(Array.isArray(usual) ? { default: [...usual] } : {}),
      };
  }
}
