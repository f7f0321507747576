import { describe, expect, test } from "vitest";
import type { Effect } from "../contract/effect.ts";
import type { ChangedFile } from "../contract/ports.ts";
import { declaredChanges } from "./declared-changes.ts";

const root = "/w";
const file = (op: "write" | "delete", path: string, scope: "file" | "tree" = "file"): Effect => ({
  op,
  path: { written: path, resolved: `${root}/${path}`, kind: "file" },
  scope,
});
const runs = (words: string): Effect => ({ op: "exec", program: words.split(" ")[0] ?? "", argv: words.split(" ") });
const opaque: Effect = { op: "unknown", why: "nobody knows" };

type Change = readonly [change: ChangedFile["change"], path: string, to?: string];

function declared(effects: readonly Effect[], [change, path, to]: Change, made: readonly string[] = []): boolean {
  const declares = declaredChanges({ effects, cwd: root, roots: [root] });
  const moved = to === undefined ? {} : { to: `${root}/${to}` };
  return declares({ path: `${root}/${path}`, change, ...moved }, (one) => made.includes(one));
}

describe("what a call said that it would change", () => {
  test.each<[string, readonly Effect[], Change, boolean]>([
    ["a file that it names", [file("write", "a")], ["modified", "a"], true],
    ["another one", [file("write", "a")], ["modified", "b"], false],
    ["one that it names beside something opaque", [file("write", "a"), opaque], ["modified", "a"], true],
    ["a removal that it did not speak of", [file("write", "a")], ["deleted", "a"], false],
    ["a removal", [file("delete", "d", "tree"), opaque], ["deleted", "d/x"], true],
    ["what is made anew below what it removes", [file("delete", "d", "tree"), opaque], ["modified", "d/x"], false],
    ["what is put in the place of it", [file("delete", "d", "tree"), opaque], ["created", "d"], true],
    ["below a tree", [file("write", "src", "tree")], ["modified", "src/x"], true],
    ["below a tree, beside something opaque", [file("write", "src", "tree"), opaque], ["modified", "src/x"], false],
    ["a move", [file("delete", "a"), file("write", "b"), opaque], ["moved", "a", "b"], true],
    ["a move to where it did not say", [file("delete", "a"), opaque], ["moved", "a", "b"], false],
    ["all that an unknown program does", [runs("npm test")], ["modified", "a"], false],
    ["a formatter below its operand", [runs("prettier --write src")], ["modified", "src/a.ts"], true],
    ["a formatter beside it", [runs("prettier --write src")], ["modified", "notes.md"], false],
    ["a formatter that only looks", [runs("prettier --check src")], ["modified", "src/a.ts"], false],
    ["one through a launcher", [runs("npx --yes eslint --fix src/**/*.ts")], ["modified", "src/x/a.ts"], true],
    ["one of Python", [runs("python3 -m black .")], ["modified", "a.py"], true],
    ["one with a test behind it", [runs("black ."), runs("npm test")], ["modified", "a.py"], false],
    ["its very operand", [runs("black a.py"), runs("npm test")], ["modified", "a.py"], true],
    ["a package manager's books", [runs("npm install left-pad")], ["modified", "package.json"], true],
    ["what its scripts do", [runs("npm install left-pad")], ["modified", "src/a.ts"], false],
    ["a script of it", [runs("npm run install")], ["modified", "package.json"], false],
    ["git's books", [runs("git -c a=b commit -m x")], ["modified", ".git/index"], true],
    ["a tree that git only records", [runs("git add -A")], ["modified", "a"], false],
    ["a tree that git writes", [runs("git checkout other")], ["deleted", "a"], true],
    ["git's books while something else runs", [runs("git commit"), opaque], ["modified", ".git/index"], false],
  ])("%s", (_name, effects, change, expected) => {
    expect(declared(effects, change)).toBe(expected);
  });

  test("a tree that is new belongs to whoever said that it would be there", () => {
    const copies = [file("write", "lib", "tree"), opaque];
    expect([declared(copies, ["created", "lib/a"]), declared(copies, ["created", "lib/a"], ["/w/lib"])]).toEqual([
      false,
      true,
    ]);
  });

  test("a link that is replaced counts by its own name", () => {
    const effects: readonly Effect[] = [
      { op: "write", path: { written: "link", resolved: "/w/target", kind: "file" }, scope: "file" },
    ];
    expect([declared(effects, ["modified", "link"]), declared(effects, ["modified", "target"])]).toEqual([true, true]);
  });
});
