import { expect, test } from "vitest";
import { pastContent } from "./updates.ts";

const diffOf = (lines: number) =>
  ["--- /dev/null", "+++ b/a.txt", `@@ -0,0 +1,${lines} @@`, ...Array.from({ length: lines }, () => "+line")].join(
    "\n",
  );
const ended = (tool: string, block: object) =>
  ({
    tool,
    ok: true,
    intentId: "int_1",
    invocationId: "inv_1",
    summary: "It ended.",
    user: { text: "" },
    model: { content: [{ format: "text", ...block }] },
    effects: { seen: [], declared: [] },
    data: { exitCode: 0 },
  }) as never;
const text = (words: string) => [{ type: "content", content: { type: "text", text: words } }];

test.each<[string, never, readonly object[]]>([
  [
    "its change",
    ended("write", { format: "diff", text: diffOf(1) }),
    [{ type: "diff", path: "/here/a.txt", oldText: null, newText: "line\n" }],
  ],
  [
    "not a change that nobody looks through",
    ended("write", { format: "diff", text: diffOf(20_000) }),
    text("It ended."),
  ],
  ["what it printed", ended("bash", { label: "stdout", text: "1 passed" }), text("It ended.\n\nstdout:\n1 passed")],
  [
    "the end of much that it printed",
    ended("bash", { text: `${"x".repeat(9_000)}end` }),
    text(`It ended.\n\n… ${"x".repeat(3_997)}end`),
  ],
  ["nothing of what it read", ended("read", { text: "secret" }), text("It ended.")],
])("of a call that ended long ago an editor is told %s", (_what, observation, content) => {
  expect(pastContent(observation, "/here")).toEqual(content);
});
