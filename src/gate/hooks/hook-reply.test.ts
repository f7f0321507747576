import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../contract/settings.ts";
import type { CompiledHook } from "./compile-hooks.ts";
import { type HookReply, type HookRun, readReply } from "./hook-reply.ts";

function hook(event: HookEvent, failureBlocks: boolean): CompiledHook {
  const handler = { type: "command", command: "./check" } as const;
  return {
    setting: { event, handler, layer: "user", origin: "settings.json" },
    label: "./check",
    timeoutMs: 5_000,
    failureBlocks,
    matches: () => true,
  };
}

function exits(exitCode: number, stdout: unknown = "", stderr = ""): HookRun {
  return { ended: "exit", exitCode, stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout), stderr };
}

function says(output: Record<string, unknown>): HookRun {
  return exits(0, { hookSpecificOutput: { hookEventName: "PreToolUse", ...output } });
}

const quiet: HookReply = { exit: "ok", ignored: [] };
const none = "it gave no reason";

describe("what a hook before a tool says", () => {
  test.each<[string, HookRun, HookReply]>([
    ["nothing", exits(0), quiet],
    ["chatter", exits(0, "checking…\n"), quiet],
    ["an empty object", exits(0, {}), quiet],
    [
      "space around an answer",
      exits(0, ' \r\n\t{"decision":"block","reason":"x"}\n'),
      { ...quiet, decision: "deny", reason: "x" },
    ],
    [
      "another input, whatever its fields are called",
      says({ updatedInput: { decision: "block", permissionDecision: { behavior: 1 } } }),
      { ...quiet, input: { decision: "block", permissionDecision: { behavior: 1 } } },
    ],
    ["exit 2", exits(2, "", " not today\n"), { ...quiet, exit: "blocked", decision: "deny", reason: "not today" }],
    ["exit 2, without a word", exits(2), { ...quiet, exit: "blocked", decision: "deny", reason: none }],
    [
      "exit 2 beats what was printed",
      exits(2, { decision: "approve" }, "no"),
      { ...quiet, exit: "blocked", decision: "deny", reason: "no" },
    ],
    [
      "allow",
      says({ permissionDecision: "allow", permissionDecisionReason: "known" }),
      { ...quiet, decision: "allow", reason: "known" },
    ],
    ["deny", says({ permissionDecision: "deny" }), { ...quiet, decision: "deny", reason: none }],
    ["ask", says({ permissionDecision: "ask" }), { ...quiet, decision: "ask", reason: none }],
    ["defer", says({ permissionDecision: "defer" }), { ...quiet, decision: "defer", reason: none }],
    ["the old yes", exits(0, { decision: "approve", reason: "fine" }), { ...quiet, decision: "allow", reason: "fine" }],
    ["the old no", exits(0, { decision: "block", reason: "bad" }), { ...quiet, decision: "deny", reason: "bad" }],
    [
      "yes and no at once",
      exits(0, { decision: "block", reason: "bad", hookSpecificOutput: { permissionDecision: "allow" } }),
      { ...quiet, decision: "deny", reason: "bad" },
    ],
    ["another input", says({ updatedInput: { command: "ls" } }), { ...quiet, input: { command: "ls" } }],
    ["a remark", says({ additionalContext: "mind the gap" }), { ...quiet, context: "mind the gap" }],
    ["an empty remark", says({ additionalContext: "" }), quiet],
    ["stop", exits(0, { continue: false, stopReason: "enough" }), { ...quiet, stop: "enough" }],
    ["something for the person", exits(0, { systemMessage: "hello" }), { ...quiet, message: "hello" }],
    ["something unknown", says({ flavour: "mint" }), { ...quiet, ignored: ["flavour"] }],
  ])("%s", (_name, run, expected) => {
    expect(readReply(hook("PreToolUse", true), run)).toEqual(expected);
    expect(readReply(hook("PreToolUse", false), run)).toEqual(expected);
  });
});

