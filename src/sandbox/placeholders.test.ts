import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isPlaceholder, Placeholders } from "./placeholders.ts";

let root: string;
const at = (...parts: string[]) => join(root, ...parts);
const file = () => ({ path: at(".mcp.json"), kind: "file" as const });
const directory = () => ({ path: at(".claude"), kind: "directory" as const });

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "placeholders-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test("are there while they are held, and recognised", () => {
  const held = new Placeholders().hold([file(), directory()]);
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  expect([isPlaceholder(at(".claude")), isPlaceholder(at(".mcp.json"))]).toEqual([true, true]);
  held.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("stay until the last of several commands gives them back", () => {
  const placeholders = new Placeholders();
  const first = placeholders.hold([file()]);
  const second = placeholders.hold([file()]);
  first.giveBack();
  expect(readdirSync(root)).toEqual([".mcp.json"]);
  second.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("that somebody put something into stay", () => {
  const held = new Placeholders().hold([file(), directory()]);
  rmSync(at(".mcp.json"));
  writeFileSync(at(".mcp.json"), "{}");
  writeFileSync(at(".claude/settings.json"), "{}");
  held.giveBack();
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
});

test("are never made through a link, and say so", () => {
  mkdirSync(at("outside"));
  symlinkSync("outside", at("link"));
  const path = at("link/.mcp.json");
  const held = new Placeholders().hold([{ path, kind: "file" }]);
  expect([...held.impossible]).toEqual([path]);
  held.giveBack();
  expect(readdirSync(at("outside"))).toEqual([]);
});

test("an ordinary empty file is not one", () => {
  writeFileSync(at("empty"), "", { mode: 0o444 });
  expect(lstatSync(at("empty")).size).toBe(0);
  expect(isPlaceholder(at("empty"))).toBe(false);
});
