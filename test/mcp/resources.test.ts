import { describe, expect, test } from "vitest";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { becomes, npmServer, oddServer, openServers, textOf } from "./server-session.ts";

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
    expect(textOf(read)).toMatch(/^image\/png, 6 bytes\. Kept as artifact sha256-/);
    expect(read.artifacts).toMatchObject([{ bytes: 6 }]);
  });

  test("of all servers are those that run already", async () => {
    const session = await openServers(makeWorkspace(), servers, { ask: agreeable() });
    await session.told(becomes("everything", "ready"));
    expect(await session.call("mcp_resources_list")).toMatchObject({ ok: true });
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
