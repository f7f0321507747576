import { describe, expect, test } from "vitest";
import { z } from "zod";
import { gateFor, type Layered, questionOf } from "../../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../../test/gate-matrix/fixture.ts";
import { sameName } from "../../../test/support/same-name.ts";
import { hashedName } from "../../contract/server/server.ts";
import { defineTool, type Tool } from "../../contract/tool.ts";

/** A tool as it is on the menu, and as its server calls it. */
const serverTool = (name: string, tool: string): Tool => {
  const defined = defineTool<unknown>({
    name,
    version: "1",
    description: "a server's words",
    family: "other",
    risks: ["network"],
    input: z.unknown(),
    effects: () => ({ effects: [{ op: "call", server: "my-docs", tool }] }),
    run: async () => ({ ok: true, data: 1 }),
  });
  return { ...(defined as Tool), source: "mcp" };
};

const judged = async (tool: Tool, layers: Layered = {}) => {
  const fixture = makeFixture({});
  const verdict = await gateFor(fixture, layers).judge(await questionOf(fixture, "x y", { tool }));
  return { decision: verdict.decision, suggested: verdict.suggestedRules?.join(", ") };
};

describe("rules for the tools of servers", () => {
  const odd = serverTool("mcp__my-docs__get_page_now", "get page/now");

  test.each<[string, Layered, string]>([
    ["the server's own spelling allows", { user: { allow: ["mcp__my-docs__get page/now"] } }, "allow"],
    ["the name on the menu may be another tool's", { user: { allow: ["mcp__my-docs__get_page_now"] } }, "ask"],
    ["a server allows all of its tools", { user: { allow: ["mcp__my-docs"] } }, "allow"],
    ["another server is another", { user: { allow: ["mcp__my"] } }, "ask"],
    ["an ask holds by either name", { user: { allow: ["mcp__my-docs"], ask: ["mcp__my-docs__get_page_now"] } }, "ask"],
    [
      "an ask holds in the server's spelling",
      { user: { allow: ["mcp__my-docs"], ask: ["mcp__my-docs__get page/now"] } },
      "ask",
    ],
    ["a deny holds by either name", { user: { deny: ["mcp__my-docs__get_page_now"] } }, "deny"],
  ])("%s", async (_what, layers, decision) => {
    expect((await judged(odd, layers)).decision).toBe(decision);
  });

  test.each([
    ["mcp__my-docs__get_page_now", "deny"],
    [hashedName({ server: "my-docs", tool: "get page/now" }), "deny"],
    [hashedName({ server: "my-docs", tool: "get page_now" }), "ask"],
    [hashedName({ server: "other", tool: "get page/now" }), "ask"],
  ])("a deny holds by whichever name its server gets it onto the menu: %s", async (rule, decision) => {
    for (const name of ["mcp__my-docs__get_page_now", "mcp__my-docs__elsewhere"]) {
      const { decision: found } = await judged(serverTool(name, "get page/now"), { user: { deny: [rule] } });
      expect(found).toBe(decision);
    }
  });

  test("permission is for a tool, and not for who has its name later", async () => {
    const [first = "", second = ""] = sameName;
    const name = hashedName({ server: "my-docs", tool: first });
    for (const rule of [`mcp__my-docs__${first}`, name]) {
      expect((await judged(serverTool(name, second), { user: { allow: [rule] } })).decision).toBe("ask");
    }
    expect((await judged(serverTool(name, first), { user: { allow: [`mcp__my-docs__${first}`] } })).decision).toBe(
      "allow",
    );
    expect((await judged(serverTool(name, first), { user: { allow: [name] } })).decision).toBe("ask");
  });

  test.each([
    ["get page/now", "mcp__my-docs__get page/now"],
    ["a__b", "mcp__my-docs__a__b"],
    ["_a", "mcp__my-docs___a"],
    ["*", undefined],
    ["", undefined],
    [" a", undefined],
    ["a\n", undefined],
    ["a\nb", undefined],
  ])("a tool called %j is remembered as itself or not at all", async (tool, rule) => {
    const { suggested } = await judged(serverTool("mcp__my-docs__t", tool));
    expect(suggested).toBe(rule);
    if (rule === undefined) return;
    expect((await judged(serverTool("mcp__my-docs__t", tool), { user: { allow: [rule] } })).decision).toBe("allow");
    expect((await judged(serverTool("mcp__my-docs__t", "other"), { user: { allow: [rule] } })).decision).toBe("ask");
  });
});
