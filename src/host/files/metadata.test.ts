import { expect, test } from "vitest";
import { createMetadata } from "./metadata.ts";

test("tells what is there without following, and what is not", () => {
  const { lstat, readlink } = createMetadata();
  expect(lstat("/proc/self")).toMatchObject({ kind: "symlink" });
  expect(readlink("/proc/self")).toBe(String(process.pid));
  for (const path of ["/missing", "/etc/passwd/below", "/\0", ""]) {
    expect(lstat(path)).toBeUndefined();
    expect(readlink(path)).toBeUndefined();
  }
});

test("what cannot be looked at is not called absent", () => {
  const { lstat, readlink } = createMetadata();
  expect(() => lstat(`/${"n".repeat(300)}`)).toThrow("ENAMETOOLONG");
  expect(() => readlink("/usr")).toThrow("EINVAL");
});
