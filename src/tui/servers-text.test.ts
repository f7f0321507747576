import { expect, test } from "vitest";
import type { ServerStatus } from "../contract/server.ts";
import { serversText } from "./servers-text.ts";

const docs: ServerStatus = { name: "docs", state: "configured", transport: "stdio", origin: "/s.json", tools: 0 };

test.each<[readonly ServerStatus[], readonly string[], string]>([
  [[], [], "no MCP server is in force: `gauntlet mcp list` shows what is configured"],
  [[docs], ["docs"], "docs  configured  stdio"],
  [
    [{ ...docs, state: "ready", tools: 2, protocol: "2026-07-28" }],
    ["docs", "notes"],
    "docs  ready  stdio  2 tools, protocol 2026-07-28\nnotes  in force from the next session on: /new begins one",
  ],
  [[], ["notes"], "notes  in force from the next session on: /new begins one"],
])("the servers %j with %j in force by now", (here, inForce, text) => {
  expect(
    serversText(
      here,
      inForce.map((name) => ({ name })),
    ),
  ).toBe(text);
});
