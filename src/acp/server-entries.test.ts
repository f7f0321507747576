import type { McpServer } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { loaded, paths } from "../../test/support/settings.ts";
import { fillVariables } from "../contract/server/fill-variables.ts";
import type { ServerEntry, ServerSetting } from "../contract/server/server.ts";
import { refusedEntries, serverEntries, withSandboxes } from "./server-entries.ts";

const variable = (name: string) => `\${${name}}`;
const sandbox = { network: ["api.example.com"] };
const named = (name: string, setting: ServerSetting, origin = "the editor"): ServerEntry => ({ name, setting, origin });
const theirs = [
  named("gh", { command: "node", args: ["srv.js"], env: { TOKEN: "x" }, sandbox }, "/home/me/settings.json"),
  named("docs", { type: "http", url: "https://docs.example.com/mcp" }, "/home/me/settings.json"),
  named("placed", { command: "node", args: ["srv.js"], cwd: "tools", sandbox }, "/home/me/settings.json"),
  named("filled", { command: `${variable("TOOLS")}/srv`, sandbox }, "/home/me/settings.json"),
  named("keyed", { command: "srv", env: { TOKEN: variable("TOKEN") }, sandbox }, "/home/me/settings.json"),
];
const own = { servers: theirs, idleServers: [], brokenServers: [], layers: [] };

test.each<[string, ServerEntry, Partial<ServerEntry>]>([
  [
    "the same environment",
    named("gh", { command: "node", args: ["srv.js"], env: { TOKEN: "x" } }),
    { name: "gh", setting: { command: "node", args: ["srv.js"], env: { TOKEN: "x" }, sandbox } },
  ],
  [
    "no environment",
    named("gh", { command: "node", args: ["srv.js"], env: {} }),
    { name: "gh", setting: { command: "node", args: ["srv.js"], env: {}, sandbox } },
  ],
  [
    "one variable more",
    named("gh", { command: "node", args: ["srv.js"], env: { TOKEN: "x", NODE_OPTIONS: "--require=./evil.js" } }),
    {
      name: "gh-editor",
      setting: { command: "node", args: ["srv.js"], env: { TOKEN: "x", NODE_OPTIONS: "--require=./evil.js" } },
    },
  ],
  [
    "another command",
    named("gh", { command: "node", args: ["evil.js"] }),
    { name: "gh-editor", setting: { command: "node", args: ["evil.js"] } },
  ],
  [
    "another address",
    named("docs", { type: "http", url: "https://evil.example/mcp", headers: {} }),
    { name: "docs-editor", setting: { type: "http", url: "https://evil.example/mcp", headers: {} } },
  ],
  [
    "another place to run in",
    named("placed", { command: "node", args: ["srv.js"], env: {} }),
    { name: "placed-editor", setting: { command: "node", args: ["srv.js"], env: {} } },
  ],
  [
    "the words of one that is filled in",
    named("filled", { command: `${variable("TOOLS")}/srv`, env: {} }),
    { name: "filled-editor", setting: { command: `${variable("TOOLS")}/srv`, env: {} } },
  ],
  [
    "the environment of one that is filled in",
    named("keyed", { command: "srv", env: { TOKEN: variable("TOKEN") } }),
    { name: "keyed-editor", setting: { command: "srv", env: { TOKEN: variable("TOKEN") } } },
  ],
  [
    "none of the environment that is filled in",
    named("keyed", { command: "srv", env: {} }),
    { name: "keyed", setting: { command: "srv", env: {}, sandbox } },
  ],
  ["another name", named("new", { command: "x" }), { name: "new", setting: { command: "x" } }],
])("an editor's server with %s", (_what, given, expected) => {
  expect(withSandboxes([given], own)).toEqual([{ ...given, ...expected }]);
});

test("a name of its own is nobody else's", () => {
  const others = [named("gh", { command: "evil" }), named("gh-editor", { command: "x" })];
  expect(withSandboxes(others, own).map(({ name }) => name)).toEqual(["gh-editor2", "gh-editor"]);
});

test("a name that waits for trust, or cannot be read, is not given away either", () => {
  const waiting = named("notes", { command: "node", args: ["srv.js"] }, "/work/.mcp.json");
  const off = named("off", { command: "x" }, "/home/me/settings.json");
  const settings = {
    ...own,
    idleServers: [
      { entry: waiting, because: "untrusted" as const },
      { entry: off, because: "disabled" as const },
    ],
    brokenServers: [{ name: "broken", origin: "/home/me/settings.json", problems: [] }],
  };
  const given = ["notes", "broken", "off"].map((name) => named(name, { command: "node", args: ["srv.js"] }));
  expect(withSandboxes(given, settings as never).map(({ name }) => name)).toEqual([
    "notes-editor",
    "broken-editor",
    "off",
  ]);
});

test("what an editor gives is taken at its word, and nothing of our environment stands in for it", () => {
  const servers: McpServer[] = [
    {
      type: "http",
      name: "docs",
      url: `https://docs.example.com/${variable("KEY")}`,
      headers: [{ name: "x-key", value: variable("KEY") }],
    },
    { name: "run", command: "srv", args: [variable("KEY")], env: [{ name: "KEY", value: variable("KEY") }] },
  ];
  const entries = serverEntries(servers);
  if (!entries.ok) throw new Error(entries.failure.message);
  for (const entry of entries.value)
    expect(fillVariables(entry, { KEY: "secret" })).toEqual({ ok: true, value: entry });
});

test("one whose name is held is refused with who holds it", () => {
  const files = {
    [paths.managed]: { mcpServers: { given: { command: "x" } } },
    [paths.user]: { mcpServers: { off: { command: "x", disabled: true } } },
  };
  const entries = ["off", "given", "new"].map((name) => named(name, { command: "x" }));
  expect(refusedEntries(entries, loaded({ files }))).toEqual([
    `The MCP server off of the editor is not used: ${paths.user} disables that name.`,
    `The MCP server given of the editor is not used: ${paths.managed} has a server of the same name.`,
  ]);
});
