import { afterEach, describe, expect, it } from "vitest";
import { startModelServer } from "../../test/support/model-server/start-model-server.ts";
import { collect, noModels, requestFor, wires } from "../../test/support/provider.ts";
import type { ModelFacts } from "../contract/model.ts";
import type { ProviderSetting } from "../contract/settings.ts";
import { createHttpClient } from "../host/net/http-client.ts";
import { createModels } from "./create-models.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A provider of the settings, asked through its real package. */
async function asked(wire: (typeof wires)[number], facts: ModelFacts) {
  const server = await startModelServer({ format: wire.format, script: [{ say: [] }, { say: [] }] });
  const client = createHttpClient({ connectMs: 5_000, idleMs: 5_000 });
  closers.push(server.close, client.close);
  const setting: ProviderSetting = {
    kind: wire.provider,
    baseUrl: server.url,
    apiKeyEnv: "KEY",
    models: { [wire.model]: facts },
  };
  const resolved = createModels({
    models: { ...noModels, providers: { mine: setting } },
    environment: { KEY: "a key" },
    fetch: client.fetch,
    now: Date.now,
    readScript: () => undefined,
  }).resolve({ wanted: `mine/${wire.model}` });
  return { resolved, server };
}

describe("what the settings say a model can do", () => {
  it("one call at a time is wished for in each provider's words, where there are calls at all", async () => {
    const seen: unknown[] = [];
    for (const wire of wires) {
      for (const parallelToolCalls of [true, false]) {
        const { resolved, server } = await asked(wire, { parallelToolCalls });
        if (!resolved.ok) throw new Error(resolved.failure.message);
        const { runtime } = resolved.value.models[0];
        await collect(runtime.stream(requestFor(wire)));
        await collect(runtime.stream({ ...requestFor(wire), tools: [] }));
        const wishes = server.requests.map(({ body }) => body.parallel_tool_calls ?? body.tool_choice);
        seen.push([wire.provider, parallelToolCalls, ...wishes.map((wish) => wish ?? "nothing")]);
      }
    }
    const once = { type: "auto", disable_parallel_tool_use: true };
    expect(seen).toEqual([
      ["openai-chat", true, "nothing", "nothing"],
      ["openai-chat", false, false, "nothing"],
      ["openai-compatible", true, "nothing", "nothing"],
      ["openai-compatible", false, false, "nothing"],
      ["openai", true, "nothing", "nothing"],
      ["openai", false, false, "nothing"],
      ["anthropic", true, "nothing", "nothing"],
      ["anthropic", false, once, "nothing"],
      // Gemini knows no such wish.
      ["google", true, "nothing", "nothing"],
      ["google", false, "nothing", "nothing"],
    ]);
  });

  it("one that cannot read schemas is not asked: tools are offered by nothing else", async () => {
    const { resolved } = await asked(wires[0], { jsonSchema: false });
    expect(resolved).toMatchObject({
      ok: false,
      failure: { message: `mine/${wires[0].model} cannot read the schemas of tools.` },
    });
  });
});
