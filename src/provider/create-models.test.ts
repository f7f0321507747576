import { afterEach, describe, expect, it } from "vitest";
import { startModelServer } from "../../test/support/model-server/start-model-server.ts";
import { collect, noModels, requestFor } from "../../test/support/provider.ts";
import type { ModelFacts, ModelNeed } from "../contract/model.ts";
import type { ProviderSetting, Settings } from "../contract/settings.ts";
import { createHttpClient } from "../host/net/http-client.ts";
import { createModels, type ModelsOptions, modelProfile } from "./create-models.ts";

function models(settings: Partial<Settings["models"]>, options: Partial<ModelsOptions> = {}) {
  return createModels({
    models: { ...noModels, ...settings },
    environment: {},
    fetch: () => Promise.reject(new Error("nobody is asked")),
    now: () => 0,
    readScript: () => undefined,
    ...options,
  });
}

function resolved(settings: Partial<Settings["models"]>, need: ModelNeed, environment: Record<string, string> = {}) {
  const outcome = models(settings, { environment }).resolve(need);
  if (!outcome.ok) return outcome.failure;
  return {
    models: outcome.value.models.map(({ ref }) => `${ref.provider}/${ref.id}`),
    reason: outcome.value.reason,
  };
}

const every = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" };

describe("a model that is named", () => {
  it.each([
    ["anthropic/claude-sonnet-4-5", "requested"],
    ["openai/gpt-5", "requested"],
    ["openai-chat/gpt-4.1", "requested"],
    ["google/gemini-2.5-pro", "requested"],
    ["ollama/qwen3:8b", "requested"],
    ["lmstudio/org/model-with-slashes", "requested"],
    ["llamacpp/default", "requested"],
    ["vllm/meta/llama", "requested"],
  ])("%s", (wanted, why) => {
    expect(resolved({}, { wanted }, every)).toEqual({ models: [wanted], reason: `${wanted}: ${why}` });
  });

  it("comes from the settings when nobody asks for another", () => {
    const settings = { model: "anthropic/claude-sonnet-4-5" };
    expect(resolved(settings, {}, every)).toMatchObject({ reason: `${settings.model}: from settings` });
    expect(resolved(settings, { wanted: "openai/gpt-5" }, every)).toMatchObject({ models: ["openai/gpt-5"] });
  });

  const compatible: ProviderSetting = { kind: "openai-compatible", baseUrl: "https://models.example.com/v1" };
  it.each<[string, ModelNeed, Readonly<Record<string, ProviderSetting>>, Record<string, string>, string, string]>([
    [
      "no key",
      { wanted: "anthropic/x" },
      {},
      {},
      "No API key for anthropic: ANTHROPIC_API_KEY is not set.",
      "Set the environment variable ANTHROPIC_API_KEY.",
    ],
    [
      "an empty key",
      { wanted: "openai/x" },
      {},
      { OPENAI_API_KEY: " " },
      "No API key for openai: OPENAI_API_KEY is not set.",
      "Set the environment variable OPENAI_API_KEY.",
    ],
    [
      "neither key",
      { wanted: "google/x" },
      {},
      {},
      "No API key for google: GEMINI_API_KEY and GOOGLE_GENERATIVE_AI_API_KEY are not set.",
      "Set the environment variable GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY.",
    ],
    [
      "only the key of the vendor that it speaks like",
      { wanted: "gateway/x" },
      { gateway: { kind: "anthropic", baseUrl: "https://models.example.com/v1" } },
      every,
      "No API key is configured for gateway.",
      'Set "providers.gateway.apiKeyEnv" in your settings to the name of its environment variable.',
    ],
    [
      "no key of its own",
      { wanted: "groq/x" },
      { groq: { ...compatible, apiKeyEnv: "GROQ_API_KEY" } },
      every,
      "No API key for groq: GROQ_API_KEY is not set.",
      "Set the environment variable GROQ_API_KEY.",
    ],
    [
      "no address",
      { wanted: "openai-compatible/x" },
      {},
      every,
      "No base URL is set for openai-compatible.",
      'Give --base-url, or set "providers.openai-compatible.baseUrl" in your settings.',
    ],
    [
      "a slip of the hand",
      { wanted: "antropic/x" },
      {},
      every,
      "There is no provider named antropic.",
      'Did you mean anthropic? Use one of anthropic, openai, openai-chat, openai-compatible, google, scripted, ollama, lmstudio, llamacpp, vllm, or describe it in your settings under "providers".',
    ],
    [
      "a word of the language",
      { wanted: "constructor/x" },
      {},
      every,
      "There is no provider named constructor.",
      'Use one of anthropic, openai, openai-chat, openai-compatible, google, scripted, ollama, lmstudio, llamacpp, vllm, or describe it in your settings under "providers".',
    ],
    [
      "no provider",
      { wanted: "gpt-5" },
      {},
      every,
      '"gpt-5" is not a model name.',
      "Write it as provider/id, for example anthropic/claude-sonnet-4-5.",
    ],
    [
      "no hands",
      { wanted: "mine/x" },
      { mine: { ...compatible, models: { x: { toolCalls: false } } } },
      every,
      "mine/x cannot call tools.",
      'Choose another model, or correct "providers.mine.models" in your settings.',
    ],
    [
      "no eyes",
      { wanted: "mine/x", vision: true },
      { mine: compatible },
      every,
      "mine/x cannot see images.",
      'Choose another model, or correct "providers.mine.models" in your settings.',
    ],
    [
      "no script",
      { wanted: "scripted/none.json" },
      {},
      {},
      "There is no script none.json.",
      'Name a script file: --model scripted/FILE, or "script" of the provider in your settings.',
    ],
    [
      "no http",
      { wanted: "ollama/x", baseUrl: "ftp://a/v1" },
      {},
      {},
      "The base URL must start with http:// or https://.",
      "Give a base URL such as https://models.example.com/v1.",
    ],
    [
      "nonsense",
      { wanted: "ollama/x", baseUrl: "nonsense" },
      {},
      {},
      "The base URL must start with http:// or https://.",
      "Give a base URL such as https://models.example.com/v1.",
    ],
    [
      "credentials in the address",
      { wanted: "ollama/x", baseUrl: "https://me:secret@a.example/v1" },
      {},
      {},
      "The base URL of a.example contains credentials.",
      "Remove them from the URL; keys are read from environment variables.",
    ],
    [
      "a key in clear text",
      { wanted: "openai/x", baseUrl: "http://10.0.0.7/v1" },
      {},
      every,
      "The key would be sent to 10.0.0.7 in clear text.",
      'Use https, or set "baseUrl" of this provider in your own settings to allow it.',
    ],
    [
      "a name that looks like loopback",
      { wanted: "openai/x", baseUrl: "http://127.0.0.1.evil.example/v1" },
      {},
      every,
      "The key would be sent to 127.0.0.1.evil.example in clear text.",
      'Use https, or set "baseUrl" of this provider in your own settings to allow it.',
    ],
  ])("is refused for %s", (_name, need, providers, environment, message, recovery) => {
    expect(resolved({ providers }, need, environment)).toEqual({ code: "bad_request", message, recovery });
  });

  it.each([
    ["http://127.0.0.1:8080/v1", {}],
    ["http://localhost/v1", {}],
    ["http://[::1]:9/v1", {}],
    ["https://10.0.0.7/v1", {}],
    [undefined, { "openai-compatible": { kind: "openai-compatible", baseUrl: "http://10.0.0.7/v1" } }],
    ["http://10.0.0.7/v1", { "openai-compatible": { kind: "openai-compatible", baseUrl: "http://10.0.0.7/v1" } }],
  ] as const)("may be asked at %s with %j", (baseUrl, providers) => {
    const need = { wanted: "openai-compatible/x", ...(baseUrl === undefined ? {} : { baseUrl }) };
    expect(resolved({ providers }, need, every)).toMatchObject({ models: ["openai-compatible/x"] });
  });

  it("may be asked in clear text where there is no key", () => {
    const need = { wanted: "ollama/x", baseUrl: "http://10.0.0.7:11434/v1" };
    expect(resolved({}, need, every)).toMatchObject({ models: ["ollama/x"] });
  });
});

