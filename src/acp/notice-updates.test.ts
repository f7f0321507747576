import { expect, test } from "vitest";
import type { ServerStatus } from "../contract/server/server.ts";
import { noticeUpdates } from "./updates.ts";

const view = () => ({
  workspace: "/here",
  contextTokens: 1_000,
  terminals: false,
  calls: new Set<string>(),
  troubles: new Map<string, string>(),
  notices: ["Its key is not set."],
});
const known = { name: "notes", origin: "editor", transport: "stdio", tools: 0 } as const;

test.each<[string, ServerStatus, readonly string[]]>([
  ["one that failed", { ...known, state: "failed", detail: "It is gone." }, ["It is gone."]],
  ["one that wants a login", { ...known, state: "needs_login", detail: "Log in." }, ["Log in."]],
  ["one that works", { ...known, state: "ready", tools: 3 }, []],
])("an editor's person is told of a server: %s", (_what, status, words) => {
  expect(noticeUpdates({ kind: "server", status }, view())).toEqual(
    words.map((text) => ({
      sessionUpdate: "agent_thought_chunk",
      _meta: { "gauntlet/by": "runtime" },
      content: { type: "text", text: `Gauntlet: The MCP server notes is unavailable: ${text}\n` },
    })),
  );
});

test("the same trouble of the same server is told once, until it works again", () => {
  const about = view();
  const told = (status: ServerStatus) =>
    noticeUpdates({ kind: "server", status }, about).map((update) =>
      "content" in update && !Array.isArray(update.content) && update.content?.type === "text"
        ? update.content.text
        : update,
    );
  const gone: ServerStatus = { ...known, state: "failed", detail: "It is gone." };
  const cannot = (name: string, words: string) => `Gauntlet: The MCP server ${name} is unavailable: ${words}\n`;
  const row: readonly [ServerStatus, readonly string[]][] = [
    [gone, [cannot("notes", "It is gone.")]],
    [{ ...known, state: "connecting" }, []],
    [{ ...gone, detail: "Its key is not set." }, []],
    [gone, []],
    [{ ...gone, name: "other" }, [cannot("other", "It is gone.")]],
    [{ ...gone, detail: "It hangs." }, [cannot("notes", "It hangs.")]],
    [{ ...known, state: "ready", tools: 3 }, []],
    [{ ...gone, detail: "It hangs." }, [cannot("notes", "It hangs.")]],
  ];
  expect(row.map(([status]) => told(status))).toEqual(row.map(([, words]) => words));
});

test("a call is named by words that hide nothing", () => {
  const title = "Write b\u202e.txt";
  expect(noticeUpdates({ kind: "started", intentId: "int_1", tool: "write", title }, view())).toEqual([
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
