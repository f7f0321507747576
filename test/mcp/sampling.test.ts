import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ServerEntry } from "../../src/contract/server/server.ts";
import type { Asker, Mode, PermissionAnswer, PermissionRequest } from "../../src/contract/verdict.ts";
import { MessageTransport, socketChannel } from "../../src/mcp/client/message-transport.ts";
import { loadSdk } from "../../src/mcp/client/sdk.ts";
import { eventsOfType, type OpenedAgent, openAgent } from "../journey/agent/open-agent.ts";
import { type Answer, type ScriptedModel, scripted } from "../journey/agent/scripted-model.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { socketPair } from "./client/connection-parts.ts";
import { entry, npmServer } from "./server-session.ts";

const tool = "mcp__everything__trigger-sampling-request";
const rule = "mcp__everything__sampling/createMessage";
const prompt = "Name a \u001b[31mcolour\u001b[0m.";

const trigger = (input: object = {}): Answer => ({ calls: [{ tool, input: { prompt, maxTokens: 50, ...input } }] });

interface Options {
  readonly workspace?: Workspace;
  readonly limit?: number | "none";
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly onAsk?: Asker;
  readonly session?: string;
  readonly mode?: Mode;
  readonly server?: ServerEntry;
}

function open(model: ScriptedModel, options: Options): Promise<OpenedAgent> {
  const {
    workspace = makeWorkspace(),
    limit = 2_000,
    allow = ["mcp__everything"],
    deny = [],
    onAsk,
    session,
  } = options;
  const sampling = limit === "none" ? {} : { sampling: { maxTokens: limit } };
  const server = options.server ?? entry("everything", npmServer("everything", ["stdio"], sampling));
  return openAgent(workspace, model, {
    servers: [server],
    settings: { permissions: { allow: [...allow], deny: [...deny] } },
    ...(onAsk === undefined ? {} : { onAsk }),
    ...(session === undefined ? {} : { session }),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
  });
}

function person(answer: Omit<PermissionAnswer, "request"> | "unavailable") {
  const asked: PermissionRequest[] = [];
  const onAsk: Asker = async (request) => {
    asked.push(request);
    return answer === "unavailable" ? answer : { request: request.id, by: "ada", ...answer };
  };
  return { asked, onAsk };
}

const sampled = (agent: OpenedAgent) => eventsOfType(agent, "server.sampled").map(({ data }) => data);
const usageOf = (agent: OpenedAgent) => eventsOfType(agent, "model.usage").map(({ data }) => data);
const lastResult = (model: ScriptedModel) => JSON.stringify(model.requests.at(-1)?.messages.at(-1));

