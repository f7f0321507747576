import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startOf } from "../host/process-table.ts";
import { claimedNow, PlaceholderClaims } from "./placeholder-claims.ts";

let directory: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "claims-")));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("are seen by others and not by oneself", () => {
  const mine = new PlaceholderClaims(directory);
  const other = new PlaceholderClaims(directory);
  mine.set(["/w/.mcp.json"]);
  expect([mine.ofOthers()("/w/.mcp.json"), other.ofOthers()("/w/.mcp.json"), other.ofOthers()("/w/x")]).toEqual([
    false,
    true,
    false,
  ]);
  mine.set([]);
  expect(other.ofOthers()("/w/.mcp.json")).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

test("of a process that is gone, or of another one with its number, do not count and are removed", () => {
  writeFileSync(join(directory, "999999999.1.dead"), '["/w/a"]');
  writeFileSync(join(directory, `${process.pid}.1.reused`), '["/w/a"]');
  expect(claimedNow(directory)("/w/a")).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

test("that are half written count for everything", () => {
  writeFileSync(join(directory, `${process.pid}.${startOf(process.pid)}.busy`), '["/w/');
  expect(claimedNow(directory)("/anything")).toBe(true);
});
