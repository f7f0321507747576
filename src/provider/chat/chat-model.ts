import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { HttpFetch, HttpResponse } from "../../host/net/http-client.ts";
import { readBody } from "../list-models.ts";
import { createChatParts } from "./chat-parts.ts";
import { chatBody } from "./chat-request.ts";
import { createEventStream } from "./event-stream.ts";

interface ChatEndpoint {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function createChatModel(endpoint: ChatEndpoint, send: HttpFetch): Pick<LanguageModelV4, "doStream"> {
  const url = `${endpoint.baseUrl.replace(/\/$/, "")}/chat/completions`;
  const headers = {
    "content-type": "application/json",
    ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
    ...Object.fromEntries(Object.entries(endpoint.headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  return {
    async doStream(options) {
      const body = chatBody(endpoint.model, options);
      const response = await send(url, { method: "POST", headers, body, signal: options.abortSignal });
      if (!response.ok) throw await refusal(response);
      return { stream: partsOf(response), response: { headers: Object.fromEntries(response.headers) } };
    },
  };
}

async function refusal(response: HttpResponse): Promise<Error> {
  return Object.assign(new Error(response.statusText), {
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: await readBody(response.body),
  });
}

function partsOf({ chunks }: HttpResponse): ReadableStream<LanguageModelV4StreamPart> {
  const events = createEventStream();
  const answer = createChatParts();
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        for (let parts: readonly LanguageModelV4StreamPart[] = []; parts.length === 0; ) {
          const bytes = await chunks.next();
          parts = bytes === undefined ? answer.end() : events.read(bytes).flatMap((data) => answer.read(data));
          for (const part of parts) controller.enqueue(part);
          if (bytes === undefined) return controller.close();
        }
      },
      cancel: () => chunks.cancel(),
    },
    { highWaterMark: 0 },
  );
}
