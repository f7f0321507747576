import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../../../src/contract/tool.ts";
import { agreeable } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent } from "./open-agent.ts";
import { type Script, scripted } from "./scripted-model.ts";

function remoteTool(name: string, description: string, extra: { readonly alwaysLoad?: boolean } = {}): Tool {
  return defineTool({
    name,
    version: "1",
    description,
    family: "other",
    risks: ["network"],
    defer: true,
    requiresWorkspace: false,
    input: z.strictObject({ subject: z.string().describe(`What ${name} is about`) }),
    effects: () => ({ effects: [] }),
    run: async () => ({ ok: true, data: { did: name } }),
    ...extra,
  });
}

const many = [
  remoteTool("create_issue", "Opens an issue in the tracker."),
  remoteTool("close_issue", "Closes an issue in the tracker."),
  remoteTool("send_message", "Sends a message to a channel."),
  ...Array.from({ length: 60 }, (_, index) => remoteTool(`report_${index}`, `Makes the report number ${index}.`)),
];

async function sendWith(script: Script, tools: readonly Tool[] = many, settings = {}) {
  const model = scripted(script);
  const packages = [{ name: "office", tools }];
  const agent = await openAgent(makeWorkspace({}), model, { tools: packages, settings, onAsk: agreeable() });
  const report = await agent.send("Work.");
  const codes = eventsOfType(agent, "tool.observed").map(({ data }) => data.observation.code);
  const names = (turn: number) => (model.requests[turn]?.tools ?? []).map(({ name }) => name);
  const menuText = (turn: number) => JSON.stringify(model.requests[turn]?.tools ?? []);
  return { agent, report, codes, names, menuText, model };
}

const search = (query: string) => ({ calls: [{ tool: "tool_search", input: { query } }] });
const call = (tool: string) => ({ calls: [{ tool, input: { subject: "it" } }] });

describe("with many tools", () => {
  test("a model is shown names, asks for schemas, and then calls", async () => {
    const { agent, codes, names, menuText } = await sendWith([
      call("create_issue"),
      search("open an issue in the tracker"),
      call("create_issue"),
      call("send_message"),
    ]);
    expect(codes).toEqual(["tool_not_loaded", "ok", "ok", "tool_not_loaded"]);
    expect(names(0)).toContain("tool_search");
    expect(names(0)).toContain("read");
    expect(names(0)).not.toContain("create_issue");
    expect(menuText(0)).toContain("create_issue, report_0");
    expect(menuText(0)).not.toContain("What create_issue is about");
    expect(names(2).slice(0, names(0).length)).toEqual(names(0));
    expect(names(2).slice(names(0).length)).toContain("create_issue");
    expect(menuText(2).startsWith(menuText(0).slice(0, -1))).toBe(true);
    const [refused, found] = eventsOfType(agent, "tool.observed").map(({ data }) => data.observation);
    expect(refused?.recovery).toBe('Call tool_search with the query "select:create_issue", then call it.');
    expect(found?.model.content[0]?.text).toContain("What create_issue is about");
    expect(eventsOfType(agent, "context.tools_loaded")[0]?.data.tools).toContain("create_issue");
  });

  test("people are told of every tool what the model is sent of it, and what that costs", async () => {
    const { agent, model } = await sendWith([]);
    const sent = model.requests[0]?.tools ?? [];
    const told = agent.door.menu().filter(({ visible, loaded }) => visible && loaded);
    expect(told.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))).toEqual(sent);
    const bytes = sent.map(({ name, description, inputSchema }) =>
      Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema })),
    );
    expect(told.map((tool) => tool.bytes)).toEqual(bytes);
    expect(told.find(({ name }) => name === "tool_search")?.description).toContain("create_issue, report_0");
  });

  test("exact names bring exactly these, and say what does not exist", async () => {
    const { agent, names } = await sendWith([search("select: send_message, close_issue,nothing_such")]);
    expect(names(1).slice(names(0).length)).toEqual(["send_message", "close_issue"]);
    expect(eventsOfType(agent, "tool.observed")[0]?.data.observation.summary).toBe(
      "Loaded 2 of 63 tools; they can be called from now on. There is no nothing_such.",
    );
  });

  test("what was loaded stays loaded in the next process", async () => {
    const workspace = makeWorkspace({});
    const tools = [{ name: "office", tools: many }];
    const first = await openAgent(workspace, [search("select:send_message")], { tools });
    await first.send("Load.");
    await first.close();
    const model = scripted([call("send_message")]);
    const next = await openAgent(workspace, model, { tools, session: first.sessionId, onAsk: agreeable() });
    await next.send("Send.");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("send_message");
    expect(eventsOfType(next, "tool.observed").at(-1)?.data.observation.code).toBe("ok");
  });

  test("a tool that is to be there always is there", async () => {
    const always = many.map((tool) => (tool.name === "close_issue" ? Object.freeze({ ...tool, defer: false }) : tool));
    const { names } = await sendWith([], always);
    expect(names(0)).toContain("close_issue");
    expect(names(0)).not.toContain("create_issue");
  });

  test.each([
    ["their number", { tools: { deferAbove: 100 } }, true],
    ["their share of the context", { tools: { deferAbove: 100, deferShare: 0.0001 } }, false],
  ])("%s decides, as the settings say", async (_, settings, all) => {
    const { names } = await sendWith([], many, settings);
    expect([names(0).includes("create_issue"), names(0).includes("tool_search")]).toEqual([all, !all]);
  });
});

test("with few tools nothing is left out, and nothing is searched", async () => {
  const { names, codes } = await sendWith([search("issue")], many.slice(0, 3));
  expect(names(0)).toContain("create_issue");
  expect(names(0)).not.toContain("tool_search");
  expect(codes).toEqual(["tool_not_visible"]);
});

describe("what other people say of their tools", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const described = (names: readonly string[], description: string): Tool =>
    defineTool({
      ...remoteTool("leak", description),
      input: z.strictObject(Object.fromEntries(names.map((name) => [name, z.string().describe(description)]))),
    });

  test("a model reads it without secrets", async () => {
    const { menuText } = await sendWith([], [described(["subject"], `Sends ${secret} along.`)]);
    expect(menuText(0)).not.toContain(secret);
    expect(menuText(0).match(/Sends \[redacted:github-token:[0-9a-f]{8}\] along\./g)).toHaveLength(2);
  });

  test("a model is not shown a tool with a secret in a name that it would have to say", async () => {
    const { names, menuText } = await sendWith([], [described([secret], "Harmless."), many[0] ?? remoteTool("x", "x")]);
    expect(names(0)).toContain("create_issue");
    expect(names(0)).not.toContain("leak");
    expect(menuText(0)).not.toContain(secret);
  });
});
