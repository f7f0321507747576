import { expect, test } from "vitest";
import { compileRules } from "./compile-rules.ts";
import { escapePattern, matchesPath } from "./path-pattern.ts";

const places = { workspace: "/srv/app", home: "/home/ada" };

/** By a rule as it is written down, because that is what a remembered one goes through. */
function covers(rule: string, action: "allow" | "deny", path: string): boolean {
  const texts = [{ text: rule, action, layer: "user" as const, origin: "user.json", match: [], noMatch: [] }];
  const target = compileRules(texts, places).rules[0]?.target;
  return target?.kind === "path" && target.pattern !== undefined && matchesPath(target.pattern, path);
}

test.each(["a ", "a\t", "dir/ ", "a\u00a0", "\\ ", "a*", "[a]", "{a,b}", "!a", "a\\", "**"])(
  "%j is named by its escaped form, and nothing else is",
  (name) => {
    const rule = `Edit(/dir/${escapePattern(name)})`;
    expect(covers(rule, "allow", `/srv/app/dir/${name}`)).toBe(true);
    expect(covers(rule, "deny", `/srv/app/dir/${name}`)).toBe(true);
    for (const other of ["a", "b", "x", "aa", "dir", "dir/x"]) {
      expect({ other, covered: covers(rule, "allow", `/srv/app/dir/${other}`) }).toEqual({ other, covered: false });
    }
  },
);

test.each([
  ["stra\u00dfe", "STRASSE"],
  ["\u00e9", "E\u0301"],
  ["\ufb01le", "FILE"],
  ["\u03a3\u03c2", "\u03c3\u03c3"],
])("a denial of %j is one of %j, and permission is not", (written, spelled) => {
  expect(covers(`Edit(/${written})`, "deny", `/srv/app/${spelled}`)).toBe(true);
  expect(covers(`Edit(/${written})`, "allow", `/srv/app/${spelled}`)).toBe(false);
});
