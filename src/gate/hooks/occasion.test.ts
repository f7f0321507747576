import { expect, test } from "vitest";
import { questionOf } from "../../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../../test/gate-matrix/fixture.ts";
import type { OutputStream } from "../../contract/artifact.ts";
import { fail } from "../../contract/codes.ts";
import type { Mode, PermissionPrompt } from "../../contract/verdict.ts";
import {
  hookInput,
  type Occasion,
  permissionRequest,
  postToolUse,
  preCompact,
  preToolUse,
  sessionEnd,
  sessionStart,
  stop,
  userPromptSubmit,
  waitingForPerson,
} from "./occasion.ts";

const prompt: PermissionPrompt = {
  title: "Allow edit?",
  action: "edit a.txt",
  effects: [],
  risk: "R2",
  reason: "writes a.txt",
  sandbox: "",
  outputLimit: "",
};

/** Everything that a hook learns about it. */
function shown({ event, names, fields, question }: Occasion) {
  return { event, names, fields: fields(), aboutCall: question !== undefined };
}

async function asked(call: string) {
  const fixture = makeFixture({ "a.txt": "x" });
  const question = await questionOf(fixture, call);
  // What a tool is also called by is its own affair.
  const tool = { ...question.checked.tool, aliases: [] };
  return { fixture, question: { ...question, checked: { ...question.checked, tool } } };
}

test("before a call a hook learns the call in both worlds' words, and what it would touch", async () => {
  const { fixture, question } = await asked("edit a.txt");
  const input = { path: "a.txt", old_string: "a", new_string: "b" };
  const path = { written: "a.txt", resolved: fixture.path("a.txt"), kind: "file" };
  const fields = {
    tool_name: "Edit",
    tool_input: { file_path: "a.txt", old_string: "a", new_string: "b" },
    tool_use_id: "int_1",
    gauntlet_tool: "edit",
    gauntlet_input: input,
    gauntlet_effects: [
      { op: "read", path, scope: "file" },
      { op: "write", path, scope: "file" },
    ],
  };
  const names = ["edit", "Edit", "edit_file"];
  expect(shown(preToolUse(question))).toEqual({ event: "PreToolUse", names, fields, aboutCall: true });
  expect(shown(permissionRequest(question, prompt))).toEqual({
    event: "PermissionRequest",
    names,
    fields: { ...fields, gauntlet_prompt: prompt },
    aboutCall: true,
  });
});

test.each<[string, readonly string[]]>([
  ["read a.txt", ["read", "Read", "read_file"]],
  ["bash ls", ["bash", "Bash", "shell", "Shell"]],
  ["write b.txt", ["write", "Write", "write_file", "edit", "Edit", "edit_file"]],
  ["move a.txt b.txt", ["move", "Move", "edit", "Edit", "edit_file", "write", "Write", "write_file"]],
  ["patch +b.txt", ["patch", "Patch", "apply_patch", "edit", "Edit", "edit_file", "write", "Write", "write_file"]],
  ["delete a.txt", ["delete", "Delete", "edit", "Edit", "edit_file"]],
])("%s answers to every name that a hook may watch", async (call, names) => {
  const { question } = await asked(call);
  expect(preToolUse(question).names).toEqual(names);
});

test.each<[unknown, unknown]>([
  ["text", "text"],
  [null, null],
  [["a"], ["a"]],
  [
    { command: "ls", timeout: 5 },
    { command: "ls", timeout: 5 },
  ],
])("the input %j is shown as %j", async (input, expected) => {
  const { question } = await asked("bash ls");
  const changed = { ...question, checked: { ...question.checked, input } };
  expect(preToolUse(changed).fields()).toMatchObject({ tool_input: expected, gauntlet_input: input });
});

test("a tool that nobody else knows goes by its own name", async () => {
  const { question } = await asked("bash ls");
  const tool = { ...question.checked.tool, name: "frob", aliases: ["frobnicate"] };
  const occasion = preToolUse({ ...question, checked: { ...question.checked, tool } });
  expect(occasion.names).toEqual(["frob", "frobnicate"]);
  expect(occasion.fields()).toMatchObject({ tool_name: "frob", gauntlet_tool: "frob" });
});

