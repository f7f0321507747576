import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";

test.each<[Readonly<Record<string, string>>, boolean]>([
  [{}, true],
  [{ "json.ts": "x", "notes.py": "x" }, true],
  [{ "json.py": "x" }, false],
  [{ "argparse/__init__.py": "x" }, false],
  // The parts of a module that are written in C are looked for in the working directory as well.
  [{ "_json.py": "x" }, false],
  [{ "_json.cpython-311-x86_64-linux-gnu.so": "x" }, false],
])("beside %j python3 -m json.tool only reads: %s", (files, reads) => {
  const { effects } = makeFixture({ "a.json": "{}", ...files }).shell("python3 -m json.tool a.json");
  expect(effects.every(({ op }) => op === "read")).toBe(reads);
});
