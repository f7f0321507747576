import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sameName } from "../../../test/support/same-name.ts";
import { mayBelongTo, menuNames } from "./menu-names.ts";

const onMenu = /^mcp__[A-Za-z0-9_-]{1,59}$/;
const hashed = (start: string) => expect.stringMatching(new RegExp(`^${start}_[0-9a-f]{8}$`));

describe("names on the menu", () => {
  test.each<[string, readonly (readonly [string, string])[], readonly unknown[]]>([
    ["plain ones stay", [["docs", "get-page"]], ["mcp__docs__get-page"]],
    ["odd characters are replaced", [["docs", "get page.now"]], ["mcp__docs__get_page_now"]],
    [
      "whoever is really called so keeps the name",
      [
        ["docs", "a.b"],
        ["docs", "a_b"],
      ],
      [hashed("mcp__docs__a_b"), "mcp__docs__a_b"],
    ],
    [
      "nobody keeps a name that nobody has",
      [
        ["docs", "a.b"],
        ["docs", "a/b"],
      ],
      [hashed("mcp__docs__a_b"), hashed("mcp__docs__a_b")],
    ],
    [
      "two servers cannot take each other's",
      [
        ["docs_", "x"],
        ["docs", "_x"],
      ],
      [hashed("mcp__docs___x"), hashed("mcp__docs___x")],
    ],
    ["long ones are cut", [["docs", "y".repeat(60)]], [hashed(`mcp__docs__${"y".repeat(44)}`)]],
  ])("%s", (_what, tools, names) => {
    expect(menuNames(tools.map(([server, tool]) => ({ server, tool })))).toEqual(names);
  });

  test("a server that looks for it finds two with the same part of a hash, and they are the same in any order", () => {
    const names = menuNames(sameName.map((tool) => ({ server: "docs", tool })));
    expect(new Set(names)).toEqual(new Set(["mcp__docs__read_the_quarterly_report_of_the_department__3bdb6f0d"]));
    expect(menuNames(sameName.toReversed().map((tool) => ({ server: "docs", tool })))).toEqual(names);
  });

  test("every one is allowed, different, and the same in any order", () => {
    const identity = fc.record({
      server: fc.constantFrom("a", "a_", "docs", "my-server"),
      tool: fc.oneof(fc.string({ minLength: 1, maxLength: 90 }), fc.constantFrom("a.b", "a_b", "a/b", "_x", "x")),
    });
    const distinct = fc.uniqueArray(identity, { selector: ({ server, tool }) => `${server} ${tool}` });
    fc.assert(
      fc.property(distinct, (tools) => {
        const names = menuNames(tools);
        expect(names.every((name) => onMenu.test(name))).toBe(true);
        expect(new Set(names).size).toBe(tools.length);
        expect(menuNames(tools.toReversed()).toReversed()).toEqual(names);
        expect(tools.every(({ server }, at) => mayBelongTo(names[at] ?? "", server))).toBe(true);
      }),
    );
  });
});
