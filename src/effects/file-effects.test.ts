import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { deleteEffect, listEffect, readEffect, resolveEntry, writeEffect } from "./file-effects.ts";

test("each builder names its operation and the resolved path", () => {
  const { root, view } = makeFixture({ "src/a.ts": "x" });
  const path = { written: "src/a.ts", resolved: `${root}/src/a.ts`, kind: "file" };
  expect(readEffect(view, "src/a.ts", "file")).toEqual({ op: "read", path, scope: "file" });
  expect(listEffect(view, "src/a.ts", "file")).toEqual({ op: "list", path, scope: "file" });
  expect(writeEffect(view, "src/a.ts", "file")).toEqual({ op: "write", path, scope: "file" });
  expect(deleteEffect(view, "src/a.ts", "tree")).toEqual({ op: "delete", path, scope: "tree" });
  expect(readEffect(view, "a.ts", "file", `${root}/src`)).toEqual({
    op: "read",
    path: { ...path, written: "a.ts" },
    scope: "file",
  });
});

test("a path that cannot be followed is unknown, with the reason", () => {
  const { view } = makeFixture();
  expect(readEffect(view, "a\0", "file")).toEqual({ op: "unknown", why: expect.stringContaining("NUL") });
  expect(deleteEffect(view, "~root/x", "file")).toMatchObject({ op: "unknown" });
});

test("deleting a link names the link, reading it names the target", () => {
  const { root, home, view, link } = makeFixture({ "a.txt": "x" });
  link("away", home);
  link("nowhere", "none");
  link("loop", "loop");
  const entry = (name: string) => ({ ok: true, value: { written: name, resolved: `${root}/${name}`, kind: "file" } });
  expect(resolveEntry(view, "away")).toEqual(entry("away"));
  expect(resolveEntry(view, "nowhere")).toEqual(entry("nowhere"));
  expect(resolveEntry(view, "loop")).toEqual(entry("loop"));
  expect(resolveEntry(view, "a.txt")).toEqual(entry("a.txt"));
  expect(resolveEntry(view, "away/")).toMatchObject({ value: { resolved: home } });
  expect(resolveEntry(view, "away/x")).toMatchObject({ value: { resolved: `${home}/x` } });
  expect(readEffect(view, "away", "file")).toMatchObject({ path: { resolved: home } });
});
