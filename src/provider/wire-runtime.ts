import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Effort, ModelEvent, ModelMessage, ModelRef, ModelRequest, ProviderRuntime } from "../contract/model.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { buildPrompt, describeTools, type PromptShape } from "./build-prompt.ts";
import { type ErrorContext, mapError, requestIdOf } from "./map-error.ts";
import { createNormalizer } from "./normalize-stream.ts";
import { requireStream } from "./require-stream.ts";
import { createWireHistory, type WireTurn } from "./wire-history.ts";
import type { PartSource, WireModel } from "./wire-model.ts";

/** Where models are asked, and with what. */
export interface Endpoint {
  readonly ref: ModelRef;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly takesEffort: boolean;
  readonly parallelToolCalls: boolean;
}

/** What is particular to one wire. */
export interface WireAdapter extends Omit<PromptShape, "provider"> {
  readonly member: "messages" | "input" | "contents";
  /** Do the messages of the system stand among the others, or apart from them? */
  readonly systemAmongMessages: boolean;
  readonly mark?: (messages: string) => string;
  /** Reasoning cannot begin in the middle of calls and results that somebody else began: such a request asks for none. */
  readonly reasonsFromTheStart?: true;
  providerOptions?(effort: Effort | undefined): SharedV4ProviderOptions;
  /** The wish for one call in an answer at most, where the wire knows such a wish. */
  readonly oneCallOptions?: SharedV4ProviderOptions;
  isUnknownPart(value: unknown): boolean;
  /** Loads what it needs on first use. */
  model(endpoint: Endpoint, send: HttpFetch): WireModel | Promise<WireModel>;
}

export interface RuntimePorts {
  readonly fetch: HttpFetch;
  readonly now: () => number;
}

/** A model that is asked over the network. */
export function createWireRuntime(adapter: WireAdapter, endpoint: Endpoint, ports: RuntimePorts): ProviderRuntime {
  const history = createWireHistory(adapter);
  const secrets = [...(endpoint.apiKey === undefined ? [] : [endpoint.apiKey]), ...Object.values(endpoint.headers)];
  const shape: PromptShape = { ...adapter, provider: endpoint.ref.provider };
  /** Made once and lent to one request at a time: to make one costs as much as a request. */
  const idle: Line[] = [];

  async function openLine(): Promise<Line> {
    const line: { turn?: WireTurn } = {};
    const model = await adapter.model(endpoint, requireStream(sendThrough(ports.fetch, line)));
    return Object.assign(line, { model });
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = request.options;
    let context: ErrorContext & { readonly now: () => number } = { ref: endpoint.ref, secrets, now: ports.now };
    let line: Line | undefined;
    let parts: PartSource | undefined;
    try {
      line = idle.pop() ?? (await openLine());
      const turn = history.turn(request.messages);
      line.turn = turn;
      const answer = await line.model.ask(callOptions(request, turn));
      ({ parts } = answer);
      const requestId = requestIdOf(answer.headers, context);
      const known = requestId === undefined ? {} : { requestId };
      context = { ...context, ...known };
      const { provider, id: model } = endpoint.ref;
      yield { type: "model.started", turnId: request.turnId, provider, model, ...known };
      const normalizer = createNormalizer({ ...context, isUnknownPart: adapter.isUnknownPart });
      while (!normalizer.over()) {
        const brought = await parts.next();
        for (const part of brought ?? []) {
          for (const event of normalizer.read(part)) {
            if (signal?.aborted === true) throw aborted();
            yield event;
          }
        }
        if (signal?.aborted === true) throw aborted();
        if (brought === undefined) yield* normalizer.end();
      }
    } catch (error) {
      yield { type: "provider.error", error: mapError(signal?.aborted === true ? aborted() : error, context) };
    } finally {
      // Whoever stops listening ends the request, too.
      parts?.cancel();
      if (line !== undefined) idle.push(line);
    }
  }

  function mayReason(messages: readonly ModelMessage[]): boolean {
    if (adapter.reasonsFromTheStart !== true) return true;
    return (startedBy(messages)?.provider ?? endpoint.ref.provider) === endpoint.ref.provider;
  }

  function callOptions({ messages, tools, options }: ModelRequest, { from }: WireTurn): LanguageModelV4CallOptions {
    const { signal, temperature, maxOutputTokens } = options;
    const effort = endpoint.takesEffort && mayReason(messages) ? options.effort : undefined;
    const fresh = from === 0 ? messages : messages.slice(from);
    const withSystem = from > 0 && !adapter.systemAmongMessages ? [...leadingSystem(messages), ...fresh] : fresh;
    return {
      prompt: buildPrompt(withSystem, shape),
      ...(tools.length === 0 ? {} : { tools: describeTools(tools, shape) }),
      providerOptions: merged(
        adapter.providerOptions?.(effort),
        tools.length === 0 || endpoint.parallelToolCalls ? undefined : adapter.oneCallOptions,
      ),
      ...(signal === undefined ? {} : { abortSignal: signal }),
      ...(effort === undefined ? {} : { reasoning: effort }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    };
  }

  return { stream };
}

/** A model, and what the request that it was lent to leaves out. */
interface Line {
  readonly model: WireModel;
  turn?: WireTurn;
}

/** Whose calls and results those at the end began with; nobody's where the request ends with a person's words. */
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
    if (line.turn === undefined) throw new Error("A model was asked outside a request.");
    return send(url, { ...request, body: line.turn.complete(String(request.body)) });
  };
}

function aborted(): Error {
  return new DOMException("The request was aborted.", "AbortError");
}
