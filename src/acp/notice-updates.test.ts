import { expect, test } from "vitest";
import type { ServerStatus } from "../contract/server.ts";
import { noticeUpdates } from "./notice-updates.ts";

const about = { workspace: "/here", contextTokens: 1_000, terminals: false, calls: new Set<string>() };
const known = { name: "notes", origin: "editor", transport: "stdio", tools: 0 } as const;

test.each<[string, ServerStatus, readonly string[]]>([
  ["one that failed", { ...known, state: "failed", detail: "It is gone." }, ["It is gone."]],
  ["one that wants a login", { ...known, state: "needs_login", detail: "Log in." }, ["Log in."]],
  ["one that works", { ...known, state: "ready", tools: 3 }, []],
])("an editor's person is told of a server: %s", (_what, status, words) => {
  expect(noticeUpdates({ kind: "server", status }, about)).toEqual(
    words.map((text) => ({
      sessionUpdate: "agent_thought_chunk",
      _meta: { "gauntlet/by": "runtime" },
      content: { type: "text", text: `Gauntlet: The MCP server notes cannot be used now: ${text}\n` },
    })),
  );
});

test("a call is named by words that hide nothing", () => {
  const title = "Write b\u202e.txt";
  expect(noticeUpdates({ kind: "started", intentId: "int_1", tool: "write", title }, about)).toEqual([
    {
      sessionUpdate: "tool_call",
      toolCallId: "int_1",
      title: "Write b\\u{202e}.txt",
      name: "write",
      kind: "edit",
      status: "in_progress",
    },
  ]);
});
