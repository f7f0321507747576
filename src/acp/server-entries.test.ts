import { expect, test } from "vitest";
import type { ServerEntry, ServerSetting } from "../contract/server.ts";
import { loaded, paths } from "../settings/world.fixture.ts";
import { refusedEntries, withSandboxes } from "./server-entries.ts";

const sandbox = { network: ["api.example.com"] };
const named = (name: string, setting: ServerSetting, origin = "the editor"): ServerEntry => ({ name, setting, origin });
const own = [
  named("gh", { command: "node", args: ["srv.js"], env: { TOKEN: "x" }, sandbox }, "/home/me/settings.json"),
  named("docs", { type: "http", url: "https://docs.example.com/mcp" }, "/home/me/settings.json"),
];

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
  ["another name", named("new", { command: "x" }), { name: "new", setting: { command: "x" } }],
])("an editor's server with %s", (_what, given, expected) => {
  expect(withSandboxes([given], own)).toEqual([{ ...given, ...expected }]);
});

test("a name of its own is nobody else's", () => {
  const others = [named("gh", { command: "evil" }), named("gh-editor", { command: "x" })];
  expect(withSandboxes(others, own).map(({ name }) => name)).toEqual(["gh-editor2", "gh-editor"]);
});

test("one whose name is held is refused with who holds it", () => {
  const files = {
    [paths.managed]: { mcpServers: { given: { command: "x" } } },
    [paths.user]: { mcpServers: { off: { command: "x", disabled: true } } },
  };
  const entries = ["off", "given", "new"].map((name) => named(name, { command: "x" }));
  expect(refusedEntries(entries, loaded({ files }))).toEqual([
    `The MCP server off of the editor is not used: ${paths.user} switches that name off.`,
    `The MCP server given of the editor is not used: ${paths.managed} has one of the same name.`,
  ]);
});
