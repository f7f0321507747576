import { expect, test } from "vitest";
import { createMetadata } from "./metadata.ts";

test("tells what is there without following, and is silent about the rest", () => {
  const { lstat, readlink } = createMetadata();
  expect(lstat("/proc/self")).toMatchObject({ kind: "symlink" });
  expect(readlink("/proc/self")).toBe(String(process.pid));
  for (const path of ["/missing", "/etc/passwd/below", "/\0", `/${"n".repeat(300)}`, ""]) {
    expect(lstat(path)).toBeUndefined();
    expect(readlink(path)).toBeUndefined();
  }
  expect(readlink("/usr")).toBeUndefined();
});
