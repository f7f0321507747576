import { expect, test } from "vitest";
import { pathMatch } from "./shell-pattern.ts";

test.each([
  ["/p/a/*.js", "/p/a/b.js", true],
  ["/p/*/b.js", "/p/.a/b.js", false],
  ["/p/.*/b.js", "/p/.a/b.js", true],
  ["/p/.[[:alpha:]]/b.js", "/p/.a/b.js", true],
  ["/p/*.js", "/p/a/b.js", false],
  ["/p/**/b.js", "/p/b.js", true],
  ["/p/**/b.js", "/p/a/c/b.js", true],
  ["/p/**/b.js", "/p/.a/c/b.js", false],
  ["/p/.a/**", "/p/.a/c/b.js", true],
  ["/p/**/c/**/b.js", "/p/a/c/d/e/b.js", true],
  ["/p/**/c/**/b.js", "/p/a/d/b.js", false],
])("%s matches %s: %s", (pattern, path, expected) => {
  expect(pathMatch(pattern)(path)).toBe(expected);
});

test("a pattern of nothing but directories costs no more than its length", () => {
  expect(pathMatch(`/${"**/".repeat(200)}x`)(`/${"a/".repeat(200)}y`)).toBe(false);
});