describe("a model that is chosen", () => {
  const facts = (input: number | undefined, latency: ModelFacts["latency"], rest: ModelFacts = {}): ModelFacts => ({
    ...(input === undefined ? {} : { price: { input, output: input } }),
    ...(latency === undefined ? {} : { latency }),
    ...rest,
  });
  const providers = {
    locked: { kind: "anthropic", apiKeyEnv: "NOT_SET", models: { first: facts(0, "low") } },
    mine: {
      kind: "openai-compatible",
      baseUrl: "https://a.example/v1",
      models: {
        mute: facts(0, "low", { toolCalls: false }),
        dear: facts(9, "medium"),
        unknown: {},
        cheap: facts(1, "high"),
        quick: facts(5, "low", { vision: true }),
      },
    },
  } as const satisfies Record<string, ProviderSetting>;

  it.each<[ModelNeed, Partial<Settings["models"]>, string, string]>([
    [{}, {}, "mine/dear", "the first of the usable models in the settings"],
    [{ prefer: "cost" }, {}, "mine/cheap", "the cheapest of the usable models in the settings"],
    [{ prefer: "latency" }, {}, "mine/quick", "the fastest of the usable models in the settings"],
    [{}, { prefer: "cost" }, "mine/cheap", "the cheapest of the usable models in the settings"],
    [{ vision: true }, { prefer: "cost" }, "mine/quick", "the cheapest of the usable models in the settings"],
  ])("%j %j is %s", (need, settings, name, why) => {
    expect(resolved({ providers, ...settings }, need)).toEqual({ models: [name], reason: `${name}: ${why}` });
  });

  it("says what is wrong with the one that there is", () => {
    const { locked } = providers;
    expect(resolved({ providers: { locked } }, {})).toMatchObject({
      message: "No API key for locked: NOT_SET is not set.",
    });
  });

  it("says what to do when there is none", () => {
    expect(resolved({}, {}, every)).toEqual({
      code: "bad_request",
      message: "No model is configured.",
      recovery: 'Name one with --model provider/id, or set "model" in your settings.',
    });
  });
});

