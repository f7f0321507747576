import { expect, test } from "vitest";
import { hashedName } from "../../src/contract/server/server.ts";
import type { PermissionAnswer } from "../../src/contract/verdict.ts";
import { agreeable } from "../support/gauntlet.ts";
import { sameName } from "../support/same-name.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { menuBecomes, oddServer, openServers, textOf } from "./server-session.ts";

const serverOf = (file: string) => ({ docs: oddServer("named.ts", [file]) });

test.each([
  ["as they come", sameName],
  ["the other way round", sameName.toReversed()],
])("two tools that come to the same name are both left out: %s", async (_order, names) => {
  const workspace = makeWorkspace({ names: names.join("\n") });
  const ask = agreeable();
  const session = await openServers(workspace, serverOf(workspace.path("names")), { ask });
  expect(textOf(await session.call("mcp__docs__announce"))).toContain("announce");
  const name = hashedName({ server: "docs", tool: sameName[0] ?? "" });
  expect(session.door.menu().map((entry) => entry.name)).not.toContain(name);
  expect(await session.call(name)).toMatchObject({
    code: "tool_not_visible",
    summary: `Tool ${name} is not available: several tools of its server have this name.`,
    effects: { happened: "nothing" },
  });
  expect(ask.asked.map(({ tool }) => tool)).toEqual(["mcp__docs__announce"]);
});

test("what was agreed to for a tool stays with it when another takes its name", async () => {
  const workspace = makeWorkspace({ names: "a.b" });
  const asked: string[] = [];
  const session = await openServers(workspace, serverOf(workspace.path("names")), {
    ask: async ({ id: request, tool, prompt }): Promise<PermissionAnswer> => {
      asked.push(`${tool}: ${prompt.suggestedRules}`);
      return { request, answer: "allow", remember: "session" };
    },
  });
  const plain = "mcp__docs__a_b";
  const hashed = hashedName({ server: "docs", tool: "a.b" });
  expect(textOf(await session.call(plain))).toContain("a.b");
  expect(textOf(await session.call(plain))).toContain("a.b");
  expect(asked).toEqual([`${plain}: mcp__docs__a.b`]);

  workspace.write("names", "a.b\na_b");
  await session.call("mcp__docs__announce");
  await menuBecomes(session, () => session.door.menu().some(({ name }) => name === hashed));
  // The newcomer is really called so. Nobody agreed to it; the other one goes on under another name.
  expect(textOf(await session.call(plain))).toContain("a_b");
  expect(textOf(await session.call(hashed))).toContain("a.b");
  expect(asked).toEqual([
    `${plain}: mcp__docs__a.b`,
    "mcp__docs__announce: mcp__docs__announce",
    `${plain}: mcp__docs__a_b`,
  ]);
});
