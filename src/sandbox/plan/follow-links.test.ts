import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMetadata } from "../../host/files/metadata.ts";
import { followLinks } from "./closed-paths.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "follow-")));
  mkdirSync(join(root, "releases/one"), { recursive: true });
  mkdirSync(join(root, "releases/shared"));
  writeFileSync(join(root, "releases/shared/settings"), "");
  symlinkSync("releases/one", join(root, "current"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ["settings", "current/../shared/settings"],
  ["settings", "./releases//shared/./settings"],
  ["settings", "current/../../releases/shared/settings"],
])("%s is found behind %s, where the kernel finds it", (_, target) => {
  symlinkSync(target, join(root, ".env"));
  const found = followLinks(join(root, ".env"), createMetadata());
  expect(found).toBe(realpathSync.native(join(root, ".env")));
  expect(found).toBe(join(root, "releases/shared/settings"));
});

test("an absolute link starts at the top, and what is missing is no link", () => {
  symlinkSync(`${root}/current/../shared/new`, join(root, "link"));
  expect(followLinks(join(root, "link"), createMetadata())).toBe(join(root, "releases/shared/new"));
});

test("a circle leads nowhere", () => {
  symlinkSync("b", join(root, "a"));
  symlinkSync("a", join(root, "b"));
  expect(followLinks(join(root, "a"), createMetadata())).toBeUndefined();
});
