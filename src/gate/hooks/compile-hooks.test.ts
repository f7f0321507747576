import { describe, expect, test } from "vitest";
import { z } from "zod";
import { policyFor, questionOf } from "../../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../../test/gate-matrix/fixture.ts";
import type { HookEvent, HookHandler, HookSetting } from "../../contract/settings.ts";
import { defineTool, type Tool } from "../../contract/tool.ts";
import { compileHooks } from "./compile-hooks.ts";
import { type Occasion, postToolUse, preCompact, preToolUse, sessionStart, stop } from "./occasion.ts";

function setting(event: HookEvent, matcher: string | undefined, handler: Partial<HookHandler> = {}): HookSetting {
  return {
    event,
    ...(matcher === undefined ? {} : { matcher }),
    handler: { type: "command", command: "./check", ...handler },
    layer: "user",
    origin: "settings.json",
  };
}

function compile(...settings: readonly HookSetting[]) {
  const fixture = makeFixture({ "a.txt": "x", "src/b.ts": "x" });
  const places = { workspace: fixture.root, home: fixture.home };
  const ask = (call: string, tool?: Tool) => questionOf(fixture, call, tool === undefined ? {} : { tool });
  return { ...compileHooks(settings, places, policyFor(fixture)), ask };
}

describe("a matcher", () => {
  test.each<[string | undefined, string, boolean]>([
    [undefined, "read a.txt", true],
    ["", "read a.txt", true],
    ["*", "read a.txt", true],
    [".*", "read a.txt", true],
    ["Read", "read a.txt", true],
    ["read", "read a.txt", true],
    ["Rea", "read a.txt", false],
    ["ead", "read a.txt", false],
    ["Write|Edit", "edit a.txt", true],
    ["Write|Edit", "write a.txt", true],
    ["Write|Edit", "read a.txt", false],
    ["Edit", "write a.txt", true],
    ["Edit", "delete a.txt", true],
    ["Edit", "move a.txt c.txt", true],
    ["Write", "write a.txt", true],
    ["Write", "move a.txt c.txt", true],
    ["write_file", "move a.txt c.txt", true],
    ["Write", "patch +new.txt", true],
    ["Edit", "patch +new.txt", true],
    ["Write", "edit a.txt", false],
    ["Write", "delete a.txt", false],
    ["Write", "bash ls", false],
    ["Bash", "bash ls", true],
    ["mcp__.*", "bash ls", false],
    ["Notebook.*|Ba?sh", "bash ls", true],
  ])("%j on %s: %s", async (matcher, call, expected) => {
    const { hooks, problems, ask } = compile(setting("PreToolUse", matcher));
    expect(problems).toEqual([]);
    expect(hooks.map((hook) => hook.matches)).toHaveLength(1);
    expect(hooks[0]?.matches(preToolUse(await ask(call)))).toBe(expected);
  });

  test.each([
    ["mcp__.*", true],
    ["mcp__gh__issue", true],
    ["mcp__gh", false],
  ])("%j on a tool of a server: %s", async (matcher, expected) => {
    const tool = defineTool({
      name: "mcp__gh__issue",
      version: "1",
      description: "Opens an issue.",
      family: "other",
      risks: ["network"],
      input: z.unknown(),
      run: async () => ({ ok: true, data: 1 }),
    });
    const { hooks, ask } = compile(setting("PreToolUse", matcher));
    expect(hooks[0]?.matches(preToolUse(await ask("mcp__gh__issue x", tool as Tool)))).toBe(expected);
  });

  test.each<[HookEvent, string, Occasion, boolean]>([
    ["SessionStart", "startup", sessionStart("startup"), true],
    ["SessionStart", "startup", sessionStart("resume"), false],
    ["PreCompact", "auto|manual", preCompact("auto"), true],
    ["Stop", "*", stop({ active: false }), true],
    ["SessionEnd", "", sessionStart("startup"), false],
  ])("%s %j", (event, matcher, occasion, expected) => {
    expect(compile(setting(event, matcher)).hooks[0]?.matches(occasion)).toBe(expected);
  });
});

describe("a filter is a rule about the call", () => {
  test.each<[string, string, boolean]>([
    ["Bash(git push:*)", "bash git push origin main", true],
    ["Bash(git push:*)", "bash ls && git push", true],
    ["Bash(git push:*)", "bash git status", false],
    ["Edit(/src/**)", "edit src/b.ts", true],
    ["Edit(/src/**)", "edit a.txt", false],
    ["Edit(/src/**)", "bash rm src/b.ts", true],
  ])("%s on %s: %s", async (filter, call, expected) => {
    const { hooks, ask } = compile(setting("PostToolUse", "", { if: filter }));
    const occasion = postToolUse(await ask(call), { ok: true, data: null }, 1);
    expect(hooks[0]?.matches(occasion)).toBe(expected);
  });
});

describe("what cannot be used is told at once", () => {
  test.each<[HookSetting, RegExp]>([
    [setting("PreToolUse", "Write|("), /^PreToolUse hook ".\/check" \(settings.json\): Invalid regular expression/],
    [setting("PreToolUse", "a)|(b"), /Invalid regular expression/],
    [setting("PreToolUse", "[z-a]"), /Invalid regular expression/],
    [setting("Stop", "Bash"), /Stop does not support a matcher/],
    [setting("PreToolUse", "", { if: "Bash(" }), /"if": write a rule as Tool/],
    [setting("PreToolUse", "", { if: "Write(a.txt)" }), /"if": .*can never match/],
    [setting("SessionStart", "", { if: "Bash" }), /SessionStart/],
    [setting("PreToolUse", "", { writes: true }), /only a hook that runs after a tool may write/],
  ])("%j", (broken, problem) => {
    const { hooks, problems } = compile(setting("PreToolUse", "Bash"), broken);
    expect(hooks).toHaveLength(1);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });
});

describe("who blocks by failing", () => {
  test.each<[HookEvent, HookHandler["onFailure"], boolean]>([
    ["PreToolUse", undefined, true],
    ["PermissionRequest", undefined, true],
    ["UserPromptSubmit", undefined, true],
    ["PreToolUse", "continue", false],
    ["PostToolUse", undefined, false],
    ["PostToolUse", "block", true],
    ["Stop", undefined, false],
    ["SessionStart", undefined, false],
    ["Notification", undefined, false],
  ])("%s, onFailure %s: %s", (event, onFailure, expected) => {
    const [hook] = compile(setting(event, "", onFailure === undefined ? {} : { onFailure })).hooks;
    expect(hook).toMatchObject({ failureBlocks: expected, timeoutMs: 60_000, label: "./check" });
  });

  test("its own time limit is in seconds", () => {
    expect(compile(setting("PreToolUse", "", { timeout: 0.5 })).hooks[0]?.timeoutMs).toBe(500);
  });
});
