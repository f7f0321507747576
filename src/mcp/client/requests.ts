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
import { fieldsOf, filledIn } from "./elicitation-form.ts";
import type { Sdk } from "./sdk.ts";

/** Declares only what a handler exists for. */
export function capabilitiesOf(handlers: ServerRequestHandlers): ClientCapabilities {
  return {
    ...(handlers.elicit !== undefined && { elicitation: { form: {}, url: {} } }),
    ...(handlers.sample !== undefined && { sampling: {} }),
    ...(handlers.roots !== undefined && { roots: {} }),
  };
}

const mostAddresses = 4;
const userRejected = -1;

export function answerRequests(sdk: Sdk, client: Client, handlers: ServerRequestHandlers, deadlines: Deadlines): void {
  const { elicit, sample, roots } = handlers;
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { signal } }) =>
      deadlines.whileAsking(async (): Promise<ElicitResult> => {
        if (params.mode === "url") return elicitUrl(handlers, params, signal);
        const fields = fieldsOf(params.requestedSchema);
        const answer = await elicit({ message: params.message, ask: { mode: "form", fields } }, signal);
        if (answer.action !== "accept") return { action: answer.action };
        const filled = filledIn(fields, answer.content);
        return filled.ok ? { action: "accept", content: filled.value } : { action: "cancel" };
      }),
    );
  }
  if (sample !== undefined) {
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq: { signal } }) =>
      deadlines.whileAsking(async () => {
        const answer = await sample(samplingRequest(params), signal);
        if (!answer.ok) throw new sdk.ProtocolError(userRejected, "The request was denied.");
        const { text, model, stop } = answer.value;
        const stopReason = stop === "end" ? "endTurn" : "maxTokens";
        return { role: "assistant", model, content: { type: "text", text }, stopReason };
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
  const address = URL.parse(url);
  if (elicit === undefined || address === null || !/^https?:$/.test(address.protocol)) return { action: "decline" };
  const ask = { mode: "url", url: address.href } as const;
  const { action } = await elicit({ message, ask }, signal);
  return { action };
}

export async function openUrls(
  elicitations: readonly ElicitRequestURLParams[],
  open: (elicitation: ElicitRequestURLParams, signal: AbortSignal) => Promise<{ readonly action: string }>,
  signal: AbortSignal,
): Promise<boolean> {
  if (elicitations.length === 0 || elicitations.length > mostAddresses) return false;
  for (const elicitation of elicitations) {
    if ((await open(elicitation, signal)).action !== "accept") return false;
  }
  return true;
}

function samplingRequest(params: CreateMessageRequest["params"]): SamplingRequest {
  return {
    system: params.systemPrompt,
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

const settleMs = 100;
const mostMs = 1000;

/**
 * Older servers request the roots right after the handshake and use other directories until they have the answer. A
 * server that has not asked before the first call is not waited for.
 */
export function createRootsTaken(client: Client, roots: () => readonly string[]) {
  let isUsed = false;
  let taking: Promise<void> | undefined;
  return {
    roots(): readonly string[] {
      if (!isUsed) {
        taking ??= takenIn(client).finally(() => {
          taking = undefined;
        });
      }
      return roots();
    },
    taken(): Promise<void> | undefined {
      isUsed = true;
      return taking;
    },
  };
}

/** Responses come in order, so a server that answers the first ping has read the roots. */
async function takenIn(client: Client): Promise<void> {
  const ping = () => client.ping({ timeout: mostMs }).catch(() => {});
  await turn();
  await ping();
  await delay(settleMs, undefined, { ref: false });
  await ping();
}
