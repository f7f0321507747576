import { atMostEvery } from "../../base/async.ts";
import type { Door } from "../../contract/app/door.ts";
import type { Outcome } from "../../contract/codes.ts";
import { parseServerUri, type ServerAddress, serverUri } from "./addresses.ts";
import {
  type Admitted,
  admitPrompts,
  admitResources,
  admitTemplates,
  type OfferSource,
  type ReportProblem,
} from "./admit-offers.ts";
import { promptResult, type ReadBytes, readResult } from "./contents.ts";
import type { Asking, ClientExchange, McpOffer, Refused, Watching } from "./offer.ts";
import { refusalOf, requestEnded } from "./results.ts";
import type { ClientCalls, ToolRequest } from "./tools.ts";

type OfferedDoor = Pick<Door, "servers" | "resources" | "prompts" | "endWatch" | "redact">;

export interface GatewayParts {
  readonly calls: ClientCalls;
  readonly readBytes: ReadBytes;
  readonly own: NonNullable<McpOffer["resources"]>;
  readonly tell: ReportProblem;
  readonly onUpdate: (uri: string) => void;
  readonly patienceMs: number;
}

const mostValues = 100;
const longestValue = 1_000;

export function createGateway(
  door: () => OfferedDoor,
  { calls, readBytes, own, tell, onUpdate, patienceMs }: GatewayParts,
) {
  const isServer = (wanted: string) =>
    door()
      .servers()
      .some(({ name }) => name === wanted);

  async function listed<Given, Entry>(
    what: string,
    list: (server: string, patience: AbortSignal) => Promise<Outcome<readonly Given[]>>,
    admit: (source: OfferSource, given: readonly Given[]) => Admitted<Entry>,
  ): Promise<readonly Entry[]> {
    const patience = AbortSignal.timeout(patienceMs);
    const lists = door()
      .servers()
      .map(async ({ name }) => {
        const given = await calls.whileRequesting(name, () => list(name, patience));
        const { entries, refused }: Admitted<Entry> = given.ok
          ? admit({ server: name, redact: (text) => door().redact(text) }, given.value)
          : { entries: [], refused: `none offered: ${door().redact(given.failure.message)}` };
        tell(name, what, refused);
        return entries;
      });
    return (await Promise.all(lists)).flat();
  }

  const watched = watchedResources({
    begin: (address, exchange) =>
      through(calls, { name: "mcp_resources_watch", input: { ...address } }, exchange, () => "watching" as const),
    end: ({ server, uri }) => void door().endWatch(server, uri),
    tell: onUpdate,
  });
  const addresses = (server: string, patience: AbortSignal) => door().resources(server, patience);

  const offer: Required<Pick<McpOffer, "prompts" | "resources" | "complete">> = {
    prompts: {
      list: () => listed("prompts", (server, patience) => door().prompts(server, patience), admitPrompts),
      async get({ name, values }, exchange) {
        const prompt = promptNamed(name);
        if (prompt === undefined || !isServer(prompt.server)) return undefined;
        const request = { name: "mcp_prompts_get", input: { ...prompt, values } };
        return through(calls, request, exchange, (seen) => promptResult(seen, prompt.server, readBytes));
      },
    },
    resources: {
      tellsOfOthers: true,
      list: async () => [...(await own.list()), ...(await listed("resources", addresses, admitResources))],
      templates: async () => [
        ...(await own.templates()),
        ...(await listed("resource templates", addresses, admitTemplates)),
      ],
      async read(uri, exchange) {
        const address = parseServerUri(uri);
        if (address === undefined) return own.read(uri, exchange);
        if (!isServer(address.server)) return undefined;
        const request = { name: "mcp_resources_read", input: { ...address } };
        return through(calls, request, exchange, (seen) => readResult(seen, address, readBytes));
      },
      async watch(uri, exchange) {
        const address = parseServerUri(uri);
        if (address === undefined || !isServer(address.server)) return undefined;
        return watched.watch(address, exchange);
      },
    },
    async complete(target, { name: argument, value: begun, others }, exchange) {
      const sought = soughtIn(target);
      if (sought === undefined || !isServer(sought.server)) return [];
      const input = { ...sought, argument, begun, ...(others && { values: others }) };
      const observation = await calls.callWithoutAsking({ name: "mcp_complete", input }, exchange);
      const { ok, code, model } = observation;
      // Completions are requested at every key press: none are given where the user would be asked.
      if (code === "approval_unavailable") return [];
      if (!ok) return refusalOf(observation);
      const found = model.content.filter(({ label, text }) => label === `server ${sought.server}` && isValue(text));
      return model.truncated ? [] : found.slice(0, mostValues).map(({ text }) => text);
    },
  };
  return { offer, updated: watched.updated };
}

async function through<Result>(
  calls: ClientCalls,
  request: ToolRequest,
  exchange: ClientExchange,
  resultOf: (observation: Parameters<typeof readResult>[0]) => Result,
): Promise<Result | Asking | Refused | undefined> {
  const ended = await calls.observe(request, exchange);
  if (ended === undefined) return over;
  if ("asks" in ended) return ended;
  const { observation, ...ways } = ended;
  if (observation.ok) return resultOf(observation);
  return observation.code === "file_not_found" ? undefined : refusalOf(observation, ways);
}

const over: Refused = { refused: { message: requestEnded.text, facts: requestEnded.facts } };

function promptNamed(shown: string): { readonly server: string; readonly name: string } | undefined {
  const [, server, name] = /^mcp__(.+?)__(.+)$/s.exec(shown) ?? [];
  return server === undefined || name === undefined ? undefined : { server, name };
}

function soughtIn(target: { readonly prompt: string } | { readonly template: string }) {
  if ("prompt" in target) {
    const prompt = promptNamed(target.prompt);
    return prompt && { server: prompt.server, of: { prompt: prompt.name } };
  }
  const address = parseServerUri(target.template);
  return address && { server: address.server, of: { template: address.uri } };
}

function isValue(text: string): boolean {
  return text.length <= longestValue && !text.includes("\n");
}

const tellMs = 1_000;

function watchedResources(parts: {
  readonly begin: (
    address: ServerAddress,
    exchange: ClientExchange,
  ) => Promise<"watching" | Asking | Refused | undefined>;
  readonly end: (address: ServerAddress) => void;
  readonly tell: (uri: string) => void;
}) {
  const watched = new Map<string, { clients: number; readonly tell: () => void }>();

  function join(address: ServerAddress): Watching {
    const uri = serverUri(address);
    const one = watched.get(uri) ?? { clients: 0, tell: atMostEvery(tellMs, () => parts.tell(uri)) };
    one.clients += 1;
    watched.set(uri, one);
    let isOver = false;
    return {
      end() {
        if (isOver) return;
        isOver = true;
        one.clients -= 1;
        if (one.clients > 0) return;
        watched.delete(uri);
        parts.end(address);
      },
    };
  }

  return {
    async watch(address: ServerAddress, exchange: ClientExchange): Promise<Watching | Asking | Refused | undefined> {
      // Counted first: a client that leaves meanwhile must not end this watch.
      const watching = join(address);
      try {
        const begun = await parts.begin(address, exchange);
        if (begun === "watching" && !exchange.signal.aborted) return watching;
        watching.end();
        return begun === "watching" ? undefined : begun;
      } catch (error) {
        watching.end();
        throw error;
      }
    },
    updated: (address: ServerAddress) => watched.get(serverUri(address))?.tell(),
  };
}
