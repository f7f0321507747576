import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ServerTool } from "../../contract/server/server.ts";
import { privateFiles } from "../../host/state/private-text.ts";
import { admitTools } from "../tools/admit-tools.ts";
import { type Definition, serverDirectory, serverState } from "./server-state.ts";

const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-server-state-"));
afterEach(() => rmSync(place, { recursive: true, force: true }));

function defined(tool: ServerTool): Definition {
  const [definition] = admitTools("docs", [tool]).definitions;
  if (definition === undefined) throw new Error("it is offered");
  return definition;
}

test("a server that is disabled is still the same one", () => {
  const on = { name: "docs", setting: { command: "docs" }, origin: "test" };
  const off = { ...on, setting: { ...on.setting, disabled: true } };
  expect(serverDirectory(off, "/workspace")).toBe(serverDirectory(on, "/workspace"));
});

test("what was agreed to is read anew when somebody else has changed it", () => {
  const files = privateFiles(place);
  const entry = { name: "docs", setting: { command: "docs" }, origin: "test" };
  const state = serverState(entry, "/workspace", files);
  const before = defined({ name: "search", inputSchema: {}, description: "Searches." });
  const after = defined({ name: "search", inputSchema: {}, description: "Searches all of it." });

  expect(state.pinned("search")).toBeUndefined();
  expect(state.pin(before)).toEqual({ ok: true, value: undefined });
  expect(state.pinned("search")).toMatchObject({ hash: before.hash });

  expect(serverState(entry, "/workspace", files).pin(after).ok).toBe(true);
  expect(state.pinned("search")).toMatchObject({ hash: after.hash });
  const [directory = ""] = readdirSync(place);
  const [name = ""] = readdirSync(path.join(place, directory)).filter((one) => one.startsWith("agreed-"));
  const file = path.join(place, directory, name);
  writeFileSync(file, readFileSync(file, "utf8").replace("Searches", "Sends"));
  expect(state.pinned("search")).toBe("unreadable");
  rmSync(file);
  expect(state.pinned("search")).toBeUndefined();
});
