import { dirname } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isInside } from "../../contract/effect.ts";
import type { Metadata } from "../../contract/ports.ts";
import { closedPaths, isBelowOneOf } from "./closed-paths.ts";

const path = fc.array(fc.constantFrom("a", "b", "a-b"), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);

test("is below one of them, and not one of them by itself", () => {
  fc.assert(
    fc.property(path, fc.array(path), (one, others) => {
      const expected = others.some((other) => other !== one && isInside(one, other));
      expect(isBelowOneOf(one, new Set(others))).toBe(expected);
    }),
  );
});

test("very many closed paths cost no more than each by itself", () => {
  const paths = Array.from({ length: 60_000 }, (_, index) => `/w/${index}/.npmrc`);
  const stat = { size: 0, mtimeMs: 0, mode: 0, links: 1, inode: 1 };
  const metadata: Metadata = {
    lstat: (asked) => ({ ...stat, kind: asked.endsWith(".npmrc") ? "file" : "directory" }),
    readlink: () => undefined,
    entries: () => [],
  };
  const options = { roots: ["/w"], writable: new Set(["/w"]), metadata, isPlaceholder: () => false };
  const { closed, placeholders } = closedPaths([...paths, ...paths.slice(0, 9).map(dirname)], options);
  expect([closed.size, placeholders]).toEqual([60_000, []]);
});

test("a name below one that is kept free already is closed with that", () => {
  const stat = { size: 0, mtimeMs: 0, mode: 0, links: 1, inode: 1, kind: "directory" } as const;
  const metadata: Metadata = {
    lstat: (asked) => (asked === "/w/.git/HEAD" ? undefined : stat),
    readlink: () => undefined,
  };
  const options = { roots: ["/w"], writable: new Set(["/w"]), metadata };
  const isPlaceholder = (path: string) => path === "/w/.git";
  expect(closedPaths(["/w/.git/HEAD"], { ...options, isPlaceholder })).toEqual({
    closed: new Set(["/w/.git"]),
    placeholders: [{ path: "/w/.git", kind: "directory" }],
  });
});
