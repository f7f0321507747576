import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../test/gate-matrix/shell-project.ts";

describe("the narrower tool", () => {
  test.each<[string, string, Record<string, unknown>]>([
    ["cat src/a.ts", "read", { path: "src/a.ts" }],
    ["cat -n src/a.ts", "read", { path: "src/a.ts" }],
    ["head src/a.ts", "read", { path: "src/a.ts", limit: 10 }],
    ["head -n 5 src/a.ts", "read", { path: "src/a.ts", limit: 5 }],
    ["tail -20 src/a.ts", "read", { path: "src/a.ts", tail: 20 }],
    ["sed -n 10,20p src/a.ts", "read", { path: "src/a.ts", offset: 10, limit: 11 }],
    ["sed -n '7p' src/a.ts", "read", { path: "src/a.ts", offset: 7, limit: 1 }],
    ["wc -l src/a.ts", "read", { path: "src/a.ts", limit: 1 }],
    ["ls", "list", { path: "." }],
    ["ls -la src", "list", { path: "src" }],
    ["find . -name '*.ts'", "glob", { pattern: "**/*.ts" }],
    ["find src -type f -name '*.ts'", "glob", { pattern: "**/*.ts", path: "src", kind: "file" }],
    ["find . -type d -name x", "glob", { pattern: "**/x", kind: "directory" }],
    ["tree -L 2 src", "list", { path: "src", depth: 2 }],
    ["grep -rn foo src", "grep", { pattern: "foo", path: "src" }],
    ["grep -rni foo .", "grep", { pattern: "foo", ignore_case: true }],
    ["grep -rn --include='*.ts' foo", "grep", { pattern: "foo", glob: "*.ts" }],
    ["grep -R foo src", "grep", { pattern: "foo", path: "src" }],
    ["grep -F 'a(b' src/a.ts", "grep", { pattern: "a(b", path: "src/a.ts", literal: true }],
    ["egrep 'a|b' src/a.ts", "grep", { pattern: "a|b", path: "src/a.ts" }],
    ["grep -rl foo src", "grep", { pattern: "foo", path: "src", files_only: true }],
    ["grep -rn -C 3 foo src", "grep", { pattern: "foo", path: "src", context: 3 }],
    ["sed -n '5,9p;9q' src/a.ts", "read", { path: "src/a.ts", offset: 5, limit: 5 }],
    ["rg -l -i foo", "grep", { pattern: "foo", ignore_case: true, files_only: true }],
    ["rg 'a|b' src", "grep", { pattern: "a|b", path: "src" }],
    ["cat src/a.ts 2>/dev/null", "read", { path: "src/a.ts" }],
    ["cat src/a.ts | head -30", "read", { path: "src/a.ts", limit: 30 }],
    ["head -50 src/a.ts | head", "read", { path: "src/a.ts", limit: 10 }],
    ["grep -rn foo src | head -n 20", "grep", { pattern: "foo", path: "src", limit: 20 }],
    ["find . -name '*.ts' 2>/dev/null | head -n5", "glob", { pattern: "**/*.ts", limit: 5 }],
  ])("%s → %s", (text, tool, input) => {
    expect(makeShellProject().shell(text).next).toEqual({ tool, input });
  });

  test.each([
    "cat a b",
    "cat -A a",
    "cat a | wc",
    "ls | head -5",
    "tail -5 a | head -2",
    "grep -rn -C 2 foo src | head -5",
    "cat a | head -c 5",
    "cat a | head -3 | wc",
    "cat a | head -3 > b",
    "cat a > b",
    "head -c 5 a",
    "tail -n +3 a",
    "sed -n '$p' a",
    "ls -R",
    "ls a b",
    "find . -mtime 1",
    "find . -type l -name x",
    "find . -name x -delete",
    "find . -name x -exec cat {} +",
    "tree",
    "grep -rn -C 99 foo src",
    "grep 'a\\|b' x",
    "grep -c x y",
    "wc a",
    "echo x",
  ])("%s has none", (text) => {
    expect(makeShellProject().shell(text).next).toBeUndefined();
  });

  test("paths are given as the tools take them", () => {
    const { shell, path } = makeShellProject();
    expect(shell("cat a.ts", path("src")).next).toEqual({ tool: "read", input: { path: path("src/a.ts") } });
  });
});
