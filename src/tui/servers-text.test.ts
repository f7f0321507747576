import { expect, test } from "vitest";
import type { ListedServer } from "../contract/server/admin.ts";
import type { ServerStatus } from "../contract/server/server.ts";
import { serversText } from "./command-texts.ts";

const docs: ServerStatus = { name: "docs", state: "configured", transport: "stdio", origin: "/s.json", tools: 0 };
const listed: ListedServer = {
  name: "docs",
  scope: "user",
  transport: "stdio",
  origin: "/s.json",
  trust: "own",
  inForce: true,
};
const { transport: _, ...unreadable } = listed;
const project = { ...listed, scope: "project", origin: "/p/.mcp.json", inForce: false } as const;

test.each<[string, readonly ServerStatus[], readonly ListedServer[], readonly string[]]>([
  ["none", [], [], ["No MCP servers configured. To add one: gauntlet mcp add --help"]],
  ["one that has not started", [docs], [listed], ["docs  configured  stdio"]],
  [
    "one that runs, and one that came since",
    [{ ...docs, state: "ready", tools: 2, protocol: "2026-07-28" }],
    [listed, { ...listed, name: "notebook", transport: "http" }],
    [
      "docs      ready  stdio  2 tools, protocol 2026-07-28",
      "notebook  new    http   starts with the next session (/new)",
    ],
  ],
  [
    "one that lacks something, and one that cannot be read",
    [{ ...docs, state: "failed", detail: "docs (/s.json): TOKEN is not set." }],
    [
      {
        ...listed,
        inForce: false,
        broken: true,
        detail: "TOKEN is not set. Set it, or give it a default in the server's entry.",
      },
      { ...unreadable, name: "bad", inForce: false, broken: true, detail: "url: wrong\ntype: missing" },
    ],
    [
      "docs  broken  stdio",
      "    TOKEN is not set. Set it, or give it a default in the server's entry.",
      "bad   broken",
      "    url: wrong",
      "    type: missing",
    ],
  ],
  [
    "one that failed here, and one that failed when it was tested",
    [
      { ...docs, state: "failed", detail: `It ended.\n  at ${"module ".repeat(12)}` },
      { ...docs, name: "web" },
    ],
    [listed, { ...listed, name: "web", failed: { at: "2026-01-02T03:04:05.000Z", why: "no answer" } }],
    [
      "docs  failed  stdio",
      "    It ended.",
      "      at module module module module module module module module module module",
      "      module module ",
      "web   failed  stdio",
      "    when it was tested (2026-01-02 03:04 UTC): no answer",
      "    retry: gauntlet mcp test web",
    ],
  ],
  [
    "those that are inactive",
    [docs],
    [
      listed,
      { ...project, trust: "untrusted", hash: "h", detail: "it is not trusted yet" },
      { ...listed, name: "off", inForce: false, disabled: true, detail: "disabled" },
      { ...listed, name: "company", scope: "managed", inForce: false, disabled: true, detail: "its entry says so" },
      { ...project, name: "other", trust: "trusted", detail: "another one has its name" },
    ],
    [
      "docs     configured   stdio",
      "docs     not trusted  stdio  it is not trusted yet: gauntlet trust",
      "off      disabled     stdio  gauntlet mcp enable off",
      "company  disabled     stdio  its entry says so",
      "other    inactive     stdio  another one has its name",
    ],
  ],
])("/mcp shows %s", (_name, here, all, rows) => {
  expect(serversText(here, all, { columns: 78 }).split("\n")).toEqual(rows);
});
