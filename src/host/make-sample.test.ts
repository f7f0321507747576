import { existsSync, readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { makeSample } from "./make-sample.ts";

test("files, a script beside them, and nothing when it was removed", () => {
  const made = makeSample({ "src/a.js": "one\n", "b.txt": "two\n" }, "{}");
  if (!made.ok) throw new Error(made.failure.message);
  const { project, script, state, remove } = made.value;
  try {
    expect(readFileSync(path.join(project, "src/a.js"), "utf8")).toBe("one\n");
    expect(readFileSync(script, "utf8")).toBe("{}");
    // What a model can write does not hold its own log or its own script.
    expect([script, state].some((file) => file.startsWith(project))).toBe(false);
  } finally {
    remove();
  }
  expect(existsSync(path.dirname(project))).toBe(false);
});

test("a place that cannot be made is told, and nothing of it is left", () => {
  const left = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith("gauntlet-demo-"));
  const before = new Set(left());
  expect(makeSample({ "\0": "" }, "{}")).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  const mine = left().filter((name) => !before.has(name) && !existsSync(path.join(os.tmpdir(), name, "model.json")));
  expect(mine).toEqual([]);
});
