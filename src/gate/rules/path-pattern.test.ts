import fc from "fast-check";
import ignore from "ignore";
import { describe, expect, test } from "vitest";
import { compilePath, escapePattern, matchesPath, mayMatchBelow, type PathPattern } from "./path-pattern.ts";

const places = { workspace: "/w/app", home: "/home/ann" };

function compile(text: string, folded = false): PathPattern {
  const pattern = compilePath(text, places, folded);
  if ("problem" in pattern) throw new Error(pattern.problem);
  return pattern;
}

describe("path patterns", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [".env", ["/w/app/.env", "/w/app/sub/.env", "/w/app/.env/x"], ["/w/.env", "/w/app/.envx", "/w/app/x.env"]],
    ["./.env", ["/w/app/.env"], ["/w/app/sub/.env"]],
    ["/src/**", ["/w/app/src", "/w/app/src/a", "/w/app/src/a/b"], ["/src/a", "/w/app/source/a", "/w/app/x/src/a"]],
    ["src/*.ts", ["/w/app/src/a.ts"], ["/w/app/src/deep/a.ts", "/w/app/x/src/a.ts"]],
    ["src/**/*.ts", ["/w/app/src/a.ts", "/w/app/src/deep/er/a.ts"], ["/w/app/src/a.js"]],
    ["*.ts", ["/w/app/a.ts", "/w/app/deep/a.ts"], ["/w/b.ts", "/w/app/a.tsx"]],
    ["build/", ["/w/app/build", "/w/app/x/build/y"], ["/w/app/builds"]],
    ["//etc/passwd", ["/etc/passwd"], ["/w/app/etc/passwd", "/etc/passwd2"]],
    ["//etc/**", ["/etc", "/etc/ssh/x"], ["/etcetera"]],
    ["~/.ssh/**", ["/home/ann/.ssh/id"], ["/home/ann/ssh", "/w/app/.ssh/id"]],
    ["**", ["/w/app", "/w/app/x/y"], ["/w", "/etc"]],
    ["a?c", ["/w/app/abc"], ["/w/app/ac", "/w/app/abbc"]],
    ["[a-c]x", ["/w/app/bx"], ["/w/app/dx"]],
    ["[!a]x", ["/w/app/bx"], ["/w/app/ax"]],
    ["src/{a,b}.{ts,js}", ["/w/app/src/a.ts", "/w/app/src/b.js"], ["/w/app/src/c.ts", "/w/app/src/{a,b}.ts"]],
    ["a\\*b", ["/w/app/a*b"], ["/w/app/axb"]],
    ["[", ["/w/app/["], ["/w/app/x"]],
  ])("%s", (text, match, noMatch) => {
    const pattern = compile(text);
    for (const path of match) expect({ path, matches: matchesPath(pattern, path) }).toEqual({ path, matches: true });
    for (const path of noMatch) expect({ path, matches: matchesPath(pattern, path) }).toEqual({ path, matches: false });
  });

  test.each(["", "!a", "../x", "a/../../b", "~root/x", "a\nb", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])(
    "%j is refused",
    (text) => {
      expect(compilePath(text, places, false)).toHaveProperty("problem");
    },
  );

  test("refusing folds letter case and Unicode, allowing does not", () => {
    expect(matchesPath(compile("Secrets/**", true), "/w/app/SECRETS/x")).toBe(true);
    expect(matchesPath(compile("caf\u00e9", true), "/w/app/cafe\u0301")).toBe(true);
    expect(matchesPath(compile("Secrets/**"), "/w/app/SECRETS/x")).toBe(false);
  });

  test("what may lie below a directory", () => {
    expect(mayMatchBelow(compile("/src/private/**"), "/w/app")).toBe(true);
    expect(mayMatchBelow(compile("/src/private/**"), "/w/app/src")).toBe(true);
    expect(mayMatchBelow(compile("/src/private/**"), "/w/app/test")).toBe(false);
    expect(mayMatchBelow(compile("*.key"), "/w/app/any/where")).toBe(true);
    expect(mayMatchBelow(compile("/src/x"), "/w")).toBe(true);
    expect(mayMatchBelow(compile("//etc/x"), "/w")).toBe(false);
    // A match of the directory itself is not below it.
    expect(mayMatchBelow(compile("/src"), "/w/app/src")).toBe(false);
  });

  test("an escaped path matches itself and nothing else", () => {
    const name = fc.string({
      unit: fc.constantFrom(..."ab*?[]{},!\\ .é~") as fc.Arbitrary<string>,
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(name, name, (one, other) => {
        fc.pre(!/^\.{1,2}$/.test(one) && !/^\.{1,2}$/.test(other));
        const pattern = compile(`/${escapePattern(one)}`);
        expect(matchesPath(pattern, `/w/app/${one}`)).toBe(true);
        expect(matchesPath(pattern, `/w/app/${other}`)).toBe(one === other);
      }),
    );
  });

  test("agrees with the gitignore reader on what it ignores", () => {
    const name = fc.constantFrom("a", "b", "ab", "*", "a*", "?", "[ab]", "**");
    const path = fc.array(fc.constantFrom("a", "b", "ab", "abc", "c"), { minLength: 1, maxLength: 4 });
    const slash = fc.boolean();
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), slash, path, (names, rooted, components) => {
        const text = `${rooted ? "/" : ""}${names.join("/")}`;
        // A trailing ** also covers the directory itself here, which gitignore leaves out.
        fc.pre(names.at(-1) !== "**");
        const relative = components.join("/");
        const theirs = ignore({ ignorecase: false }).add(text).ignores(relative);
        expect({ text, relative, ours: matchesPath(compile(text), `/w/app/${relative}`) }).toEqual({
          text,
          relative,
          ours: theirs,
        });
      }),
      { numRuns: 3000 },
    );
  });

  test("hostile patterns cost no more than their length", () => {
    const pattern = compile(`${"*a".repeat(60)}b/${"**/".repeat(60)}*${"a*".repeat(60)}x`, true);
    const path = `/w/app/${`${"a".repeat(250)}/`.repeat(12)}y`;
    expect(matchesPath(pattern, path)).toBe(false);
  });
});