test("after a call a hook learns what came of it", async () => {
  const { question } = await asked("read a.txt");
  const done = postToolUse(question, { ok: true, data: { text: "x" } }, 12);
  expect([done.event, done.names, done.question]).toEqual(["PostToolUse", ["read", "Read", "read_file"], question]);
  expect(done.fields()).toMatchObject({ tool_name: "Read", tool_response: { text: "x" }, duration_ms: 12 });
  expect(done.fields()).not.toHaveProperty("error");

  const failed = postToolUse(question, fail("tool_failed", "it broke"), 3);
  expect([failed.event, failed.names, failed.question]).toEqual([
    "PostToolUseFailure",
    ["read", "Read", "read_file"],
    question,
  ]);
  expect(failed.fields()).toMatchObject({
    tool_name: "Read",
    tool_response: null,
    duration_ms: 3,
    error: "it broke",
    gauntlet_code: "tool_failed",
    is_interrupt: false,
  });
  const cancelled = postToolUse(question, fail("cancelled", "stopped"), 3);
  expect(cancelled.fields()).toMatchObject({ gauntlet_code: "cancelled", is_interrupt: true });
});

test("streams are shown as text, and nothing is shown by the megabyte", async () => {
  const { question } = await asked("bash ls");
  const response = (data: unknown) => postToolUse(question, { ok: true, data }, 1).fields().tool_response;
  const stream: OutputStream = { bytes: 3, lines: 1, head: "a", tail: "z", notable: [], binary: false };
  expect(response({ exit: 0, output: { ...stream, complete: "abc" } })).toEqual({ exit: 0, output: "abc" });
  expect(response({ output: stream })).toEqual({ output: "a\n…\nz" });
  const { head: _head, ...headless } = stream;
  const { tail: _tail, ...tailless } = stream;
  const { notable: _notable, ...plain } = stream;
  expect(response([headless, tailless, plain, null, "x"])).toEqual([headless, tailless, plain, null, "x"]);

  const most = 1024 * 1024;
  expect(response("x".repeat(most - 2))).toBe("x".repeat(most - 2));
  expect(response("x".repeat(most - 1))).toEqual({ omitted: `${most + 1} characters` });
});

test.each<[Occasion, ReturnType<typeof shown>]>([
  [
    sessionStart("resume"),
    { event: "SessionStart", names: ["resume"], fields: { source: "resume" }, aboutCall: false },
  ],
  [sessionEnd("exit"), { event: "SessionEnd", names: ["exit"], fields: { reason: "exit" }, aboutCall: false }],
  [userPromptSubmit("hello"), { event: "UserPromptSubmit", names: [], fields: { prompt: "hello" }, aboutCall: false }],
  [
    userPromptSubmit("hello", "data"),
    { event: "UserPromptSubmit", names: [], fields: { prompt: "hello", gauntlet_piped: "data" }, aboutCall: false },
  ],
  [stop({ active: false }), { event: "Stop", names: [], fields: { stop_hook_active: false }, aboutCall: false }],
  [
    stop({ active: true, lastMessage: "done" }),
    {
      event: "Stop",
      names: [],
      fields: { stop_hook_active: true, last_assistant_message: "done" },
      aboutCall: false,
    },
  ],
  [
    preCompact("auto"),
    { event: "PreCompact", names: ["auto"], fields: { trigger: "auto", custom_instructions: "" }, aboutCall: false },
  ],
  [
    preCompact("manual", "keep names"),
    {
      event: "PreCompact",
      names: ["manual"],
      fields: { trigger: "manual", custom_instructions: "keep names" },
      aboutCall: false,
    },
  ],
  [
    waitingForPerson({
      id: "req_1",
      intentId: "int_1",
      tool: "edit",
      digest: "",
      prompt,
      requestedAt: "",
      expiresAt: "",
    }),
    {
      event: "Notification",
      names: ["permission_prompt"],
      fields: {
        message: "Allow edit? edit a.txt",
        title: "Allow edit?",
        notification_type: "permission_prompt",
        tool_name: "Edit",
        request_id: "req_1",
      },
      aboutCall: false,
    },
  ],
])("what happens beside calls: %#", (occasion, expected) => {
  expect(shown(occasion)).toEqual(expected);
});

test.each<[Mode, string]>([
  ["bypass", "bypassPermissions"],
  ["default", "default"],
  ["acceptEdits", "acceptEdits"],
  ["plan", "plan"],
])("in mode %s a hook reads %s, and nothing of the log", (mode, permission_mode) => {
  const text = hookInput(userPromptSubmit("hello"), { session: "s1", cwd: "/w", mode });
  expect(JSON.parse(text)).toEqual({
    session_id: "s1",
    transcript_path: "",
    cwd: "/w",
    hook_event_name: "UserPromptSubmit",
    permission_mode,
    prompt: "hello",
  });
});
