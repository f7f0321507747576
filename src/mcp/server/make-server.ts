import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import { type Asking, type ClientExchange, type McpOffer, mostWatched, type Refused, type Watching } from "./offer.ts";
import type { ListPage, OfferedLists, PagedList } from "./pages.ts";

export type ServerPackage = typeof import("@modelcontextprotocol/server");

export interface Stamp {
  mint(state: unknown, context: ServerContext): Promise<string>;
  verify(state: string, context: ServerContext): Promise<unknown>;
}

const keepLists = { ttlMs: 60_000, cacheScope: "private" } as const;

export function makeServer(
  sdk: ServerPackage,
  offer: McpOffer,
  parts: {
    readonly stamp: Stamp;
    readonly lists: OfferedLists;
    readonly approvalMs: number;
    readonly watched?: Map<string, Watching>;
  },
): Server {
  const { stamp, lists, approvalMs, watched } = parts;
  const { tools, prompts, resources } = offer;
  const server = new sdk.Server(offer.info, {
    capabilities: {
      ...(tools && { tools: { listChanged: true } }),
      ...(prompts && { prompts: { listChanged: true } }),
      ...(resources && {
        resources: {
          ...(resources.watch && { subscribe: true }),
          ...(resources.tellsOfOthers && { listChanged: true }),
        },
      }),
      ...(offer.complete && { completions: {} }),
      ...(offer.logging && { logging: {} }),
    },
    instructions: offer.instructions,
    cacheHints: {
      "tools/list": keepLists,
      "prompts/list": keepLists,
      "resources/templates/list": keepLists,
      "server/discover": keepLists,
    },
    inputRequired: { roundTimeoutMs: approvalMs },
    requestState: { verify: (state, context) => stamp.verify(state, context) },
  });
  const exchangeOf = (context: ServerContext) => exchange(sdk, server, context);
  const granted = <Result extends object>(answer: Result | Refused): Result => {
    if (!("refused" in answer)) return answer;
    const { message, facts } = answer.refused;
    throw new sdk.ProtocolError(sdk.INTERNAL_ERROR, message, facts);
  };
  const answered = async <Result extends object>(answer: Result | Asking, context: ServerContext) => {
    if (!("asks" in answer)) return answer;
    const requestState = answer.state === undefined ? undefined : await stamp.mint(answer.state, context);
    return sdk.inputRequired({ inputRequests: answer.asks, requestState });
  };

  const onePage = async <Entry>(list: PagedList<Entry>, cursor: string | undefined): Promise<ListPage<Entry>> => {
    const page = await list.page(cursor);
    if (page === undefined) throw new sdk.ProtocolError(sdk.INVALID_PARAMS, wrongCursor);
    return page;
  };

  if (tools !== undefined) {
    server.setRequestHandler("tools/list", async ({ params }) => {
      const { entries, ...next } = await onePage(lists.tools, params?.cursor);
      return { tools: entries, ...next };
    });
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const { name, arguments: input = {} } = params;
      if (hasTooManyKeys(input)) {
        throw new sdk.ProtocolError(sdk.INVALID_PARAMS, `An object of the arguments has more than ${mostKeys} keys.`);
      }
      return answered(await tools.call({ name, input }, exchangeOf(context)), context);
    });
  }
  if (prompts !== undefined) {
    server.setRequestHandler("prompts/list", async ({ params }) => {
      const { entries, ...next } = await onePage(lists.prompts, params?.cursor);
      return { prompts: entries, ...next };
    });
    server.setRequestHandler("prompts/get", async ({ params }, context) => {
      const prompt = await prompts.get({ name: params.name, values: params.arguments ?? {} }, exchangeOf(context));
      if (prompt === undefined) throw new sdk.ProtocolError(sdk.INVALID_PARAMS, `Unknown prompt ${params.name}.`);
      return answered(granted(prompt), context);
    });
  }
  if (resources !== undefined) {
    server.setRequestHandler("resources/list", async ({ params }) => {
      const { entries, ...next } = await onePage(lists.resources, params?.cursor);
      return { resources: entries, ...next };
    });
    server.setRequestHandler("resources/templates/list", async ({ params }) => {
      const { entries, ...next } = await onePage(lists.templates, params?.cursor);
      return { resourceTemplates: entries, ...next };
    });
    server.setRequestHandler("resources/read", async ({ params }, context) => {
      const content = await resources.read(params.uri, exchangeOf(context));
      if (content === undefined) throw new sdk.ResourceNotFoundError(params.uri);
      return answered(granted(content), context);
    });
  }
  if (resources?.watch !== undefined && watched !== undefined) {
    const { watch } = resources;
    server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
      if (watched.has(uri)) return {};
      if (watched.size >= mostWatched) throw new sdk.ProtocolError(sdk.INTERNAL_ERROR, tooManyWatched);
      const asking = (exchange: ClientExchange) => watch(uri, exchange);
      const watching = await withAnswers({ ...context, approvalMs }, exchangeOf(context), asking);
      if (watching === undefined) {
        throw new sdk.ProtocolError(sdk.INVALID_PARAMS, "This resource does not support subscriptions.", { uri });
      }
      const { end } = granted(watching);
      // The client may have left, or subscribed again, meanwhile.
      if (watched.size < mostWatched && !context.mcpReq.signal.aborted && !watched.has(uri)) watched.set(uri, { end });
      else end();
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      watched.get(uri)?.end();
      watched.delete(uri);
      return {};
    });
  }
  const { complete } = offer;
  if (complete !== undefined) {
    server.setRequestHandler("completion/complete", async ({ params: { ref, argument, context: known } }, context) => {
      const target = ref.type === "ref/prompt" ? { prompt: ref.name } : { template: ref.uri };
      const values = granted(await complete(target, { ...argument, others: known?.arguments }, exchangeOf(context)));
      return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
    });
  }
  return server;
}

