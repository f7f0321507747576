import { expect, test } from "vitest";
import type { MenuEntry } from "../contract/tool-facts.ts";
import { admitTools } from "../mcp/tools/admit-tools.ts";
import { menuText } from "./command-texts.ts";

const read: MenuEntry = {
  name: "read",
  version: "1",
  description: "Reads a text file. Use it often.",
  family: "file",
  risks: ["read"],
  source: "builtin",
  ownership: "managed",
  aliases: [],
  schemaHash: "abc",
  inputSchema: {},
  bytes: 1000,
  visible: true,
  deferrable: false,
  loaded: true,
};
const hidden = (name: string, hiddenBecause: string): MenuEntry => ({ ...read, name, visible: false, hiddenBecause });

const menu: readonly MenuEntry[] = [
  { ...read, name: "bash", description: "Runs a bash command in a sandbox.", risks: ["execute", "write"] },
  hidden("edit", "edit is not offered in plan mode"),
  read,
  { ...read, name: "mcp__docs__a", loaded: false },
  { ...read, name: "mcp__docs__b", loaded: false },
  hidden("tool_search", "every tool is on the menu already"),
  hidden("write", "write is not offered in plan mode"),
];

test("a table of what a model is shown, and every reason once", () => {
  expect(menuText(menu, 80)).toBe(`NAME  MAY             DESCRIPTION
bash  execute, write  Runs a bash command in a sandbox.
read  read            Reads a text file.
2 tools with schemas, 2.0 KiB in every request
loaded on demand: mcp__docs__a, mcp__docs__b
hidden: edit, write (not offered in plan mode)
hidden: tool_search (every tool is on the menu already)`);
});

test("of a server's tool, what the server says", () => {
  const { definitions } = admitTools("every", [
    { name: "echo", description: "Echoes back the input. Nothing else.", inputSchema: { type: "object" } },
    { name: "silent", inputSchema: { type: "object" } },
  ]);
  const tools = definitions.map(({ name, description }) => ({ ...read, name: `mcp__every__${name}`, description }));
  expect(menuText(tools, 120)).toBe(`NAME                MAY   DESCRIPTION
mcp__every__echo    read  Echoes back the input.
mcp__every__silent  read  Tool of the MCP server every, without a description.
2 tools with schemas, 2.0 KiB in every request`);
});

test("a narrow window keeps names and purposes in one line each", () => {
  expect(menuText(menu.slice(0, 1), 30)).toBe(`NAME  DESCRIPTION
bash  Runs a bash command in …
1 tool with schemas, 1000 B in every request`);
});
