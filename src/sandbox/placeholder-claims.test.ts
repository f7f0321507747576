import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startOf } from "../host/process-table.ts";
import { abandonedClaims, claimedNow, claimedOnce, PlaceholderClaims } from "./placeholder-claims.ts";

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

test("of a process that is gone, or of another one with its number, count as abandoned until they are forgotten", () => {
  writeFileSync(join(directory, "999999999.1.dead"), '["/w/a", 1]');
  writeFileSync(join(directory, `${process.pid}.1.reused`), '["/w/b"]');
  expect([claimedNow(directory)("/w/a"), claimedNow(directory)("/w/b")]).toEqual([false, false]);
  expect([claimedOnce(directory)("/w/a"), claimedOnce(directory)("/w/b")]).toEqual([true, true]);
  const abandoned = abandonedClaims(directory);
  expect(abandoned.flatMap(({ paths }) => paths).sort()).toEqual(["/w/a", "/w/b"]);
  for (const { forget } of abandoned) forget();
  expect([readdirSync(directory), claimedOnce(directory)("/w/a")]).toEqual([[], false]);
});

test("that are half written count for everything, and for nothing once their writer is gone", () => {
  const busy = join(directory, `${process.pid}.${startOf(process.pid)}.busy.next`);
  writeFileSync(busy, '["/w/');
  expect([claimedNow(directory)("/anything"), claimedOnce(directory)("/anything")]).toEqual([true, true]);
  rmSync(busy);
  writeFileSync(join(directory, "999999999.1.dead.next"), '["/w/');
  expect([claimedNow(directory)("/anything"), claimedOnce(directory)("/anything")]).toEqual([false, false]);
  expect(abandonedClaims(directory)).toMatchObject([{ paths: [] }]);
});