describe("a server that wants to use the model", () => {
  test("is answered after a person saw all of its words, without tools, out of the run's budget", async () => {
    const model = scripted([trigger(), { text: "Blue.", usage: { inputTokens: 40, outputTokens: 3 } }]);
    const { asked, onAsk } = person({ answer: "allow" });
    const agent = await open(model, { onAsk });
    const report = await agent.send("Go.");
    expect(report).toMatchObject({ stop: "done", turns: 2, usage: { inputTokens: 240, outputTokens: 23 } });
    expect(lastResult(model)).toContain("Blue.");

    const [, side] = model.requests;
    expect(side).toMatchObject({
      tools: [],
      messages: [
        { role: "system", text: "You are a helpful test server." },
        { role: "user", parts: [{ type: "text", text: expect.stringContaining(prompt) }] },
      ],
      options: { maxOutputTokens: 50 },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ tool, prompt: { title: "Let the server everything use the model?" } });
    const { action = "" } = asked[0]?.prompt ?? {};
    for (const part of ["50 tokens", "  | You are a helpful test server.", "Name a "]) expect(action).toContain(part);
    expect(action).not.toContain("\u001b");

    const [requested] = eventsOfType(agent, "permission.requested");
    expect(requested?.data).toMatchObject({ requestId: asked[0]?.id, intentId: asked[0]?.intentId });
    expect(sampled(agent)).toEqual([
      { server: "everything", decision: "allowed", reason: "ada", intentId: asked[0]?.intentId, tokens: 43 },
    ]);
    expect(usageOf(agent).map(({ inputTokens, server }) => ({ inputTokens, server }))).toEqual([
      { inputTokens: 100, server: undefined },
      { inputTokens: 40, server: "everything" },
      { inputTokens: 100, server: undefined },
    ]);
    expect(agent.door.state.usage).toMatchObject({ inputTokens: 240, outputTokens: 23 });
    // What it said to the server is none of the conversation.
    expect(JSON.stringify(model.requests[2]?.messages.filter(({ role }) => role !== "tool"))).not.toContain("Blue.");
  });

  test.each<[string, Omit<PermissionAnswer, "request"> | "unavailable", string]>([
    ["declined", { answer: "deny" }, "declined by ada"],
    ["asked about where nobody is", "unavailable", "no user could be asked"],
  ])("is refused when it is %s", async (_what, answer, reason) => {
    const model = scripted([trigger()]);
    const { asked, onAsk } = person(answer);
    const agent = await open(model, { onAsk });
    await agent.send("Go.");
    expect(asked).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    expect(lastResult(model)).toContain("The request was denied.");
    expect(sampled(agent)).toMatchObject([{ decision: "denied", reason }]);
    expect(usageOf(agent).every(({ server }) => server === undefined)).toBe(true);
  });

  test.each<["session" | "always", number]>([
    ["session", 1],
    ["always", 0],
  ])("may be allowed by its own rule, for %s", async (remember, questionsLater) => {
    const workspace = makeWorkspace();
    const { asked, onAsk } = person({ answer: "allow", remember });
    const agent = await open(scripted([trigger(), { text: "Blue." }, trigger(), { text: "Red." }]), {
      workspace,
      onAsk,
    });
    await agent.send("Go.");
    expect(asked.map(({ prompt: { suggestedRules } }) => suggestedRules)).toEqual([[rule]]);
    expect(sampled(agent).map(({ reason }) => reason)).toEqual(["ada", `rule ${rule}`]);
    expect(agent.door.state.grants.map((grant) => grant.rule)).toEqual([rule]);
    await agent.close();

    const later = person({ answer: "allow" });
    const other = await open(scripted([trigger(), { text: "Green." }]), { workspace, onAsk: later.onAsk });
    await other.send("Go.");
    expect(later.asked).toHaveLength(questionsLater);
    expect(sampled(other)).toMatchObject([{ decision: "allowed" }]);
  });

  test.each<[string, Pick<Options, "allow" | "deny" | "mode">, string, number]>([
    ["allowed by a rule that names it", { allow: ["mcp__everything", rule] }, "allowed", 0],
    ["denied by a rule that names it", { deny: [rule] }, "denied", 0],
    ["asked about where a rule names each tool", { allow: [tool] }, "allowed", 1],
    ["asked about in the mode bypass", { mode: "bypass" }, "allowed", 1],
    ["refused in a mode that asks nobody", { mode: "dontAsk" }, "denied", 0],
  ])("is %s", async (_what, rules, decision, questions) => {
    const model = scripted([trigger(), { text: "Blue." }]);
    const { asked, onAsk } = person({ answer: "allow" });
    const agent = await open(model, { onAsk, ...rules });
    await agent.send("Go.");
    expect(sampled(agent)).toMatchObject([{ decision }]);
    expect(asked).toHaveLength(questions);
  });

  test("has the tokens of its entry for the whole session, also in a later process", async () => {
    const workspace = makeWorkspace();
    const { onAsk } = person({ answer: "allow" });
    const model = scripted([
      trigger({ maxTokens: 5_000 }),
      { text: "Blue.", usage: { inputTokens: 900, outputTokens: 60 } },
    ]);
    const agent = await open(model, { workspace, onAsk, limit: 1_000 });
    await agent.send("Go.");
    const { maxOutputTokens = 0 } = model.requests[1]?.options ?? {};
    expect(maxOutputTokens).toBeGreaterThan(900);
    expect(maxOutputTokens).toBeLessThan(1_000);
    await agent.close();

    const next = scripted([trigger()]);
    const later = await open(next, { workspace, onAsk, limit: 1_000, session: agent.sessionId });
    await later.send("Again.");
    expect(next.requests).toHaveLength(2);
    const reason = "it would exceed the 1000 tokens of its entry; 960 are used";
    expect(sampled(later)).toMatchObject([
      { decision: "allowed", tokens: 960 },
      { decision: "denied", reason },
    ]);
  });

  test.each([
    ["tokens", { maxTokens: 20_000 }, "20000 tokens"],
    ["money", { maxCostUsd: 0.1 }, "$0.1"],
  ])("cannot spend more %s than its run may", async (_what, limits, reason) => {
    const model = scripted([trigger({ maxTokens: 60_000 })], { profile: { maxOutputTokens: 64_000 } });
    const { asked, onAsk } = person({ answer: "allow" });
    const agent = await open(model, { onAsk, limit: 100_000 });
    await agent.send("Go.", limits);
    expect(asked).toEqual([]);
    expect(sampled(agent)).toMatchObject([{ decision: "denied", reason: expect.stringContaining(reason) }]);
  });

  test("spends nothing where no run could pay for it", async () => {
    const model = scripted([]);
    const { asked, onAsk } = person({ answer: "allow" });
    const agent = await open(model, { onAsk });
    expect(await agent.door.call({ tool, input: { prompt } })).toMatchObject({ ok: false });
    expect([asked, model.requests]).toEqual([[], []]);
    expect(sampled(agent)).toMatchObject([{ reason: "no run is active, so there is no budget for it" }]);
  });

  test("says no more than a person can read", async () => {
    const model = scripted([trigger({ prompt: "long ".repeat(5_000) })]);
    const { asked, onAsk } = person({ answer: "allow" });
    const agent = await open(model, { onAsk, limit: 100_000 });
    await agent.send("Go.");
    expect(asked).toEqual([]);
    expect(sampled(agent)).toMatchObject([{ reason: expect.stringContaining("too long to show") }]);
  });

  test.each<[string, Options]>([
    ["its entry does not have it", { limit: "none", ...person({ answer: "allow" }) }],
    ["nobody can be asked", {}],
  ])("is not told of it where %s", async (_what, options) => {
    const model = scripted([trigger()]);
    const agent = await open(model, options);
    expect(await agent.send("Go.")).toMatchObject({ calls: { all: 1, failed: 1 } });
    expect(lastResult(model)).toContain("unknown_tool");
    expect(agent.door.menu().filter(({ source }) => source === "mcp").length).toBeGreaterThan(5);
    expect(sampled(agent)).toEqual([]);
  });

  test("is cut off with its call while the person thinks", async () => {
    const thinking = Promise.withResolvers<PermissionRequest>();
    const onAsk: Asker = (request, signal) => {
      thinking.resolve(request);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("unavailable")));
    };
    const model = scripted([trigger()]);
    const agent = await open(model, { onAsk });
    const run = agent.send("Go.");
    const { id } = await thinking.promise;
    await agent.interrupt();
    expect(await run).toMatchObject({ stop: "interrupted" });
    expect(model.requests).toHaveLength(1);
    await expect.poll(() => sampled(agent)).toMatchObject([{ decision: "denied" }]);
    expect(eventsOfType(agent, "permission.answered").map(({ data }) => [data.requestId, data.answer])).toEqual([
      [id, "withdrawn"],
    ]);
  });

  test("is cut off with its call while the model answers, and what that may have cost counts", async () => {
    const answering = Promise.withResolvers<void>();
    const side = (): Answer => {
      answering.resolve();
      return { text: "Blu", hangs: true };
    };
    const { onAsk } = person({ answer: "allow" });
    const agent = await open(scripted([trigger(), side]), { onAsk });
    const run = agent.send("Go.");
    await answering.promise;
    await agent.interrupt();
    expect(await run).toMatchObject({ stop: "interrupted" });
    await expect.poll(() => sampled(agent)).toMatchObject([{ decision: "allowed", tokens: expect.any(Number) }]);
    expect(sampled(agent)[0]?.reason).toContain("cancelled");
    expect(sampled(agent)[0]?.tokens).toBeGreaterThan(50);
  });
});

