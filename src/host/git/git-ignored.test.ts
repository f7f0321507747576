import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGitIgnored } from "./git-ignored.ts";

test.each<[string, string, boolean]>([
  ["dist", "dist", true],
  ["dist/", "packages/a/dist", true],
  ["/dist", "dist", true],
  ["/dist", "packages/a/dist", false],
  ["packages/*/dist/", "packages/a/dist", true],
  ["**/dist", "packages/a/dist", true],
  ["packages", "packages/a/dist", true],
  ["dist/**", "dist", true],
  ["*", "dist", true],
  ["*.log", "dist", false],
  ["*.log", "a/b.log", true],
  ["*.py[cod]", "src/a.pyc", true],
  ["*.py[cod]", "src/a.py", false],
  ["/build-*", "build-1/x", true],
  ["[", "dist", false],
  [`${"*a".repeat(12)}*b`, "a".repeat(200), false],
  ["# dist", "dist", false],
  ["dist\n!dist/kept", "dist", false],
  ["dist\n!other", "dist", true],
  ["", "dist", false],
])("%j leaves out %s: %s", (text, directory, expected) => {
  const root = mkdtempSync(path.join(os.tmpdir(), "git-ignored-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(path.join(root, ".gitignore"), `node_modules\n${text}\n`);
  expect(createGitIgnored([root])(path.join(root, directory))).toBe(expected);
});

test("a file further in counts from where it lies, and one that is none ignores nothing", () => {
  const root = mkdtempSync(path.join(os.tmpdir(), "git-ignored-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(path.join(root, "a"));
  writeFileSync(path.join(root, "a", ".gitignore"), "/dist\n");
  mkdirSync(path.join(root, ".gitignore"));
  const isIgnored = createGitIgnored([root]);
  expect(["a/dist", "a/b/dist", "dist", ""].map((name) => isIgnored(path.join(root, name)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
