import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpClient } from "../host/net/http-client.ts";
import { findModels, findModelsAt } from "./list-models.ts";

/** A server on loopback that answers `GET /v1/models` like this, and keeps what it was asked. */
async function serve(answer: (response: http.ServerResponse) => void) {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers.authorization ?? null)}`);
    answer(response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(
    () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  return { asked, port: (server.address() as AddressInfo).port };
}

const models = (...ids: readonly unknown[]) => JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) });
const json = (body: string) => (response: http.ServerResponse) => response.end(body);

function client() {
  const made = createHttpClient({ connectMs: 5_000, idleMs: 5_000 });
  onTestFinished(made.close);
  return made.fetch;
}

const key = "sk-not-a-real-key";

describe("what can be asked without any configuration", () => {
  test.each([
    ["Ollama", "ollama"],
    ["LM Studio", "lmstudio"],
    ["llama.cpp", "llamacpp"],
    ["vLLM", "vllm"],
  ])("a server of the kind of %s that answers on this machine", async (called, provider) => {
    const { asked, port } = await serve(json(models("qwen3-coder:30b", "other")));
    const environment = { ANTHROPIC_API_KEY: key };
    const found = await findModels({ environment, fetch: client(), servers: [{ provider, called, port }] });
    expect(found).toEqual([
      { name: expect.stringMatching(/^anthropic\//), from: "ANTHROPIC_API_KEY" },
      { name: `${provider}/qwen3-coder:30b`, from: `${called} on port ${port}` },
      { name: `${provider}/other`, from: `${called} on port ${port}` },
    ]);
    // No key goes anywhere.
    expect(asked).toEqual(["GET /v1/models null"]);
  });

  test.each([
    ["OPENAI_API_KEY", /^openai\//],
    ["GEMINI_API_KEY", /^google\//],
    ["GOOGLE_GENERATIVE_AI_API_KEY", /^google\//],
  ])("%s in the environment", async (variable, name) => {
    const found = await findModels({ environment: { [variable]: key }, fetch: client(), servers: [] });
    expect(found).toEqual([{ name: expect.stringMatching(name), from: variable }]);
    expect(await findModels({ environment: { [variable]: " " }, fetch: client(), servers: [] })).toEqual([]);
  });

  test.each<[string, (response: http.ServerResponse) => void, number]>([
    ["something else lives there", json("<html>hello</html>"), 0],
    ["it has no list", json("{}"), 0],
    ["its list is none", json('{"data":"many"}'), 0],
    ["it is in trouble", (response) => response.writeHead(500).end("no"), 0],
    ["it never answers", () => {}, 0],
    ["its names are no names", json(models("fine", 7, null, "two words", "\u001b[2J", "")), 1],
    ["it has very many", json(models(...Array.from({ length: 100 }, (_, n) => `m${n}`))), 5],
    ["its answer never ends", (response) => void response.write(`{"data":[${" ".repeat(2_000_000)}`), 0],
  ])("%s", async (_name, answer, count) => {
    const { port } = await serve(answer);
    const found = await findModels({
      environment: {},
      fetch: client(),
      servers: [{ provider: "ollama", called: "Ollama", port }],
    });
    expect(found).toHaveLength(count);
  });

  test("nobody listens", async () => {
    const servers = [{ provider: "ollama", called: "Ollama", port: 1 }];
    expect(await findModels({ environment: {}, fetch: client(), servers })).toEqual([]);
  });
});

test("what a server has that a person names, asked without a key", async () => {
  const { asked, port } = await serve(json(models("coder", "two words")));
  const baseUrl = `http://127.0.0.1:${port}/v1/`;
  expect(await findModelsAt(baseUrl, client())).toEqual([{ name: "openai-compatible/coder", from: baseUrl }]);
  expect(asked).toEqual(["GET /v1/models null"]);
  expect(await findModelsAt("no address", client())).toEqual([]);
});
