import { describe, expect, onTestFinished, test } from "vitest";
import type { ProviderSetting, SettingsFile } from "../../../src/contract/settings.ts";
import { createAgent } from "../../../src/index.ts";
import type { SaidPart, ServerTurn, WireFormat } from "../../support/model-server/server-turn.ts";
import { startModelServer } from "../../support/model-server/start-model-server.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { eventsOf, eventsOfType } from "./open-agent.ts";

const files = {
  "sum.js": "export const sum = (a, b) => a - b;\n",
  "sum.test.js": 'test("adds", () => assert.equal(sum(2, 3), 5));\n',
};
const call = (id: string, tool: string, input: object): SaidPart => ({ call: tool, input, id });

const keyVariable = "GAUNTLET_TEST_MODEL_KEY";
const secret = "sk-test-of-two-providers";

interface Provider {
  readonly kind: ProviderSetting["kind"];
  readonly format: WireFormat;
  readonly model: string;
}

const chat: Provider = { kind: "openai-chat", format: "openai-chat", model: "gpt-4.1" };
const anthropic: Provider = { kind: "anthropic", format: "anthropic", model: "claude-sonnet-4-5" };

async function serve({ kind, format }: Provider, script: readonly ServerTurn[]) {
  const server = await startModelServer({ format, script });
  onTestFinished(server.close);
  const setting: ProviderSetting = { kind, baseUrl: server.url, apiKeyEnv: keyVariable };
  return { server, setting };
}

async function open(workspace: Workspace, settings: SettingsFile) {
  process.env[keyVariable] = secret;
  onTestFinished(() => void delete process.env[keyVariable]);
  const { root, state: store, home } = workspace;
  const agent = await createAgent({ workspace: root, store, home, settings });
  onTestFinished(() => agent.close());
  return agent;
}

describe("two providers in one session", () => {
  const read: ServerTurn = { say: [call("call_1", "read", { path: "sum.js" })] };

  test("a rate limit of one is answered by the other, and tools are not affected", async () => {
    const limited: ServerTurn = {
      status: 429,
      headers: { "retry-after": "600" },
      body: { error: { message: "Slow down.", type: "requests", code: "rate_limit_exceeded" } },
    };
    const first = await serve(chat, [read, limited]);
    const second = await serve(anthropic, [{ say: [{ text: "It subtracts." }] }]);
    const agent = await open(makeWorkspace(files), {
      model: `a/${chat.model}`,
      fallbackModels: [`b/${anthropic.model}`],
      providers: { a: first.setting, b: second.setting },
    });
    const b = { provider: "b", id: anthropic.model };
    expect(await agent.send("What does it do?")).toMatchObject({
      stop: "done",
      answer: "It subtracts.",
      model: b,
      calls: { all: 1, failed: 0, denied: 0 },
    });
    expect(eventsOfType(agent, "provider.error").map(({ data }) => [data.kind, data.retryable])).toEqual([
      ["rate_limit", true],
    ]);
    expect(eventsOfType(agent, "provider.fallback_selected").map(({ data }) => data)).toEqual([
      {
        turnId: expect.any(String),
        from: { provider: "a", id: chat.model },
        to: b,
        reason: "rate_limit: Slow down.",
      },
    ]);
    // The other one is shown the call and its result in its own shape.
    expect(second.server.requests[0]?.text).toMatch(/"type":"tool_use"[\s\S]*"type":"tool_result"/);
    expect(second.server.requests[0]?.text).toContain("a - b");
    expect(JSON.stringify(eventsOf(agent))).not.toContain(secret);
  });

  test("one, then the other, then the first again: each is shown all that was said", async () => {
    const first = await serve(chat, [read, { say: [{ text: "First." }] }, { say: [{ text: "Third." }] }]);
    const second = await serve(anthropic, [
      { say: [call("toolu_9", "read", { path: "sum.test.js" })] },
      { say: [{ text: "Second." }] },
    ]);
    const agent = await open(makeWorkspace(files), {
      model: `a/${chat.model}`,
      providers: { a: first.setting, b: second.setting },
    });
    expect(await agent.send("One.")).toMatchObject({ answer: "First." });
    expect(agent.setModel({ wanted: `b/${anthropic.model}` })).toMatchObject({ ok: true });
    expect(await agent.send("Two.")).toMatchObject({ answer: "Second." });
    expect(agent.setModel({ wanted: `a/${chat.model}` })).toMatchObject({ ok: true });
    expect(await agent.send("Three.")).toMatchObject({ stop: "done", answer: "Third." });
    const last = first.server.requests.at(-1)?.text ?? "";
    const places = ["One.", "First.", "Two.", "toolu_9", "adds", "Second.", "Three."].map((word) => last.indexOf(word));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});
