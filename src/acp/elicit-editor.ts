import type { AgentContext, ClientCapabilities, CreateElicitationRequest } from "@agentclientprotocol/sdk";
import { elicitationSchema, elicitationWords } from "../contract/server/elicitation.ts";
import type { ElicitationAnswer, Elicitor } from "../contract/server/server.ts";

/** Puts a server's question to the person at the editor; absent where the editor has no way to show one. */
export function editorElicitor(
  client: AgentContext,
  capabilities: ClientCapabilities | undefined,
  session: () => string,
): Elicitor | undefined {
  const can = capabilities?.elicitation;
  if (can === undefined || can === null) return undefined;
  return async (question, signal) => {
    const message = elicitationWords(question);
    const { ask } = question;
    const sessionId = session();
    if (!can[ask.mode]) {
      const what = ask.mode === "url" ? "have a page opened" : "show a form";
      return {
        action: "decline",
        reason: `The server ${question.server} asked something, which was declined: this editor cannot ${what}.`,
      };
    }
    try {
      const request: CreateElicitationRequest =
        ask.mode === "url"
          ? { mode: "url", message, sessionId, url: ask.url, elicitationId: question.id }
          : { mode: "form", message, sessionId, requestedSchema: elicitationSchema(ask.fields) };
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
