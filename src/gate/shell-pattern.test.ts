import { describe, expect, test } from "vitest";
import { expandPattern, pathMatch } from "./shell-pattern.ts";

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

describe("what a pattern becomes", () => {
  const tree: Readonly<Record<string, readonly string[]>> = {
    "/p/[x]": ["a", "ab", ".c"],
    "/p/[x]/a": ["1.js", "2.py"],
    "/p/[x]/ab": ["3.js"],
    "/": ["p"],
  };
  const namesIn = (directory: string) => tree[directory] ?? [];

  test.each([
    ["a*/*.js", ["/p/[x]/a/1.js", "/p/[x]/ab/3.js"]],
    ["./a?", ["/p/[x]/ab"]],
    ["*/none.js", ["/p/[x]/a/none.js", "/p/[x]/ab/none.js"]],
    [".*", ["/p/[x]/.c"]],
    ["x*", []],
    ["../[[]x]/a/*.py", []],
    ["/*", ["/p"]],
  ])("%s: %j", (pattern, expected) => {
    expect(expandPattern(pattern, "/p/[x]", namesIn)).toEqual(expected);
  });

  test("is not told where it is too much", () => {
    const many = Array.from({ length: 200 }, (_, at) => `${at}`);
    expect(expandPattern("*/*/*", "/p", () => many)).toBeUndefined();
  });
});