describe("what counts as failed", () => {
  const failures: readonly [string, HookRun, RegExp, HookReply["exit"]?][] = [
    ["another exit code", exits(1, "", "Traceback"), /exit code 1: Traceback/],
    ["no such program", exits(127), /exit code 127$/],
    ["killed", exits(137), /exit code 137$/],
    ["time-out", { ended: "timeout", stderr: "" }, /did not end within 5 s/, "timeout"],
    ["interrupt", { ended: "cancelled", stderr: "" }, /interrupted/, "cancelled"],
    ["too much output", { ended: "overflow", stderr: "" }, /its output is too long/],
    ["not started", { ended: "not_started", why: "no sandbox", stderr: "" }, /no sandbox/],
    ["half an object", exits(0, '{"decision": "appr'), /not valid JSON/],
    ["two objects", exits(0, '{}\n{"decision":"block"}'), /not valid JSON/],
    ["an answer in a list", exits(0, [{ decision: "block" }]), /not exactly one JSON object/],
    ["an empty list", exits(0, "[]"), /not exactly one JSON object/],
    ["chatter, then an answer", exits(0, 'checking…\n{"decision":"block"}'), /not exactly one JSON object/],
    ["an answer, then chatter", exits(0, '{"decision":"block"}\ndone'), /not valid JSON/],
    ["the end of an answer", exits(0, '"block"}'), /not exactly one JSON object/],
    ["a colour before the answer", exits(0, '\u001b[0m{"decision":"block"}'), /not exactly one JSON object/],
    ["a zero before the answer", exits(0, '\0{"decision":"block"}'), /not exactly one JSON object/],
    ["a byte order mark before the answer", exits(0, '\uFEFF{"decision":"approve"}'), /not exactly one JSON object/],
    ["a key written twice", exits(0, '{"decision":"block","decision":"approve"}'), /not valid JSON/],
    [
      "a key written twice, once in disguise",
      exits(0, '{"hookSpecificOutput":{"permissionDecision":"deny","permission\\u0044ecision":"allow"}}'),
      /not valid JSON/,
    ],
    ["the answer of another event", says({ decision: { behavior: "deny" } }), /hookSpecificOutput\.decision/],
    ["a decision one level too high", exits(0, { permissionDecision: "deny" }), /has permissionDecision/],
    ["a behaviour without its frame", exits(0, { behavior: "deny" }), /has behavior/],
    [
      "a decision one level too deep",
      says({ PreToolUse: { permissionDecision: "deny" } }),
      /PreToolUse\.permissionDecision/,
    ],
    ["a decision inside something else", exits(0, { result: [{ decision: "block" }] }), /decision/],
    ["another spelling", exits(0, { hook_specific_output: { permission_decision: "deny" } }), /hook_specific_output/],
    ["another spelling inside", says({ PermissionDecision: "deny" }), /PermissionDecision/],
    ["stop in the wrong place", says({ continue: false }), /hookSpecificOutput\.continue/],
    ["a decision that nobody knows", exits(0, { decision: "maybe" }), /decision/],
    ["a decision of the wrong type", says({ permissionDecision: true }), /permissionDecision/],
    ["no decision", says({ permissionDecision: null }), /permissionDecision/],
    ["a reason that is no text", exits(0, { reason: 1 }), /reason/],
    ["continue that is no yes or no", exits(0, { continue: "false" }), /continue/],
    ["an input that is none", says({ updatedInput: ["ls"] }), /updatedInput/],
    ["a remark that is a book", says({ additionalContext: "x".repeat(32_001) }), /32000/],
    ["specific output that is none", exits(0, { hookSpecificOutput: "deny" }), /hookSpecificOutput/],
    ["an answer to another event", says({ hookEventName: "Stop" }), /answer is for "Stop"/],
    ["an answer that comes later", exits(0, { async: true }), /not supported/],
  ];
  test.each(failures)("%s", (_name, run, reason, exit = "failed") => {
    expect(readReply(hook("PreToolUse", true), run)).toEqual({
      exit,
      decision: "deny",
      reason: expect.stringMatching(reason),
      ignored: [],
    });
    expect(readReply(hook("PreToolUse", false), run)).toEqual({
      exit,
      reason: expect.stringMatching(reason),
      ignored: [],
    });
  });
});

describe("other events", () => {
  const specific = (output: Record<string, unknown>) => exits(0, { hookSpecificOutput: output });
  test.each<[HookEvent, string, HookRun, HookReply]>([
    ["UserPromptSubmit", "plain text", exits(0, "today is Monday\n"), { ...quiet, context: "today is Monday" }],
    ["SessionStart", "plain text", exits(0, "branch main"), { ...quiet, context: "branch main" }],
    ["PostToolUse", "plain text", exits(0, "formatted 1 file"), quiet],
    [
      "UserPromptSubmit",
      "block",
      exits(0, { decision: "block", reason: "secret inside" }),
      { ...quiet, decision: "deny", reason: "secret inside" },
    ],
    ["PostToolUse", "block", exits(0, { decision: "block" }), { ...quiet, decision: "deny", reason: none }],
    ["PostToolUse", "approve means nothing", exits(0, { decision: "approve" }), quiet],
    [
      "PostToolUse",
      "another result",
      specific({ updatedToolOutput: "all fine" }),
      { ...quiet, ignored: ["updatedToolOutput"] },
    ],
    [
      "PostToolUse",
      "another input",
      specific({ updatedInput: { command: "ls" }, permissionDecision: "allow" }),
      { ...quiet, ignored: ["permissionDecision", "updatedInput"] },
    ],
    [
      "PermissionRequest",
      "allow",
      specific({ decision: { behavior: "allow" } }),
      { ...quiet, decision: "allow", reason: none },
    ],
    [
      "PermissionRequest",
      "deny",
      specific({ decision: { behavior: "deny", message: "ask Ada" } }),
      { ...quiet, decision: "deny", reason: "ask Ada" },
    ],
    [
      "PermissionRequest",
      "deny and stop",
      specific({ decision: { behavior: "deny", message: "enough", interrupt: true } }),
      { ...quiet, decision: "deny", reason: "enough", stop: "enough" },
    ],
    [
      "PermissionRequest",
      "a rule of its own",
      specific({ decision: { behavior: "allow", updatedPermissions: [{ type: "addRules" }] } }),
      { ...quiet, decision: "allow", reason: none, ignored: ["decision.updatedPermissions"] },
    ],
    [
      "PermissionRequest",
      "the answer of another event",
      specific({ permissionDecision: "deny" }),
      {
        exit: "failed",
        decision: "deny",
        reason: expect.stringContaining("hookSpecificOutput.permissionDecision"),
        ignored: [],
      },
    ],
    [
      "UserPromptSubmit",
      "something like an answer",
      exits(0, 'careful: {"decision":"block"}'),
      {
        exit: "failed",
        decision: "deny",
        reason: "its output is not exactly one JSON object",
        ignored: [],
      },
    ],
    ["SessionStart", "plain text with braces", exits(0, "use {x}"), { ...quiet, context: "use {x}" }],
    [
      "PermissionRequest",
      "another input comes too late",
      specific({ decision: { behavior: "allow", updatedInput: { command: "ls" } } }),
      {
        exit: "failed",
        decision: "deny",
        reason: "it changes the input, but this event can only allow or deny",
        ignored: [],
      },
    ],
  ])("%s: %s", (event, _name, run, expected) => {
    expect(readReply(hook(event, true), run)).toEqual(expected);
  });
});