describe("the models that stand in", () => {
  it("follow in order, once each, and one that cannot is named with its reason", () => {
    const fallback = ["openai/gpt-5", "anthropic/claude-haiku-4-5", "google/gemini-2.5-pro", "openai/gpt-5"];
    const environment = { ANTHROPIC_API_KEY: "a", GEMINI_API_KEY: "g" };
    expect(resolved({ fallback }, { wanted: "anthropic/claude-haiku-4-5" }, environment)).toEqual({
      models: ["anthropic/claude-haiku-4-5", "google/gemini-2.5-pro"],
      reason:
        "anthropic/claude-haiku-4-5: requested; without openai/gpt-5: No API key for openai: OPENAI_API_KEY is not set.; then google/gemini-2.5-pro; without openai/gpt-5: No API key for openai: OPENAI_API_KEY is not set.",
    });
  });

  it("are not asked at the address that was given for the first", () => {
    const fallback = ["openai-compatible/b"];
    const outcome = resolved({ fallback }, { wanted: "ollama/a", baseUrl: "http://127.0.0.1:9/v1" });
    expect(outcome).toMatchObject({ models: ["ollama/a"], reason: expect.stringContaining("No base URL") });
  });
});

describe("what is known of a model", () => {
  const profileOf = (wanted: string, providers: Settings["models"]["providers"] = {}, baseUrl?: string) => {
    const need = { wanted, ...(baseUrl === undefined ? {} : { baseUrl }) };
    const outcome = models({ providers }, { environment: every }).resolve(need);
    return outcome.ok ? outcome.value.models[0].profile : outcome.failure;
  };

  it("stands in a table, for a family and its dated names", () => {
    const sonnet = {
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
      toolCalls: true,
      parallelToolCalls: true,
      jsonSchema: true,
      reasoningSummary: true,
      vision: true,
      latency: "medium",
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    };
    expect(profileOf("anthropic/claude-sonnet-4-5")).toEqual(sonnet);
    expect(profileOf("anthropic/claude-sonnet-4-5-20250929")).toEqual(sonnet);
  });

  it.each([
    "anthropic/claude-sonnet-99",
    "openai/gpt-5.9",
    "openai/gpt-5-enormous",
    "google/gemini-9",
    "openai-compatible/gpt-5",
  ])("is not guessed: %s has no price", (name) => {
    expect(profileOf(name, {}, "https://a.example/v1")).not.toHaveProperty("price");
  });

  it("costs nothing on this machine, and only there", () => {
    expect(profileOf("ollama/qwen3")).toMatchObject({ price: { input: 0, output: 0 }, contextTokens: 32_000 });
    expect(profileOf("ollama/qwen3", {}, "https://ollama.example/v1")).not.toHaveProperty("price");
  });

  it("is what the settings say, where they say it", () => {
    const facts = { contextTokens: 8_192, vision: false, price: { input: 7, output: 8 } };
    const providers: Settings["models"]["providers"] = {
      anthropic: { kind: "anthropic", models: { "claude-sonnet-4-5": facts } },
      ollama: { kind: "openai-compatible", models: { tiny: { contextTokens: 4_096 } } },
    };
    expect(profileOf("anthropic/claude-sonnet-4-5", providers)).toMatchObject({ ...facts, maxOutputTokens: 64_000 });
    expect(profileOf("ollama/tiny", providers)).toMatchObject({ contextTokens: 4_096, price: { input: 0, output: 0 } });
  });
});

