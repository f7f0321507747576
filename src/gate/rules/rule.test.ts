import { describe, expect, test } from "vitest";
import { expiryOf, isLive, matchesHost, matchesServer, namesServerTool } from "./rule.ts";

describe("rules about servers", () => {
  const search = { server: "docs", tool: "search" };

  test.each([
    [{ server: "docs" }, search, true],
    [{ server: "docs", tool: "search" }, search, true],
    [{ server: "docs", tool: "delete" }, search, false],
    [{ server: "other" }, search, false],
    [{ server: "other", tool: "search" }, search, false],
    [{ server: "*" }, search, true],
    [{ server: "*", tool: "delete" }, search, false],
    [{ server: "" }, search, false],
  ])("%j and the call %j: %s", (target, call, expected) => {
    expect(matchesServer(target, call)).toBe(expected);
  });

  test.each([
    [{ server: "docs" }, "mcp__docs__search", true],
    [{ server: "docs", tool: "search" }, "mcp__docs__search", true],
    [{ server: "docs", tool: "search" }, "mcp__docs__search_all", false],
    [{ server: "docs" }, "mcp__docs2__search", false],
    [{ server: "docs" }, "docs", false],
    [{ server: "*" }, "mcp__docs__search", true],
    [{ server: "*" }, "bash", false],
    [{ server: "*" }, "read_mcp__", false],
    [{ server: "" }, "mcp__docs__search", false],
  ])("%j and the tool %s: %s", (target, name, expected) => {
    expect(namesServerTool(target, name)).toBe(expected);
  });
});

test.each([
  [false, "example.com", true],
  [false, "EXAMPLE.com.", true],
  [false, "a.example.com", false],
  [false, "badexample.com", false],
  [true, "a.b.example.com", true],
  [true, "badexample.com", false],
  [true, "example.com.evil.org", false],
  [true, "example.com", true],
])("a rule for example.com, below it %s, and %s: %s", (below, host, expected) => {
  expect(matchesHost({ host: "example.com", below }, host)).toBe(expected);
});

test.each([
  // A day counts to its end, a moment is a moment.
  ["2026-02-28", "2026-03-01T00:00:00Z"],
  ["2026-02-28T12:00:00Z", "2026-02-28T12:00:00Z"],
  ["Sat, 28 Feb 2026 00:00:00 GMT", "2026-02-28T00:00:00Z"],
])("%s ends at %s", (expires, end) => {
  const expiresAt = expiryOf(expires);
  expect(expiresAt).toBe(Date.parse(end));
  expect([isLive({ expiresAt }, expiresAt - 1), isLive({ expiresAt }, expiresAt)]).toEqual([true, false]);
});

test("what is no date is no moment, and a rule without an end lives on", () => {
  expect(expiryOf("soon")).toBeNaN();
  expect(isLive({}, Number.MAX_SAFE_INTEGER)).toBe(true);
});
