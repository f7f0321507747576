import { describe, expect, test } from "vitest";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { npmServer, oddServer, openServers, textOf } from "./server-session.ts";

const servers = { everything: npmServer("everything", ["stdio"]) };

describe("resources of servers", () => {
  test("are listed and read like any call, as untrusted words of their server", async () => {
    const ask = agreeable();
    const session = await openServers(makeWorkspace(), servers, { ask });
    const listed = await session.call("mcp_resources_list", { server: "everything" });
    expect(listed).toMatchObject({ ok: true, effects: { declared: [{ op: "call", server: "everything" }] } });
    expect(listed.model.content).toMatchObject([{ trust: "tool_output_untrusted", label: "server everything" }]);
    const found: { uri: string; template?: true }[] = JSON.parse(textOf(listed));
    expect(found.some(({ template }) => template)).toBe(true);
    const uri = found.find(({ template }) => template === undefined)?.uri ?? "";
    const read = await session.call("mcp_resources_read", { server: "everything", uri });
    expect(read).toMatchObject({ ok: true });
    expect(textOf(read).length).toBeGreaterThan(10);
    const blob = await session.call("mcp_resources_read", {
      server: "everything",
      uri: "demo://resource/dynamic/blob/1",
    });
    expect(textOf(blob)).toMatch(/^Resource 1: This is a base64 blob/);
    expect(ask.asked).toHaveLength(3);
  });

  test("that are no text are kept and named", async () => {
    const session = await openServers(makeWorkspace(), { odd: oddServer("sharing.ts") }, { ask: agreeable() });
    const read = await session.call("mcp_resources_read", { server: "odd", uri: "note://picture" });
    expect(textOf(read)).toMatch(/^image\/png, 6 bytes\. Stored as artifact sha256-/);
    expect(read.artifacts).toMatchObject([{ bytes: 6 }]);
  });

  test("of all servers are asked of every one, also of those that did not run yet and those that cannot", async () => {
    const ask = agreeable();
    const all = { ...servers, sharing: oddServer("sharing.ts"), broken: { command: "false" } };
    const session = await openServers(makeWorkspace(), all, { ask });
    const listed = await session.call("mcp_resources_list");
    expect(listed).toMatchObject({
      ok: true,
      summary: expect.stringMatching(/^\d+ resources\. .*broken\.$/),
      data: { unasked: ["broken"] },
      effects: { declared: Object.keys(all).map((server) => ({ op: "call", server, tool: "resources/list" })) },
    });
    expect(listed.model.content.map(({ label }) => label)).toEqual(["server everything", "server sharing", "gauntlet"]);
    expect(listed.model.content.at(-1)?.text).toMatch(/^Resources of broken are unavailable: ./);
    expect(ask.asked.map(({ prompt }) => prompt.suggestedRules)).toEqual([
      Object.keys(all).map((server) => `mcp__${server}__resources/list`),
    ]);
  });

  test("of all servers are a failure where none could be asked", async () => {
    const session = await openServers(makeWorkspace(), { broken: { command: "false" } }, { ask: agreeable() });
    expect(await session.call("mcp_resources_list")).toMatchObject({
      code: "server_unavailable",
      summary: expect.stringContaining("No server could be queried. Resources of broken are unavailable: "),
    });
  });

  test.each(["mcp_resources_list", "mcp__sharing", "mcp__sharing__resources/list"])(
    "of all servers are listed without a question by the rule %s",
    async (rule) => {
      const session = await openServers(makeWorkspace(), { sharing: oddServer("sharing.ts") }, { allow: [rule] });
      expect((await session.door.explain({ tool: "mcp_resources_list", input: {} })).decision).toBe("allow");
      expect(await session.call("mcp_resources_list")).toMatchObject({ ok: true, data: { resources: 10 } });
    },
  );

  test("of all servers are refused with rules that would allow it, by their names", async () => {
    const two = { sharing: oddServer("sharing.ts"), other: oddServer("sharing.ts") };
    const session = await openServers(makeWorkspace(), two);
    const rules = ["mcp__sharing__resources/list", "mcp__other__resources/list"];
    const explained = await session.door.explain({ tool: "mcp_resources_list", input: {} });
    expect(explained).toMatchObject({ decision: "ask", suggestedRules: rules, notes: ["Hooks were not run."] });
    expect(explained.reason).toBe(
      "calls resources/list of the server sharing; calls resources/list of the server other",
    );
    expect(await session.call("mcp_resources_list")).toMatchObject({
      code: "approval_unavailable",
      recovery: `Run where a user can answer, or allow it in advance with the rules ${rules.join(" and ")}.`,
    });
    const many = Object.fromEntries(Array.from("abcdef", (name) => [name, oddServer("sharing.ts")]));
    const crowd = await openServers(makeWorkspace(), many);
    expect(await crowd.door.explain({ tool: "mcp_resources_list", input: {} })).toMatchObject({
      suggestedRules: ["mcp_resources_list"],
    });
  });

  test("of all servers are not listed where a rule closes one of them", async () => {
    const two = { sharing: oddServer("sharing.ts"), other: oddServer("sharing.ts") };
    const session = await openServers(makeWorkspace(), two, { allow: ["mcp_resources_list"], deny: ["mcp__other"] });
    expect(await session.call("mcp_resources_list")).toMatchObject({
      code: "policy_denied",
      summary: expect.stringContaining("mcp__other denies it"),
    });
    expect(await session.call("mcp_resources_list", { server: "sharing" })).toMatchObject({ ok: true });
  });

  test.each(["bypass", "auto", "default"] as const)("are asked for in mode %s", async (mode) => {
    const session = await openServers(makeWorkspace(), servers, { mode });
    const refused = await session.call("mcp_resources_read", { server: "everything", uri: "demo://x" });
    expect(refused).toMatchObject({ code: "approval_unavailable" });
  });

  test("of a server that is not there, or that it does not have, are told as such", async () => {
    const session = await openServers(makeWorkspace(), servers, { ask: agreeable() });
    expect(await session.call("mcp_resources_read", { server: "nobody", uri: "demo://x" })).toMatchObject({
      code: "server_unavailable",
      recovery: "Choose one of: everything.",
    });
    expect(await session.call("mcp_resources_read", { server: "everything", uri: "demo://nothing" })).toMatchObject({
      ok: false,
    });
  });

  test("are no tools of a session without servers", async () => {
    const session = await openServers(makeWorkspace(), {});
    expect(await session.call("mcp_resources_list")).toMatchObject({ code: "unknown_tool" });
  });
});
