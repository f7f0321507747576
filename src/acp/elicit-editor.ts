import type { AgentContext, ClientCapabilities, CreateElicitationRequest } from "@agentclientprotocol/sdk";
import type { ElicitationAnswer, ElicitedField, Elicitor } from "../contract/server.ts";

type Property = NonNullable<
  NonNullable<Extract<CreateElicitationRequest, { mode: "form" }>["requestedSchema"]>["properties"]
>[string];

/** Puts a server's question to the person at the editor; absent where the editor has no way to show one. */
export function editorElicitor(
  client: AgentContext,
  capabilities: ClientCapabilities | undefined,
  session: () => string,
): Elicitor | undefined {
  const can = capabilities?.elicitation;
  if (can === undefined || can === null) return undefined;
  return async (question, signal) => {
    const message = `${question.server} asks: ${question.message}`;
    const { ask } = question;
    const sessionId = session();
    if (!can[ask.mode]) return { action: "decline" };
    try {
      const request: CreateElicitationRequest =
        ask.mode === "url"
          ? { mode: "url", message, sessionId, url: ask.url, elicitationId: question.id }
          : { mode: "form", message, sessionId, requestedSchema: schemaOf(ask.fields) };
      return answerOf(await client.request("elicitation/create", request, { cancellationSignal: signal }));
    } catch {
      return { action: "cancel" };
    }
  };
}

function answerOf(response: { readonly action: string; readonly content?: unknown }): ElicitationAnswer {
  if (response.action !== "accept") return { action: response.action === "decline" ? "decline" : "cancel" };
  const { content } = response;
  return { action: "accept", content: typeof content === "object" && content !== null ? { ...content } : {} };
}

function schemaOf(fields: readonly ElicitedField[]) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function propertyOf(field: ElicitedField): Property {
  const { title = field.name, description = null, choices = [] } = field;
  const common = { title, description };
  const titled = choices.map((choice) => ({ const: choice.value, title: choice.title }));
  switch (field.kind) {
    case "text":
      return { ...common, type: "string", ...defaultOf(field, isString) };
    case "choice":
      return { ...common, type: "string", oneOf: titled, ...defaultOf(field, isString) };
    case "choices":
      return { ...common, type: "array", items: { anyOf: titled }, ...defaultOf(field, isList) };
    case "boolean":
      return { ...common, type: "boolean", ...defaultOf(field, isBoolean) };
    case "number":
    case "integer":
      return { ...common, type: field.kind, ...defaultOf(field, isNumber) };
  }
}

const isString = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isList = (value: unknown): value is string[] => Array.isArray(value);

function defaultOf<Value>(field: ElicitedField, is: (value: unknown) => value is Value): { default?: Value } {
  return is(field.default) ? { default: field.default } : {};
}
