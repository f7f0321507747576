import { expect, test } from "vitest";
import type { Grant } from "../../contract/verdict.ts";
import { compileRules } from "./compile-rules.ts";
import { samplingStance } from "./match-rules.ts";

const places = { home: "/home/ada", workspace: "/project" };
const now = Date.parse("2026-01-01T00:00:00Z");
const clock = { now: () => now };
const named = "mcp__docs__sampling/createMessage";

function stance(rules: readonly (readonly ["allow" | "ask" | "deny", string])[], grants: readonly Grant[] = []) {
  const texts = rules.map(([action, text]) => ({
    action,
    text,
    layer: "user" as const,
    origin: "test",
    match: [],
    noMatch: [],
  }));
  return samplingStance("docs", { rules: compileRules(texts, places).rules, clock }, grants);
}

test.each<[Parameters<typeof stance>[0], ReturnType<typeof stance>]>([
  [[], { decision: "ask" }],
  [[["allow", "mcp__docs"]], { decision: "ask" }],
  [[["allow", "mcp__docs__*"]], { decision: "ask" }],
  [[["allow", "mcp__other__sampling/createMessage"]], { decision: "ask" }],
  [[["allow", named]], { decision: "allow", rule: named }],
  [
    [
      ["allow", named],
      ["ask", "mcp__docs"],
    ],
    { decision: "ask", rule: "mcp__docs" },
  ],
  [
    [
      ["allow", named],
      ["deny", "mcp__docs"],
    ],
    { decision: "deny", rule: "mcp__docs" },
  ],
  [
    [
      ["allow", named],
      ["deny", "mcp__*"],
    ],
    { decision: "deny", rule: "mcp__*" },
  ],
  [
    [
      ["allow", named],
      ["deny", "mcp__docs__search"],
    ],
    { decision: "allow", rule: named },
  ],
])("%j says %j", (rules, expected) => {
  expect(stance(rules)).toEqual(expected);
});

test("a grant of the session allows it until it ends, and none for anything else does", () => {
  const grant = { rule: named, request: "req_1" };
  expect(stance([], [grant])).toEqual({ decision: "allow", rule: named });
  expect(stance([], [{ ...grant, expiresAt: "2025-12-31T23:59:59Z" }])).toEqual({ decision: "ask" });
  expect(stance([], [{ rule: "mcp__docs", request: "req_1" }])).toEqual({ decision: "ask" });
  expect(stance([["deny", named]], [grant])).toEqual({ decision: "deny", rule: named });
});
