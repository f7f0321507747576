import type { ElicitRequestFormParams, InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Elicitation, ElicitationAnswer, ElicitedField } from "../../contract/server.ts";
import { visibleText } from "../../contract/visible-text.ts";

type Property = ElicitRequestFormParams["requestedSchema"]["properties"][string];

/** A server's question, handed on with its name: its words are its own. `undefined` where it wants a page opened. */
export function elicitationForm({ server, message, ask }: Elicitation): InputRequest | undefined {
  if (ask.mode !== "form") return undefined;
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: visibleText(`The server ${server} asks:\n${message}`),
      requestedSchema: {
        type: "object",
        properties: Object.fromEntries(ask.fields.map((field) => [field.name, propertyOf(field)])),
        required: ask.fields.filter(({ required }) => required).map(({ name }) => name),
      },
    },
  };
}

function propertyOf({ kind, title, description, choices = [], default: usual }: ElicitedField): Property {
  const words = {
    ...(title === undefined ? {} : { title: visibleText(title) }),
    ...(description === undefined ? {} : { description: visibleText(description) }),
  };
  const options = choices.map((choice) => ({ const: choice.value, title: visibleText(choice.title) }));
  switch (kind) {
    case "text":
      return { type: "string", ...words, ...(typeof usual === "string" ? { default: usual } : {}) };
    case "choice":
      return { type: "string", ...words, oneOf: options, ...(typeof usual === "string" ? { default: usual } : {}) };
    case "number":
    case "integer":
      return { type: kind, ...words, ...(typeof usual === "number" ? { default: usual } : {}) };
    case "boolean":
      return { type: "boolean", ...words, ...(typeof usual === "boolean" ? { default: usual } : {}) };
    case "choices":
      return {
        type: "array",
        ...words,
        items: { anyOf: options },
        ...(Array.isArray(usual) ? { default: [...usual] } : {}),
      };
  }
}

const answered = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: z.record(z.string(), z.unknown()) }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

/** Whether the answer fits the question is for the one who asked to say. */
export function readElicitation(answer: unknown): ElicitationAnswer {
  const read = answered.safeParse(answer);
  return read.success ? read.data : { action: "cancel" };
}
