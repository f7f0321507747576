import fc from "fast-check";
import { expect, test } from "vitest";
import { rankTools } from "./rank-tools.ts";

const entries = [
  { name: "mcp__github__create_issue", description: "Create a new issue in a repository." },
  { name: "mcp__github__list_issues", description: "List the issues of a repository." },
  { name: "mcp__github__mergePullRequest", description: "Merge a pull request." },
  { name: "mcp__slack__post_message", description: "Post a message to a channel.", searchHint: "chat write say" },
  { name: "mcp__db__query", description: "Run a read-only SQL query against the database." },
];

test.each([
  ["create issue", "mcp__github__create_issue"],
  ["mcp__db__query", "mcp__db__query"],
  ["merge pull requests", "mcp__github__mergePullRequest"],
  ["say something in chat", "mcp__slack__post_message"],
  ["run sql", "mcp__db__query"],
  ["list the open issues of a repository", "mcp__github__list_issues"],
])("%s", (query, best) => {
  expect(rankTools(query, entries)[0]?.name).toBe(best);
});

test("what nothing speaks of is not there", () => {
  expect(rankTools("weather forecast", entries)).toEqual([]);
  expect(rankTools("  the of ", entries)).toEqual([]);
});

test("property: the order of what is given does not matter, and nothing is invented or twice", () => {
  fc.assert(
    fc.property(fc.string(), fc.shuffledSubarray(entries, { minLength: entries.length }), (query, shuffled) => {
      const ranked = rankTools(query, shuffled);
      expect(ranked).toEqual(rankTools(query, entries));
      expect(new Set(ranked).size).toBe(ranked.length);
    }),
  );
});
