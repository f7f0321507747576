import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isOwnPath } from "./own-path.ts";

test.each([
  [".", true],
  ["deep/er", true],
  ["absent/er", true],
  ["link", false],
  ["link/er", false],
  ["circle", false],
])("%s is its own path: %s", (name, expected) => {
  const root = mkdtempSync(path.join(os.tmpdir(), "own-path-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(path.join(root, "deep/er"), { recursive: true });
  symlinkSync("deep", path.join(root, "link"));
  symlinkSync("circle", path.join(root, "circle"));
  expect(isOwnPath(path.join(root, name), root)).toBe(expected);
});
