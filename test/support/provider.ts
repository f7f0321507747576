import { afterEach } from "vitest";
import type { ModelEvent, ModelMessage, ModelRequest, Models, ProviderRuntime } from "../../src/contract/model.ts";
import type { Settings } from "../../src/contract/settings.ts";
import { createHttpClient } from "../../src/host/net/http-client.ts";
import { createModels } from "../../src/provider/create-models.ts";
import type { ServerTurn, WireFormat } from "./model-server/server-turn.ts";
import { startModelServer } from "./model-server/start-model-server.ts";

/** Each wire format with the provider that speaks it, by the name people use. */
export const wires = [
  { format: "openai-chat", provider: "openai-chat", model: "gpt-4.1" },
  { format: "openai-chat", provider: "openai-compatible", model: "some-model" },
  { format: "openai-responses", provider: "openai", model: "gpt-5" },
  { format: "anthropic", provider: "anthropic", model: "claude-sonnet-4-5" },
  { format: "google", provider: "google", model: "gemini-2.5-flash" },
] as const satisfies readonly { format: WireFormat; provider: string; model: string }[];
export type Wire = (typeof wires)[number];

export const secretKey = "sk-test-4711-do-not-tell";

const keys = { ANTHROPIC_API_KEY: secretKey, OPENAI_API_KEY: secretKey, GEMINI_API_KEY: secretKey };

export const noModels: Settings["models"] = { fallback: [], prefer: "order", providers: {} };

export interface Setup {
  readonly runtime: ProviderRuntime;
  readonly requests: Awaited<ReturnType<typeof startModelServer>>["requests"];
  close(): Promise<void>;
}

/** The real packages against a server that plays the turns. */
export async function setUp(
  { format, provider, model }: Wire,
  script: readonly ServerTurn[],
  times = { connectMs: 5_000, idleMs: 5_000 },
): Promise<Setup> {
  const server = await startModelServer({ format, script });
  const client = createHttpClient(times);
  const resolved = modelsWith(client.fetch).resolve({ wanted: `${provider}/${model}`, baseUrl: server.url });
  if (!resolved.ok) throw new Error(resolved.failure.message);
  return {
    runtime: resolved.value.models[0].runtime,
    requests: server.requests,
    async close() {
      client.close();
      await server.close();
    },
  };
}

export function modelsWith(fetch: ReturnType<typeof createHttpClient>["fetch"]): Models {
  return createModels({ models: noModels, environment: keys, fetch, now: Date.now, readScript: () => undefined });
}

const open: Setup[] = [];
afterEach(async () => {
  for (const setup of open.splice(0)) await setup.close();
});

/** Set up until the end of the test. */
export async function start(
  wire: Wire,
  script: readonly ServerTurn[],
  times?: Parameters<typeof setUp>[2],
): Promise<Setup> {
  const setup = await setUp(wire, script, times);
  open.push(setup);
  return setup;
}

export async function ask(wire: Wire, turn: ServerTurn): Promise<ModelEvent[]> {
  const { runtime } = await start(wire, [turn]);
  return collect(runtime.stream(requestFor(wire)));
}

export const types = (events: readonly ModelEvent[]) => events.map((event) => event.type);
export const errors = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "provider.error" ? [event.error] : []));
export const proposals = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "tool_intent.proposed" ? [event.intent] : []));
export const textOf = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === "model.text_delta" ? event.text : "")).join("");

export const npmTest = { call: "bash", input: { command: "npm test" }, id: "call_1" } as const;
/** Gemini sends calls whole. */
export const streaming = wires.filter((wire) => wire.format !== "google");

export const bash = {
  name: "bash",
  description: "Runs a command",
  inputSchema: {
    type: "object",
    properties: { command: { type: "string" }, timeout: { type: "number" } },
    required: ["command"],
    additionalProperties: false,
  },
} as const;

export function requestFor(
  { provider, model }: Pick<Wire, "provider" | "model">,
  messages: readonly ModelMessage[] = [
    { role: "system", text: "You help." },
    { role: "user", parts: [{ type: "text", text: "Why do the tests fail?" }] },
  ],
  options: ModelRequest["options"] = {},
): ModelRequest {
  return { runId: "run_1", turnId: "turn_1", model: { provider, id: model }, messages, tools: [bash], options };
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
