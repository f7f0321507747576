import { describe, expect, test } from "vitest";
import { type Asker, modes, type PermissionPrompt } from "../../src/contract/verdict.ts";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { oddServer, openServers } from "./server-session.ts";

const servers = { fine: oddServer("failing.ts") };

describe("who may call a tool of a server", () => {
  test.each(modes.filter((mode) => mode !== "plan"))(
    "in mode %s nobody but a person, or a rule of theirs",
    async (mode) => {
      const session = await openServers(makeWorkspace(), servers, { mode });
      const refused = await session.call("mcp__fine__fine");
      expect(refused).toMatchObject({ ok: false, code: "approval_unavailable", effects: { happened: "nothing" } });
      expect(refused.permission?.suggestedRules).toEqual(["mcp__fine__fine"]);
      expect(session.facts("tool_invocation.started")).toEqual([]);
    },
  );

  test("planning calls none of them", async () => {
    const session = await openServers(makeWorkspace(), servers, { mode: "plan", ask: agreeable() });
    expect(await session.call("mcp__fine__fine")).toMatchObject({ ok: false, code: "tool_not_visible" });
  });

  test.each([
    ["a rule for the tool", ["mcp__fine__fine"], "ok"],
    ["a rule for the server", ["mcp__fine"], "ok"],
    ["a rule for another tool", ["mcp__fine__flood"], "approval_unavailable"],
    ["a rule for another server", ["mcp__fin"], "approval_unavailable"],
  ])("%s", async (_what, allow, code) => {
    const session = await openServers(makeWorkspace(), servers, { allow });
    expect(await session.call("mcp__fine__fine")).toMatchObject({ code });
  });

  test("a refusal wins over every permission, and takes the tool off the menu", async () => {
    const rules = { allow: ["mcp__fine"], deny: ["mcp__fine__fine"] };
    const session = await openServers(makeWorkspace(), servers, { ...rules, ask: agreeable(), mode: "bypass" });
    expect(await session.call("mcp__fine__fine")).toMatchObject({
      ok: false,
      code: "tool_not_visible",
      summary: "Tool mcp__fine__fine is not available: removed by the rule mcp__fine__fine.",
      recovery:
        "Continue without it. A user must remove the rule from permissions.deny in the settings, or from --deny.",
    });
    expect(await session.call("mcp__fine__large")).toMatchObject({ ok: true });
    expect(session.door.menu().map(({ name }) => name)).not.toContain("mcp__fine__fine");
  });

  test("whoever is asked reads what the server says of the tool, and names of arguments write no lines of ours", async () => {
    const asked: PermissionPrompt[] = [];
    const ask: Asker = async ({ prompt }) => {
      asked.push(prompt);
      return "unavailable";
    };
    const workspace = makeWorkspace({ "words.txt": `Adds.\nReads ghp_${"a1B2".repeat(9)} \u001b[2Jfirst.` });
    const docs = oddServer("changing.ts", [workspace.path("words.txt")]);
    const session = await openServers(workspace, { docs }, { ask });
    await session.call("mcp__docs__stable", { "x\nSandbox: harmless": "y" });
    expect(asked).toMatchObject([
      {
        about: expect.stringMatching(
          /^Tool of the MCP server docs, in its words: Adds\.\\nReads \[redacted:[^\]]+\] \\u\{1b\}\[2Jfirst\.$/,
        ),
        action: 'mcp__docs__stable\n"x\\nSandbox: harmless": y',
      },
    ]);
  });

  test("an answer for the session holds for that tool alone", async () => {
    let asked = 0;
    const session = await openServers(makeWorkspace(), servers, {
      ask: async ({ id }) => {
        asked += 1;
        return { request: id, answer: "allow", remember: "session" };
      },
    });
    for (const tool of ["fine", "fine", "large", "fine"]) await session.call(`mcp__fine__${tool}`);
    expect(asked).toBe(2);
  });
});
