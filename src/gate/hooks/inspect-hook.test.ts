import { expect, test } from "vitest";
import type { HookEvent, HookHandler, HookSetting } from "../../contract/settings.ts";
import { inspectHook } from "./compile-hooks.ts";

function inspect(event: HookEvent, matcher: string | undefined, handler: Partial<HookHandler> = {}) {
  const setting: HookSetting = {
    event,
    ...(matcher === undefined ? {} : { matcher }),
    handler: { type: "command", command: "./check", ...handler },
    layer: "user",
    origin: "settings.json",
  };
  return inspectHook(setting, { workspace: "/w", home: "/home/me" });
}

test.each<[HookEvent, string | undefined]>([
  ["PreToolUse", undefined],
  ["PreToolUse", "Bash"],
  ["PostToolUse", "Write|Edit"],
  ["PermissionRequest", "*"],
  ["PreToolUse", "mcp__docs__.*"],
  ["SessionStart", "startup"],
  ["Stop", ""],
])("nothing is wrong with a hook on %s for %j", (event, matcher) => {
  expect(inspect(event, matcher)).toBeUndefined();
});

test("a hook that waits for a tool that nobody knows is pointed out, with the one that was meant", () => {
  expect(inspect("PreToolUse", "Raed")).toEqual({
    level: "warning",
    key: "matcher",
    message: '"Raed" matches no built-in tool; did you mean Read?',
  });
  expect(inspect("PostToolUseFailure", "Zzzzzz")).toEqual({
    level: "warning",
    key: "matcher",
    message: '"Zzzzzz" matches no built-in tool',
  });
});

test("a hook that could never be used is a mistake of the key that says so", () => {
  expect(inspect("PreToolUse", "(")).toMatchObject({ level: "error", key: "matcher" });
  expect(inspect("Stop", "Bash")).toEqual({
    level: "error",
    key: "matcher",
    message: "Stop does not support a matcher",
  });
  expect(inspect("PreToolUse", "Bash", { writes: true })).toEqual({
    level: "error",
    key: "writes",
    message: "only a hook that runs after a tool may write",
  });
  expect(inspect("PostToolUse", "Bash", { writes: true })).toBeUndefined();
  expect(inspect("PreToolUse", "Bash", { if: "Bash(git push:*)" })).toBeUndefined();
  expect(inspect("PreToolUse", "Bash", { if: "Bash(" })).toEqual({
    level: "error",
    key: "if",
    message: '"if": write a rule as Tool or Tool(pattern)',
  });
  expect(inspect("SessionStart", "startup", { if: "Bash(ls)" })).toEqual({
    level: "error",
    key: "if",
    message: '"if" matches tool calls, and SessionStart is not about a tool call',
  });
});
