import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listFiles } from "./list-files.ts";

function tree(...files: readonly string[]): string {
  const root = mkdtempSync(path.join(os.tmpdir(), "gauntlet-list-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), "");
  }
  return root;
}
const all = { most: 100, keep: () => true };

test("the nearest first, without what nobody names, and links are not followed", () => {
  const root = tree("a/b/deep.ts", "a/near.ts", "top.ts", "node_modules/x/index.js", ".git/config", "dist/out.js");
  symlinkSync(path.join(root, "a"), path.join(root, "link"));
  expect(listFiles(root, all)).toEqual(["top.ts", "a/near.ts", "a/b/deep.ts"]);
});

test("no more than asked for, and only what is to be kept", () => {
  const root = tree(...Array.from({ length: 30 }, (_, index) => `f${index}.ts`), ".env");
  expect(listFiles(root, { ...all, most: 10 })).toHaveLength(10);
  const kept = listFiles(root, { most: 100, keep: (name, file) => name !== ".env" && path.isAbsolute(file) });
  expect([kept.length, kept.includes(".env")]).toEqual([30, false]);
});

test("a directory that is not there holds nothing", () => {
  expect(listFiles("/nowhere/at/all", all)).toEqual([]);
});
