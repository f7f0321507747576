import type { HttpFetch, HttpResponse } from "../../host/net/http-client.ts";
import { bodyOf } from "../require-stream.ts";
import type { PartSource, WireModel } from "../wire-model.ts";
import { createChatParts } from "./chat-parts.ts";
import { chatBody } from "./chat-request.ts";
import { createEventStream } from "./event-stream.ts";

interface ChatEndpoint {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A model behind `/chat/completions`. Written by hand: a stream passes through it without being copied from one stage to the next. */
export function createChatModel(endpoint: ChatEndpoint, send: HttpFetch): WireModel {
  const url = `${endpoint.baseUrl.replace(/\/$/, "")}/chat/completions`;
  const headers = {
    "content-type": "application/json",
    ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
    ...Object.fromEntries(Object.entries(endpoint.headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  return {
    async ask(options) {
      const body = chatBody(endpoint.model, options);
      const response = await send(url, { method: "POST", headers, body, signal: options.abortSignal });
      if (!response.ok) throw await refusal(response);
      return { parts: partsOf(response), headers: Object.fromEntries(response.headers) };
    },
  };
}

/** In the form in which the packages tell of it. */
async function refusal(response: HttpResponse): Promise<Error> {
  return Object.assign(new Error(response.statusText), {
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: await bodyOf(response),
  });
}

function partsOf({ chunks }: HttpResponse): PartSource {
  const events = createEventStream();
  const answer = createChatParts();
  let over = false;
  return {
    async next() {
      if (over) return undefined;
      const bytes = await chunks.next();
      over = bytes === undefined;
      return bytes === undefined ? answer.end() : events.read(bytes).flatMap((data) => answer.read(data));
    },
    cancel: () => void (over || chunks.cancel()),
  };
}
