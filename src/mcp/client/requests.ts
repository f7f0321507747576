import { basename } from "node:path";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type {
  Client,
  ClientCapabilities,
  CreateMessageRequest,
  ElicitRequestURLParams,
  ElicitResult,
} from "@modelcontextprotocol/client";
import type { SamplingRequest, ServerRequestHandlers } from "./connection.ts";
import type { Deadlines } from "./deadlines.ts";
import { fieldsOf, filledIn, hidesSomething } from "./elicitation-form.ts";
import type { Sdk } from "./sdk.ts";

/** Only what somebody is there for is declared; a server must not ask for the rest. */
export function capabilitiesOf(wishes: ServerRequestHandlers): ClientCapabilities {
  return {
    ...(wishes.elicit !== undefined && { elicitation: { form: {}, url: {} } }),
    ...(wishes.sample !== undefined && { sampling: {} }),
    ...(wishes.roots !== undefined && { roots: {} }),
  };
}

/** So many questions of one server may be open at once. */
const mostQuestions = 4;
const longestQuestion = 4000;
const userRejected = -1;

export function answerWishes(sdk: Sdk, client: Client, wishes: ServerRequestHandlers, deadlines: Deadlines): void {
  let open = 0;
  const asking = async <T>(question: () => Promise<T>): Promise<T> => {
    if (open >= mostQuestions) throw new sdk.ProtocolError(userRejected, "Too many questions are open.");
    open += 1;
    try {
      return await deadlines.whileAsking(question);
    } finally {
      open -= 1;
    }
  };

  const { elicit, sample, roots } = wishes;
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { signal } }) =>
      asking(async (): Promise<ElicitResult> => {
        const message = params.message.slice(0, longestQuestion);
        if (params.mode === "url") return elicitUrl(wishes, params, signal);
        const fields = fieldsOf(params.requestedSchema);
        if (hidesSomething(fields)) return { action: "decline" };
        const answer = await elicit({ message, ask: { mode: "form", fields } }, signal);
        if (answer.action !== "accept") return { action: answer.action };
        const filled = filledIn(fields, answer.content);
        return filled.ok ? { action: "accept", content: filled.value } : { action: "cancel" };
      }),
    );
  }
  if (sample !== undefined) {
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq: { signal } }) =>
      asking(async () => {
        const answer = await sample(samplingRequest(params), signal);
        if (!answer.ok) throw new sdk.ProtocolError(userRejected, "The request was not granted.");
        const { text, model, stop } = answer.value;
        return {
          role: "assistant",
          model,
          content: { type: "text", text },
          stopReason: stop === "end" ? "endTurn" : "maxTokens",
        };
      }),
    );
  }
  if (roots !== undefined) {
    client.setRequestHandler("roots/list", () => ({
      roots: roots().map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) })),
    }));
  }
}

export async function elicitUrl(
  { elicit }: ServerRequestHandlers,
  { message, url }: Pick<ElicitRequestURLParams, "message" | "url">,
  signal: AbortSignal,
): Promise<{ action: "accept" | "decline" | "cancel" }> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (elicit === undefined || address === undefined || !/^https?:$/.test(address.protocol))
    return { action: "decline" };
  const ask = { mode: "url", url: address.href } as const;
  const { action } = await elicit({ message: message.slice(0, longestQuestion), ask }, signal);
  return { action };
}

/** A server of the 2025-11-25 revision may refuse a call until these are done. False when one of them was not. */
export async function openUrls(
  elicitations: readonly ElicitRequestURLParams[],
  open: (elicitation: ElicitRequestURLParams, signal: AbortSignal) => Promise<{ readonly action: string }>,
  signal: AbortSignal,
): Promise<boolean> {
  if (elicitations.length === 0 || elicitations.length > mostQuestions) return false;
  for (const elicitation of elicitations) {
    if ((await open(elicitation, signal)).action !== "accept") return false;
  }
  return true;
}

function samplingRequest(params: CreateMessageRequest["params"]): SamplingRequest {
  return {
    ...(params.systemPrompt !== undefined && { system: params.systemPrompt }),
    messages: params.messages.map(({ role, content }) => ({
      role,
      text: [content]
        .flat()
        .map((part) => (part.type === "text" ? part.text : `[left out: ${part.type}]`))
        .join("\n"),
    })),
    maxTokens: params.maxTokens,
  };
}

/** For what a server does with the answer once it has read it, such as looking at the directories. */
const settleMs = 100;
const mostMs = 1000;

interface RootsTaken {
  /** For the server that asks. */
  roots(): readonly string[];
  /** Before anything is asked that depends on the roots. Undefined where there is nothing to wait for. */
  taken(): Promise<void> | undefined;
}

/**
 * Servers of the older kind that want the roots ask for them right after the handshake, and go by what else they were
 * told until they have the answer. Their question comes before any answer to one of ours, so whoever has not asked
 * when the first call goes out is not waited for.
 */
export function createRootsTaken(client: Client, roots: () => readonly string[]): RootsTaken {
  let isUsed = false;
  let taking: Promise<void> | undefined;
  return {
    roots() {
      if (!isUsed) {
        taking ??= takenIn(client).finally(() => {
          taking = undefined;
        });
      }
      return roots();
    },
    taken() {
      isUsed = true;
      return taking;
    },
  };
}

/** Answers come in the order of the questions, so a server that answers the first of these has read the roots. */
async function takenIn(client: Client): Promise<void> {
  const ping = () => client.ping({ timeout: mostMs }).catch(() => {});
  await turn();
  await ping();
  await delay(settleMs, undefined, { ref: false });
  await ping();
}
