import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pathClasses } from "../../../test/tables/examples.ts";
import { closedToReading } from "../../effects/classify-path.ts";
import { closedLines, gitAttributes } from "./attributes.ts";

let root: string;
const closedNames = closedLines(closedToReading);
const plain = { closed: "", paths: [], withoutDiffDrivers: false, withoutFilters: false, withoutMergeDrivers: false };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "attributes-"));
  execFileSync("git", ["init", "--quiet", root]);
  // Whatever the repository says about itself.
  writeFileSync(join(root, ".gitattributes"), "* diff=python filter=x\n*.env diff\n.env diff text\n");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What git itself makes of them. */
function attributesOf(
  text: string,
  attribute: string,
  paths: readonly string[],
): readonly (readonly [string, string])[] {
  writeFileSync(join(root, ".git/info/attributes"), text);
  const out = execFileSync("git", ["check-attr", "-z", attribute, "--", ...paths], { cwd: root, encoding: "utf8" });
  const fields = out.split("\0");
  return paths.map((path, index) => [path, fields[index * 3 + 2] ?? ""]);
}

test("every name that is closed to reading is closed in history, wherever it lies", () => {
  const text = gitAttributes({ ...plain, closed: closedNames });
  const isRelative = (path: string) => !path.startsWith("/");
  const closedKinds = new Set(closedToReading.map(({ what }) => what));
  const closedClasses = pathClasses.filter(({ what }) => closedKinds.has(what));
  const closed = closedClasses.flatMap(({ examples }) => examples.match).filter(isRelative);
  expect(attributesOf(text, "diff", closed)).toEqual(closed.map((path) => [path, "unset"]));
  const deep = closed.map((path) => `a/b c/${path}`);
  expect(attributesOf(text, "diff", deep)).toEqual(deep.map((path) => [path, "unset"]));
});

test("paths are taken by the letter", () => {
  const paths = ["private/notes.txt", "odd [name]*.txt", 'with "quotes" and \\', "#first", "!second", "dir"];
  const text = gitAttributes({ ...plain, paths });
  const below = [...paths, "dir/deep/x"];
  expect(attributesOf(text, "diff", below)).toEqual(below.map((path) => [path, "unset"]));
  const others = ["odd n.txt", "sub/private/notes.txt", "notes.txt", "dirx"];
  expect(attributesOf(text, "diff", others)).toEqual(others.map((path) => [path, "python"]));
});

test("drivers and filters are taken away from every path, and closed files stay closed", () => {
  const text = gitAttributes({
    closed: closedNames,
    paths: [],
    withoutDiffDrivers: true,
    withoutFilters: true,
    withoutMergeDrivers: true,
  });
  expect(attributesOf(text, "filter", ["a.txt", ".env"])).toEqual([
    ["a.txt", "unset"],
    [".env", "unset"],
  ]);
  expect(attributesOf(text, "diff", ["a.txt", ".env"])).toEqual([
    ["a.txt", "unspecified"],
    [".env", "unset"],
  ]);
});
