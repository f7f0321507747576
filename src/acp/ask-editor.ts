import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { isRecord } from "../base/json.ts";
import { elicitationSchema, elicitationWords } from "../contract/server/elicitation.ts";
import type { Elicitor } from "../contract/server/server.ts";
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

/** Any outcome other than a clear yes denies the call. */
export function editorAsker(client: AgentContext, session: AskingSession): Asker {
  return async (request, signal) => {
    const toolCall = askedCall(request, session.workspace);
    try {
      // The editor must know the call, and everything before it, when it is asked.
      await session.announce(toolCall);
      const asked: RequestPermissionRequest = { sessionId: session.id, toolCall, options: [...offered(request)] };
      const { outcome } = await client.request("session/request_permission", asked, { cancellationSignal: signal });
      return outcome.outcome === "selected" ? answerOf(request, outcome.optionId) : "unavailable";
    } catch {
      return "unavailable";
    }
  };
}

const changeNames = { once: "Keep the changes", deny: "Keep nothing" } as const;

function offered({ prompt }: PermissionRequest): readonly PermissionOption[] {
  const { suggestedRules: rules = [], changes, opens, savesTo } = prompt;
  const covering = (option: PermissionOption) => ({ ...option, name: `${option.name}: ${rules.join(", ")}` });
  const named = (option: "once" | "deny") =>
    changes === undefined ? options[option] : { ...options[option], name: changeNames[option] };
  return [
    ...(opens ? [] : [named("once")]),
    ...(rules.length === 0 ? [] : [covering(options.session)]),
    ...(rules.length === 0 || savesTo === undefined ? [] : [covering(options.always)]),
    named("deny"),
  ];
}

function answerOf(request: PermissionRequest, option: string): PermissionAnswer {
  const answer = { request: request.id, by: "editor" };
  if (option === "once") return { ...answer, answer: "allow" };
  const isOffered = offered(request).some(({ optionId }) => optionId === option);
  if (isOffered && (option === "session" || option === "always")) {
    return { ...answer, answer: "allow", remember: option };
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
      const what = ask.mode === "url" ? "open pages" : "show forms";
      return {
        action: "decline",
        reason: `The question of the server ${question.server} was declined: this editor cannot ${what}.`,
      };
    }
    try {
      const request: CreateElicitationRequest =
        ask.mode === "url"
          ? { mode: "url", message, sessionId, url: ask.url, elicitationId: question.id }
          : { mode: "form", message, sessionId, requestedSchema: elicitationSchema(ask.fields) };
      const answer = await client.request("elicitation/create", request, { cancellationSignal: signal });
      if (answer.action === "accept")
        return { action: "accept", content: isRecord(answer.content) ? answer.content : {} };
      return { action: answer.action === "decline" ? "decline" : "cancel" };
    } catch {
      return { action: "cancel" };
    }
  };
}