test("a server of the newer revision asks for it with the answer to a call", async () => {
  const sdk = await loadSdk();
  const inProcess = () => {
    const [ours, theirs] = socketPair();
    const handle = serveStdio(newerServer, { transport: new MessageTransport(sdk, socketChannel(theirs), () => {}) });
    onTestFinished(() => handle.close());
    return ours;
  };
  const model = scripted([{ calls: [{ tool: "mcp__newer__ask", input: {} }] }, { text: "Paris." }]);
  const { asked, onAsk } = person({ answer: "allow" });
  const server = { ...entry("newer", { command: "none", sampling: { maxTokens: 500 } }), inProcess };
  const agent = await open(model, { server, allow: ["mcp__newer"], onAsk });
  await agent.send("Go.");
  expect(agent.door.servers()).toMatchObject([{ protocol: "2026-07-28" }]);
  expect(asked).toMatchObject([{ tool: "mcp__newer__ask" }]);
  expect(lastResult(model)).toContain("It said: Paris.");
  expect(sampled(agent)).toMatchObject([{ server: "newer", decision: "allowed", tokens: 110 }]);
});

const said = z.object({ content: z.object({ text: z.string() }) });

function newerServer(): McpServer {
  const server = new McpServer({ name: "newer", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool("ask", { inputSchema: z.object({}) }, async (_, { mcpReq: { inputResponses } }) => {
    const answer = said.safeParse(inputResponses?.capital);
    if (answer.success) return { content: [{ type: "text", text: `It said: ${answer.data.content.text}` }] };
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "What is the capital?" } }];
    return inputRequired({ inputRequests: { capital: inputRequired.createMessage({ messages, maxTokens: 40 }) } });
  });
  return server;
}
