import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createScan } from "../../host/files/scan.ts";
import type { Placeholder } from "../plan/closed-paths.ts";
import { isPlaceholder, Placeholders, removeAbandoned, standsIn } from "./placeholders.ts";

let root: string;
let elsewhere: string;
const claims = () => join(elsewhere, "claims");
const at = (...parts: string[]) => join(root, ...parts);
const file = () => ({ path: at(".mcp.json"), kind: "file" as const });
const directory = () => ({ path: at(".claude"), kind: "directory" as const });

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "placeholders-")));
  elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "placeholders-")));
});

afterEach(() => {
  rmSync(elsewhere, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

/** Holds them for as long as the test likes. */
function hold(placeholders: Placeholders, ...wanted: Placeholder[]) {
  const held = placeholders.hold(wanted);
  if (!held.ok) throw new Error(held.failure.message);
  return held.value;
}

test("are there while they are held, and recognised", () => {
  const held = hold(new Placeholders(claims()), file(), directory());
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  expect([isPlaceholder(at(".claude")), isPlaceholder(at(".mcp.json"))]).toEqual([true, true]);
  held.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("stay until the last of several commands gives them back", () => {
  const placeholders = new Placeholders(claims());
  const first = hold(placeholders, file());
  const second = hold(placeholders, file());
  first.giveBack();
  expect(readdirSync(root)).toEqual([".mcp.json"]);
  second.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

test("stay while another runtime in the same workspace needs them, whoever ends first", () => {
  const first = hold(new Placeholders(claims()), file());
  const second = hold(new Placeholders(claims()), file(), directory());
  first.giveBack();
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  removeAbandoned(claims());
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
  second.giveBack();
  expect(readdirSync(root)).toEqual([]);
});

/** As a runtime leaves it that is killed while it holds these. */
function abandon(...paths: string[]): void {
  mkdirSync(claims(), { mode: 0o700 });
  writeFileSync(join(claims(), "held.json"), JSON.stringify({ "999999999 1 dead": paths }));
  writeFileSync(at(".envrc"), "", { mode: 0o1444 });
  mkdirSync(at(".claude"), { mode: 0o1555 });
}

test("that a runtime left which is gone are removed, with what it said about them", () => {
  abandon(at(".envrc"), at(".claude"), at("mine"), at("absent"), at("away/.envrc"));
  writeFileSync(at("mine"), "");
  writeFileSync(at("alike"), "", { mode: 0o1444 });
  removeAbandoned(claims());
  expect([readdirSync(root), readdirSync(claims())]).toEqual([["alike", "mine"], []]);
});

test("that a runtime left which is gone are no changes, before they are removed and after it", () => {
  abandon(at(".envrc"), at(".claude"));
  const scan = createScan({ passOver: standsIn(claims()) });
  const before = scan.snapshot([root]);
  hold(new Placeholders(claims()), file()).giveBack();
  expect([readdirSync(root), readdirSync(claims())]).toEqual([[], []]);
  expect(scan.changes(before, [root])).toEqual([]);
});

test("that a runtime left which is gone stay, and stay known, while one that lives needs them", () => {
  abandon(at(".envrc"), at(".claude"));
  const held = hold(new Placeholders(claims()), directory());
  removeAbandoned(claims());
  expect(readdirSync(root)).toEqual([".claude"]);
  expect(Object.keys(JSON.parse(readFileSync(join(claims(), "held.json"), "utf8")))).toHaveLength(2);
  held.giveBack();
  expect([readdirSync(root), readdirSync(claims())]).toEqual([[], []]);
});

test("that somebody put something into stay", () => {
  const held = hold(new Placeholders(claims()), file(), directory());
  rmSync(at(".mcp.json"));
  writeFileSync(at(".mcp.json"), "{}");
  writeFileSync(at(".claude/settings.json"), "{}");
  held.giveBack();
  expect(readdirSync(root)).toEqual([".claude", ".mcp.json"]);
});

test.each<[string, () => void, RegExp]>([
  ["a link", () => symlinkSync("outside", at("sub")), /is a link/],
  ["a file", () => writeFileSync(at("sub"), ""), /is not a directory/],
  ["nothing", () => {}, /does not exist/],
])("one whose directory became %s cannot be made, and the others go", (_, become, why) => {
  mkdirSync(at("outside"));
  become();
  const before = readdirSync(root);
  const refused = new Placeholders(claims()).hold([file(), { path: at("sub/.mcp.json"), kind: "file" }]);
  expect(refused).toMatchObject({
    ok: false,
    failure: { code: "runtime_precondition_failed", happened: "nothing", message: expect.stringMatching(why) },
  });
  expect([readdirSync(root), readdirSync(at("outside")), readdirSync(claims())]).toEqual([before, [], []]);
});

test("are not held in a place that others may write to", () => {
  mkdirSync(claims());
  chmodSync(claims(), 0o777);
  expect(new Placeholders(claims()).hold([file()])).toMatchObject({
    ok: false,
    failure: { code: "sandbox_unavailable", happened: "nothing" },
  });
  expect(readdirSync(root)).toEqual([]);
});

test("are no changes, whenever they come and go; what only looks like one is", () => {
  const scan = createScan({ passOver: standsIn(claims()) });
  writeFileSync(at("file"), "");
  const empty = scan.snapshot([root]);
  const held = hold(new Placeholders(claims()), file(), directory());
  writeFileSync(at("alike"), "", { mode: 0o1444 });
  mkdirSync(at("alike-too"), { mode: 0o1555 });
  expect(scan.changes(empty, [root])).toEqual([
    { path: at("alike"), change: "created" },
    { path: at("alike-too"), change: "created" },
  ]);
  const full = scan.snapshot([root]);
  held.giveBack();
  expect(scan.changes(full, [root])).toEqual([]);
});

test("an ordinary empty file is not one", () => {
  writeFileSync(at("empty"), "", { mode: 0o444 });
  expect(lstatSync(at("empty")).size).toBe(0);
  expect(isPlaceholder(at("empty"))).toBe(false);
});
