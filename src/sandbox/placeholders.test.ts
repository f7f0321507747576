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
import type { Placeholder } from "./closed-paths.ts";
import { isPlaceholder, Placeholders, removeAbandoned } from "./placeholders.ts";

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

/** Holds them for as long as the test likes. */
function hold(placeholders: Placeholders, ...wanted: Placeholder[]) {
  const held = placeholders.hold(wanted);
  if (!held.ok) throw new Error(held.failure.message);
  return held.value;
}

test("are there while they are held, and recognised", () => {
  const held = hold(new Placeholders(), file(), directory());
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  expect([isPlaceholder(at(".claude")), isPlaceholder(at(".mcp.json"))]).toEqual([true, true]);
  held.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("stay until the last of several commands gives them back", () => {
  const placeholders = new Placeholders();
  const first = hold(placeholders, file());
  const second = hold(placeholders, file());
  first.giveBack();
  expect(readdirSync(root)).toEqual([".mcp.json"]);
  second.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("stay while another runtime in the same workspace needs them, whoever ends first", () => {
  const first = hold(new Placeholders(), file());
  const second = hold(new Placeholders(), file(), directory());
  first.giveBack();
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  removeAbandoned([at(".mcp.json"), at(".claude")]);
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  second.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("that a runtime left which is gone are removed", () => {
  writeFileSync(at(".mcp.json"), "", { mode: 0o1444 });
  mkdirSync(at(".claude"), { mode: 0o1555 });
  writeFileSync(at("mine"), "");
  removeAbandoned([at(".mcp.json"), at(".claude"), at("mine"), at("absent")]);
  expect(readdirSync(root)).toEqual(["mine"]);
});

test("that somebody put something into stay", () => {
  const held = hold(new Placeholders(), file(), directory());
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
  const held = hold(new Placeholders(), { path, kind: "file" });
  expect([...held.impossible]).toEqual([path]);
  held.giveBack();
  expect(readdirSync(at("outside"))).toEqual([]);
});

test("an ordinary empty file is not one", () => {
  writeFileSync(at("empty"), "", { mode: 0o444 });
  expect(lstatSync(at("empty")).size).toBe(0);
  expect(isPlaceholder(at("empty"))).toBe(false);
});
