import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DoctorCheck } from "../contract/app/app.ts";
import type { Settings } from "../contract/settings.ts";
import { createHttpClient } from "../host/net/http-client.ts";
import { createModels } from "./create-models.ts";
import { examineModels } from "./examine-models.ts";
import type { LocalServer } from "./known-providers.ts";

/** A server on loopback that answers like this, and keeps what it was asked. */
async function serve(status: number, ...ids: readonly string[]) {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const { authorization, "x-api-key": key, "x-team": team } = request.headers;
    asked.push(`${request.method} ${request.url} ${JSON.stringify({ authorization, key, team })}`);
    response.writeHead(status).end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(
    () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { asked, port, baseUrl: `http://127.0.0.1:${port}/v1` };
}

const nowhere = "http://127.0.0.1:1/v1";
const secret = "sk-not-a-real-key";
const nothing = { providers: {}, fallback: [], prefer: "order" } as const;

async function examine(
  models: Partial<Settings["models"]>,
  environment: Readonly<Record<string, string>> = {},
  servers: readonly LocalServer[] = [],
): Promise<readonly DoctorCheck[]> {
  const client = createHttpClient({ connectMs: 5_000, idleMs: 5_000 });
  onTestFinished(client.close);
  const options = { models: { ...nothing, ...models }, environment, fetch: client.fetch };
  const { resolve } = createModels({ ...options, now: Date.now, readScript: () => undefined });
  const checks = await examineModels({ ...options, resolve, servers });
  expect(JSON.stringify(checks)).not.toContain(secret);
  return checks;
}

const modelOf = async (...given: Parameters<typeof examine>) => (await examine(...given))[0];
const acme = (baseUrl: string, more = {}) => ({ acme: { kind: "openai-compatible", baseUrl, ...more } }) as const;

describe("the model that is set up", () => {
  test("answers: its address, the variable of its key, and what was sent there is what a run would send", async () => {
    const { asked, baseUrl } = await serve(200, "coder", "other");
    const providers = acme(baseUrl, { apiKeyEnv: "ACME_KEY", headers: { "X-Team": "blue" } });
    expect(await modelOf({ model: "acme/coder", providers }, { ACME_KEY: secret })).toEqual({
      name: "model",
      state: "ok",
      detail: `acme/coder at ${baseUrl} with the key in ACME_KEY: answers`,
    });
    expect(asked).toEqual([`GET /v1/models {"authorization":"Bearer ${secret}","team":"blue"}`]);
  });

  test("a provider that speaks like a vendor is not sent the vendor's key, only its own", async () => {
    const { asked, baseUrl } = await serve(200, "claude");
    const providers = { relay: { kind: "anthropic", baseUrl, apiKeyEnv: "RELAY_KEY" } } as const;
    const environment = { ANTHROPIC_API_KEY: "sk-of-the-vendor", RELAY_KEY: secret };
    expect(await modelOf({ model: "relay/claude", providers }, environment)).toMatchObject({ state: "ok" });
    expect(asked).toEqual([`GET /v1/models {"key":"${secret}"}`]);
  });

  test("one that only the settings describe is in force without being named", async () => {
    const { baseUrl } = await serve(200, "coder");
    expect(await modelOf({ providers: acme(baseUrl, { models: { coder: {} } }) })).toEqual({
      name: "model",
      state: "ok",
      detail: `acme/coder at ${baseUrl}: answers`,
    });
  });

  test("a vendor elsewhere is not asked", async () => {
    expect(await modelOf({ model: "anthropic/claude-sonnet-4-5" }, { ANTHROPIC_API_KEY: secret })).toEqual({
      name: "model",
      state: "ok",
      detail:
        "anthropic/claude-sonnet-4-5 at https://api.anthropic.com/v1 with the key in ANTHROPIC_API_KEY: not contacted (only this machine and addresses in the settings are)",
    });
  });

  test.each<[string, Partial<Settings["models"]>, string, string]>([
    [
      "no provider of that name",
      { model: "nosuch/x" },
      "nosuch/x: There is no provider named nosuch.",
      'Use one of anthropic, openai, openai-chat, openai-compatible, google, scripted, ollama, lmstudio, llamacpp, vllm, or describe it in your settings under "providers".',
    ],
    [
      "no key",
      { model: "anthropic/claude" },
      "anthropic/claude: No API key for anthropic: ANTHROPIC_API_KEY is not set.",
      "Set the environment variable ANTHROPIC_API_KEY.",
    ],
    [
      "no key in the variable of one's own",
      { model: "acme/coder", providers: acme(nowhere, { apiKeyEnv: "ACME_KEY" }) },
      "acme/coder: No API key for acme: ACME_KEY is not set.",
      "Set the environment variable ACME_KEY.",
    ],
    [
      "nobody there",
      { model: "acme/coder", providers: acme(nowhere) },
      `acme/coder at ${nowhere}: no answer (ECONNREFUSED)`,
      'start that server, or correct "providers.acme.baseUrl" in the settings',
    ],
  ])("%s", async (_what, models, detail, fix) => {
    expect(await modelOf(models)).toEqual({ name: "model", state: "missing", detail, fix });
  });

  test.each<[number, Readonly<Record<string, string>>, string, string, string | undefined]>([
    [401, { ACME_KEY: secret }, "missing", "rejects the key (401)", "set ACME_KEY to a valid key"],
    [
      403,
      {},
      "missing",
      "requires a key (403), and none is configured",
      'name the variable that holds its key in "providers.acme.apiKeyEnv" of the settings',
    ],
    [404, {}, "warning", "answers (404), but not with a list of models", undefined],
    [200, {}, "warning", "answers, but does not list that model", "choose a listed model: acme/other"],
  ])("%i", async (status, environment, state, detail, fix) => {
    const { baseUrl } = await serve(status, "other");
    const key = Object.keys(environment)[0];
    const providers = acme(baseUrl, key === undefined ? {} : { apiKeyEnv: key });
    const place = `acme/coder at ${baseUrl}${key === undefined ? "" : ` with the key in ${key}`}`;
    expect(await modelOf({ model: "acme/coder", providers }, environment)).toEqual({
      name: "model",
      state,
      detail: `${place}: ${detail}`,
      ...(fix === undefined ? {} : { fix }),
    });
  });

  test("a tag and a folder are parts of the same name", async () => {
    const { baseUrl } = await serve(200, "coder:latest", "models/thinker");
    for (const model of ["acme/coder", "acme/thinker"]) {
      expect(await modelOf({ model, providers: acme(baseUrl) })).toMatchObject({ state: "ok" });
    }
  });

  test("another that stands in makes the first one's absence a warning; one that cannot is a warning, too", async () => {
    const { baseUrl } = await serve(200, "coder");
    const providers = { ...acme(nowhere), spare: { kind: "openai-compatible", baseUrl } } as const;
    const dead = `acme/coder at ${nowhere}: no answer (ECONNREFUSED)`;
    const fine = `spare/coder at ${baseUrl}: answers`;
    const fix = 'start that server, or correct "providers.acme.baseUrl" in the settings';
    expect(await modelOf({ model: "acme/coder", fallback: ["spare/coder"], providers })).toEqual({
      name: "model",
      state: "warning",
      detail: `${dead}\nelse ${fine}`,
      fix,
    });
    expect(await modelOf({ model: "spare/coder", fallback: ["acme/coder"], providers })).toEqual({
      name: "model",
      state: "warning",
      detail: `${fine}\nelse ${dead}`,
      fix,
    });
  });
});

describe("when none is set up", () => {
  test("the names of variables that hold a key, never what they hold, and the servers that answer", async () => {
    const { asked, port } = await serve(200, "qwen3-coder");
    const providers = { company: { kind: "openai-compatible", apiKeyEnv: "COMPANY_KEY" } } as const;
    const environment = { ANTHROPIC_API_KEY: secret, COMPANY_KEY: secret, OTHER: secret };
    const [model, ...rest] = await examine({ providers }, environment, [
      { provider: "ollama", called: "Ollama", port },
    ]);
    expect(model).toMatchObject({ state: "warning", fix: expect.stringContaining("--model anthropic/") });
    expect(rest).toEqual([
      { name: "keys", state: "ok", detail: "set: ANTHROPIC_API_KEY, COMPANY_KEY" },
      { name: "model servers", state: "ok", detail: `ollama/qwen3-coder (Ollama on port ${port})` },
    ]);
    expect(asked).toEqual(["GET /v1/models {}"]);
  });

  test("nothing at all is a warning that says what to do", async () => {
    expect(await examine({}, {}, [{ provider: "vllm", called: "vLLM", port: 1 }])).toEqual([
      {
        name: "model",
        state: "warning",
        detail: "none configured: no API key is set, and no local model server answers",
        fix: "export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, or GEMINI_API_KEY), or start a server such as Ollama",
      },
      { name: "keys", state: "absent", detail: "none set" },
      { name: "model servers", state: "absent", detail: "none at the usual local addresses (vLLM on 1)" },
    ]);
  });
});
