import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aimsAtClosed, matchesName } from "./match-pattern.ts";

const pattern = fc.array(fc.constantFrom("*", "**", "?", "a", "b", ".", "+"), { maxLength: 6 });

const meaning = new Map([
  ["*", ".*"],
  ["**", ".*"],
  ["?", "."],
  [".", "\\."],
  ["+", "\\+"],
]);

test("a pattern matches what the same regular expression matches", () => {
  fc.assert(
    fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", ".", "+"), maxLength: 6 }), (signs, name) => {
      const same = new RegExp(`^${signs.map((sign) => meaning.get(sign) ?? sign).join("")}$`);
      expect(matchesName(signs.join(""), name)).toBe(same.test(name));
    }),
    { numRuns: 2_000 },
  );
});

test("a pattern that is too long may match anything", () => {
  expect(matchesName(`${"a".repeat(2_000)}*`, "b")).toBe(true);
  expect(aimsAtClosed(`${"a/".repeat(4_000)}*`)).toBe(true);
});

test("patterns for closed files are told from others", () => {
  expect(["*.env", ".e*", "src/**/.npm?c", "ID_RS*"].map(aimsAtClosed)).toEqual([true, true, true, true]);
  expect(["*.ts", "*", "src/**", "?"].map(aimsAtClosed)).toEqual([false, false, false, false]);
});

const names = ["link", "l]nk", "l[i]nk", "l[i]nk2", "lxnk", "l\u00e9nk", "l\u{1f600}nk", "line"];
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-names-"));
  for (const name of names) writeFileSync(path.join(directory, name), "");
});
afterAll(() => rmSync(directory, { recursive: true }));

// As it is written, and as it stands after quotes are gone.
test.each([
  ["l[[:alpha:]]nk", "l[[:alpha:]]nk"],
  ["l[]i]nk", "l[]i]nk"],
  ["l[!]x]nk", "l[!]x]nk"],
  ["l[[.i.]]nk", "l[[.i.]]nk"],
  ['l"["i]nk*', "l[i]nk*"],
  ["l['i'x]n[k]", "l[ix]n[k]"],
  ["l\\[i[]]nk?", "l[i[]]nk?"],
  ["l?nk", "l?nk"],
  ["l??nk", "l??nk"],
  ["l????nk", "l????nk"],
  ["[l]i*", "[l]i*"],
])("whatever bash matches with %s is matched", (word, value) => {
  for (const LC_ALL of ["C", "C.UTF-8"]) {
    const env = { PATH: process.env.PATH, LC_ALL };
    const text = `shopt -s nullglob; printf '%s\\0' ${word}`;
    const printed = execFileSync("bash", ["--noprofile", "--norc", "-c", text], { cwd: directory, env });
    const matched = printed.toString().split("\0").filter(Boolean);
    expect(matched.filter((name) => !matchesName(value, name))).toEqual([]);
  }
});