describe("a provider of the settings", () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  it("is asked with its own key, headers and address", async () => {
    const server = await startModelServer({ format: "openai-chat", script: [{ say: [{ text: "hello" }] }] });
    const client = createHttpClient({ connectMs: 5_000, idleMs: 5_000 });
    closers.push(server.close, client.close);
    const setting = {
      kind: "openai-compatible",
      baseUrl: `${server.url}/`,
      apiKeyEnv: "MINE",
      headers: { "x-team": "a" },
    } as const;
    const made = models(
      { providers: { mine: setting } },
      { environment: { MINE: " key-of-mine ", OPENAI_API_KEY: "another" }, fetch: client.fetch },
    ).resolve({ wanted: "mine/some/model" });
    if (!made.ok) throw new Error(made.failure.message);
    const request = requestFor({ provider: "openai-compatible", model: "some-model" });
    const events = await collect(made.value.models[0].runtime.stream(request));
    expect(events.at(-1)).toEqual({ type: "model.finished", reason: "stop" });
    const [received] = server.requests;
    expect([
      received?.path,
      received?.body.model,
      received?.headers.authorization,
      received?.headers["x-team"],
    ]).toEqual(["/v1/chat/completions", "some/model", "Bearer key-of-mine", "a"]);
  });

  it.each([
    ["to a server on this machine", "ollama/x", {}],
    ["to one that the settings describe without one", "mine/x", { mine: { kind: "openai-compatible" } }],
  ] as const)("sends nobody's key %s", async (_, wanted, providers) => {
    const server = await startModelServer({ format: "openai-chat", script: [{ say: [{ text: "hello" }] }] });
    const client = createHttpClient({ connectMs: 5_000, idleMs: 5_000 });
    closers.push(server.close, client.close);
    const made = models({ providers }, { environment: every, fetch: client.fetch }).resolve({
      wanted,
      baseUrl: server.url,
    });
    if (!made.ok) throw new Error(made.failure.message);
    await collect(
      made.value.models[0].runtime.stream(requestFor({ provider: "openai-compatible", model: "some-model" })),
    );
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  });
});

describe("what is known of a model", () => {
  it("needs no key", () => {
    const facts = { contextTokens: 1234 };
    const providers: Readonly<Record<string, ProviderSetting>> = {
      own: { kind: "openai-compatible", apiKeyEnv: "OWN_KEY", models: { small: facts } },
    };
    const context = (name: string) => {
      const profile = modelProfile(name, { providers }, undefined);
      return profile.ok ? profile.value.contextTokens : profile.failure.message;
    };
    const asked = models({}, { environment: every }).resolve({ wanted: "anthropic/claude-sonnet-4-5" });
    expect(context("anthropic/claude-sonnet-4-5")).toBe(asked.ok && asked.value.models[0].profile.contextTokens);
    expect(context("ollama/qwen3")).toBe(32_000);
    expect(context("scripted/turns.json")).toBe(200_000);
    expect(context("own/small")).toBe(1234);
    expect(context("nobody/x")).toBe("There is no provider named nobody.");
    expect(context("x")).toBe('"x" is not a model name.');
  });
});