const wrongCursor = "Invalid cursor. Request the list again without a cursor.";

const tooManyWatched = `budget_exceeded: ${mostWatched} resources are watched, which is the maximum.\nEnd another watch first.`;

async function withAnswers<Result extends object>(
  { mcpReq, approvalMs: timeout }: Pick<ServerContext, "mcpReq"> & { readonly approvalMs: number },
  first: ClientExchange,
  request: (exchange: ClientExchange) => Promise<Result | Asking | undefined>,
): Promise<Result | undefined> {
  for (let exchange = first; ; ) {
    const answer = await request(exchange);
    if (answer === undefined || !("asks" in answer)) return answer;
    const asked = Object.entries(answer.asks).map(async ([name, ask]) => {
      if (ask.method !== "elicitation/create") return [name, undefined] as const;
      // A failed form is treated as unanswered.
      const given = mcpReq.elicitInput(ask.params, { timeout }).catch(() => undefined);
      return [name, await given] as const;
    });
    exchange = { ...exchange, answers: Object.fromEntries(await Promise.all(asked)), state: answer.state };
  }
}

function exchange(sdk: ServerPackage, server: Server, { mcpReq }: ServerContext): ClientExchange {
  const token = mcpReq._meta?.progressToken;
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const can: Partial<Record<string, unknown>> = {
    ...Object(envelope[sdk.CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()),
  };
  const { name }: { name?: unknown } = { ...Object(envelope[sdk.CLIENT_INFO_META_KEY] ?? server.getClientVersion()) };
  const asks = isRecord(can.elicitation) ? can.elicitation : undefined;
  return {
    signal: mcpReq.signal,
    outlastsRounds: mcpReq.envelope === undefined,
    can: {
      // Before modes existed, elicitation always meant forms.
      forms: asks !== undefined && (asks.form !== undefined || asks.url === undefined),
      pages: asks?.url !== undefined,
      sampling: can.sampling !== undefined,
      roots: can.roots !== undefined,
    },
    clientName: typeof name === "string" ? name : undefined,
    answers: mcpReq.inputResponses ?? {},
    state: mcpReq.requestState(),
    async progress(update) {
      if (token === undefined || mcpReq.signal.aborted) return;
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...update } });
    },
    log: (level, text) => mcpReq.log(level, text),
  };
}

const mostKeys = 10_000;

function hasTooManyKeys(input: unknown): boolean {
  const left: unknown[] = [input];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const within = Object.values(value);
    if (!Array.isArray(value) && within.length > mostKeys) return true;
    for (const one of within) left.push(one);
  }
  return false;
}
