import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Effort, ModelEvent, ModelMessage, ModelRef, ModelRequest, ProviderRuntime } from "../contract/model.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { buildPrompt, describeTools, type PromptShape } from "./build-prompt.ts";
import { readBody } from "./list-models.ts";
import { type ErrorContext, mapError, requestIdOf } from "./map-error.ts";
import { createNormalizer } from "./normalize-stream.ts";
import { createWireHistory, type WireTurn } from "./wire-history.ts";

export interface Endpoint {
  readonly ref: ModelRef;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly takesEffort: boolean;
  readonly parallelToolCalls: boolean;
}

export interface WireAdapter extends Omit<PromptShape, "provider"> {
  readonly member: "messages" | "input" | "contents";
  /** Whether system messages are in the list of messages or in a separate member. */
  readonly systemAmongMessages: boolean;
  readonly mark?: (messages: string) => string;
  /** Reasoning cannot begin after calls and results of another provider: such a request asks for none. */
  readonly reasonsFromTheStart?: true;
  providerOptions?(effort: Effort | undefined): SharedV4ProviderOptions;
  readonly oneCallOptions?: SharedV4ProviderOptions;
  isUnknownPart?(value: unknown): boolean;
  model(endpoint: Endpoint, send: HttpFetch): Promise<StreamingModel>;
}

type StreamingModel = Pick<LanguageModelV4, "doStream">;

interface RuntimePorts {
  readonly fetch: HttpFetch;
  readonly now: () => number;
}

interface Line {
  readonly model: StreamingModel;
  turn?: WireTurn;
}

/** Uses the package's `doStream`, but not its loops, retries or tools. */
export function createWireRuntime(adapter: WireAdapter, endpoint: Endpoint, ports: RuntimePorts): ProviderRuntime {
  const history = createWireHistory(adapter);
  const secrets = [...(endpoint.apiKey === undefined ? [] : [endpoint.apiKey]), ...Object.values(endpoint.headers)];
  const shape: PromptShape = { ...adapter, provider: endpoint.ref.provider };
  /** Cached, because creating one costs as much as a request. Each serves one request at a time. */
  const idle: Line[] = [];

  async function openLine(): Promise<Line> {
    const line: { turn?: WireTurn } = {};
    const model = await adapter.model(endpoint, requireStream(sendThrough(ports.fetch, line)));
    return Object.assign(line, { model });
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const isAborted = () => request.options.signal?.aborted === true;
    let context: ErrorContext & { readonly now: () => number } = { ref: endpoint.ref, secrets, now: ports.now };
    let line: Line | undefined;
    let parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
    try {
      line = idle.pop() ?? (await openLine());
      line.turn = history.turn(request.messages);
      const answer = await line.model.doStream(callOptions(request, line.turn));
      parts = answer.stream.getReader();
      const requestId = requestIdOf(answer.response?.headers, context);
      const known = requestId === undefined ? {} : { requestId };
      context = { ...context, ...known };
      const { provider, id: model } = endpoint.ref;
      yield { type: "model.started", turnId: request.turnId, provider, model, ...known };
      const normalizer = createNormalizer({ ...context, isUnknownPart: adapter.isUnknownPart });
      while (!normalizer.over()) {
        const { done, value } = await parts.read();
        if (isAborted()) throw aborted();
        for (const event of done ? normalizer.end() : normalizer.read(value)) {
          if (isAborted()) throw aborted();
          yield event;
        }
      }
    } catch (error) {
      yield { type: "provider.error", error: mapError(isAborted() ? aborted() : error, context) };
    } finally {
      // Also when the listener stops early.
      void parts?.cancel().catch(() => {});
      if (line !== undefined) idle.push(line);
    }
  }

  function mayReason(messages: readonly ModelMessage[]): boolean {
    if (adapter.reasonsFromTheStart !== true) return true;
    return (startedBy(messages)?.provider ?? endpoint.ref.provider) === endpoint.ref.provider;
  }

  function callOptions({ messages, tools, options }: ModelRequest, { from }: WireTurn): LanguageModelV4CallOptions {
    const { signal: abortSignal, temperature, maxOutputTokens } = options;
    const effort = endpoint.takesEffort && mayReason(messages) ? options.effort : undefined;
    const fresh = from === 0 ? messages : messages.slice(from);
    const withSystem = from > 0 && !adapter.systemAmongMessages ? [...leadingSystem(messages), ...fresh] : fresh;
    return {
      prompt: buildPrompt(withSystem, shape),
      tools: tools.length === 0 ? undefined : describeTools(tools, shape),
      providerOptions: merged(
        adapter.providerOptions?.(effort),
        tools.length === 0 || endpoint.parallelToolCalls ? undefined : adapter.oneCallOptions,
      ),
      abortSignal,
      reasoning: effort,
      temperature,
      maxOutputTokens,
    };
  }

  return { stream };
}

function startedBy(messages: readonly ModelMessage[]): ModelRef | undefined {
  let first: ModelRef | undefined;
  for (let at = messages.length - 1; at > 0; at -= 1) {
    const message = messages[at];
    if (message?.role === "assistant") first = message.by;
    else if (message?.role !== "tool" && messages[at - 1]?.role !== "tool") break;
  }
  return first;
}

function merged(options: SharedV4ProviderOptions = {}, more: SharedV4ProviderOptions = {}): SharedV4ProviderOptions {
  const added = Object.entries(more).map(([name, values]) => [name, { ...options[name], ...values }]);
  return { ...options, ...Object.fromEntries(added) };
}

function leadingSystem(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const end = messages.findIndex((message) => message.role !== "system");
  return messages.slice(0, end === -1 ? messages.length : end);
}

function sendThrough(send: HttpFetch, line: { readonly turn?: WireTurn }): HttpFetch {
  return async (url, request) => {
    if (line.turn === undefined) throw new Error("A model was called outside a request.");
    return send(url, { ...request, body: line.turn.complete(String(request.body)) });
  };
}

function aborted(): Error {
  return new DOMException("The request was aborted.", "AbortError");
}

/** Types of a web page or of a complete answer. Servers use more than one type for a stream. */
const notStream = /^(?:text\/html|application\/json)\b/i;

/** A successful answer that is not a stream comes from a wrong endpoint. */
function requireStream(send: HttpFetch): HttpFetch {
  return async (url, request) => {
    const response = await send(url, request);
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok || !notStream.test(type)) return response;
    const { origin, pathname } = new URL(url);
    const message = `${origin}${pathname} answers with ${type.split(";")[0]} instead of a stream. Check the base URL; the one of a model server often ends in /v1.`;
    const isPage = !/json/i.test(type);
    if (isPage) await response.body.cancel();
    throw Object.assign(new Error(message), {
      name: "NotAStream",
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: isPage ? undefined : await readBody(response.body),
    });
  };
}
