import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  PermissionOption,
} from "@agentclientprotocol/sdk";
import { elicitationSchema, elicitationWords } from "../contract/server/elicitation.ts";
import type { ElicitationAnswer, Elicitor } from "../contract/server/server.ts";
import type { Asker, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { askedCall } from "./tool-call.ts";

const options = {
  once: { optionId: "once", name: "Allow once", kind: "allow_once" },
  session: { optionId: "session", name: "Allow in this session", kind: "allow_always" },
  always: { optionId: "always", name: "Always allow", kind: "allow_always" },
  deny: { optionId: "deny", name: "Deny", kind: "reject_once" },
} as const satisfies Record<string, PermissionOption>;

export interface AskingSession {
  readonly id: string;
  readonly workspace: string;
  announce(call: ReturnType<typeof askedCall>): Promise<void>;
}

/** Puts the gate's question to the person at the editor. Whatever is no clear yes is a no, or nobody there. */
export function editorAsker(client: AgentContext, session: AskingSession): Asker {
  return async (request, signal) => {
    const toolCall = askedCall(request, session.workspace);
    try {
      // The editor has heard of the call, and of everything before it, when it is asked.
      await session.announce(toolCall);
      const { outcome } = await client.request(
        "session/request_permission",
        {
          sessionId: session.id,
          toolCall,
          options: [...offered(request)],
        },
        { cancellationSignal: signal },
      );
      return outcome.outcome === "selected" ? answerOf(request, outcome.optionId) : "unavailable";
    } catch {
      return "unavailable";
    }
  };
}

const changeNames = { once: "Keep the changes", deny: "Keep nothing" } as const;

function offered({ prompt }: PermissionRequest): readonly PermissionOption[] {
  const rules = prompt.suggestedRules ?? [];
  const covered = rules.length === 0 ? "" : `: ${rules.join(", ")}`;
  const names = prompt.changes === undefined ? undefined : changeNames;
  return [
    ...(prompt.opens ? [] : [{ ...options.once, name: names?.once ?? options.once.name }]),
    ...(rules.length === 0 ? [] : [{ ...options.session, name: `${options.session.name}${covered}` }]),
    ...(rules.length === 0 || prompt.savesTo === undefined
      ? []
      : [{ ...options.always, name: `${options.always.name}${covered}` }]),
    { ...options.deny, name: names?.deny ?? options.deny.name },
  ];
}

function answerOf(request: PermissionRequest, option: string): PermissionAnswer {
  const answer = { request: request.id, by: "editor" };
  if (option === "once") return { ...answer, answer: "allow" };
  if (option === "session" || option === "always") {
    const mayRemember = offered(request).some(({ optionId }) => optionId === option);
    return mayRemember ? { ...answer, answer: "allow", remember: option } : { ...answer, answer: "deny" };
  }
  return { ...answer, answer: "deny" };
}

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
      return elicitationAnswer(await client.request("elicitation/create", request, { cancellationSignal: signal }));
    } catch {
      return { action: "cancel" };
    }
  };
}

function elicitationAnswer(response: { readonly action: string; readonly content?: unknown }): ElicitationAnswer {
  if (response.action !== "accept") return { action: response.action === "decline" ? "decline" : "cancel" };
  const { content } = response;
  return { action: "accept", content: typeof content === "object" && content !== null ? { ...content } : {} };
}
