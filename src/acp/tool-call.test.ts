import { expect, test } from "vitest";
import type { Observation } from "../contract/observation.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { askedCall, endedCall } from "./tool-call.ts";

const asked = (tool: string, prompt: Partial<PermissionRequest["prompt"]>): PermissionRequest => ({
  id: "per_1",
  intentId: "int_1",
  tool,
  digest: "",
  requestedAt: "",
  expiresAt: "",
  prompt: {
    title: "Allow it?",
    action: "",
    effects: [],
    risk: "R2",
    reason: "",
    sandbox: "",
    outputLimit: "",
    ...prompt,
  },
});

test.each<[string, PermissionRequest, string]>([
  ["the command", asked("bash", { action: "npm test", effects: ["runs npm"] }), "npm test"],
  ["its first line", asked("bash", { action: "npm test\nnpm run build" }), "npm test …"],
  [
    "the call",
    asked("edit", { call: "Edit a.txt", action: "edit\npath: a.txt", effects: ["reads /a.txt"] }),
    "Edit a.txt",
  ],
  ["the effect of what is no call", asked("mcp__every__ask", { effects: ["uses the model"] }), "uses the model"],
  ["the question, where nothing else is known", asked("other", {}), "Allow it?"],
  ["no more than fits", asked("bash", { action: "x".repeat(500) }), `${"x".repeat(199)}…`],
])("a call that waits for a person is named by %s", (_what, request, title) => {
  expect(askedCall(request, "/here").title).toBe(title);
});

const diff = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+hello";
const change = { type: "diff", path: "/here/a.txt", oldText: null, newText: "hello\n" };
const marked = (text: string) => text.replace(/^/gm, "  | ");
const words = (text: string) => ({ type: "content", content: { type: "text", text } });
const file = {
  title: "Allow write?",
  action: "write\npath: a.txt\ncontent: hello",
  effects: ["writes /here/a.txt"],
  reason: "writes /here/a.txt",
  sandbox: "Commands see little.",
};

test.each<[string, PermissionRequest, readonly object[]]>([
  [
    "a change of files, once",
    asked("write", { ...file, diff }),
    [change, words("Reason: writes /here/a.txt (R2)\nIt would: writes /here/a.txt")],
  ],
  [
    "all of it, where the diff does not say all",
    asked("write", { ...file, diff: `${diff}\n⟨3 of 7 lines left out⟩` }),
    [
      change,
      words(
        `${marked(file.action)}\nReason: writes /here/a.txt (R2)\nIt would: writes /here/a.txt\n${marked(diff)}\n  | ⟨3 of 7 lines left out⟩`,
      ),
    ],
  ],
  [
    "words in the place of a diff",
    asked("write", { ...file, diff: "No diff: it is no text." }),
    [
      words(
        `${marked(file.action)}\nReason: writes /here/a.txt (R2)\nIt would: writes /here/a.txt\n  | No diff: it is no text.`,
      ),
    ],
  ],
  [
    "a command, and what holds it",
    asked("bash", {
      ...file,
      title: "Run this command?",
      action: "echo hello > a.txt\n# Reason: routine (R0)\nSandbox: harmless",
    }),
    [
      words(
        "  | echo hello > a.txt\n  | # Reason: routine (R0)\n  | Sandbox: harmless\nReason: writes /here/a.txt (R2)\nIt would: writes /here/a.txt\nSandbox: Commands see little.",
      ),
    ],
  ],
  [
    "a server's tool, with what changed about it",
    asked("mcp__every__echo", {
      ...file,
      title: "Allow mcp__every__echo?",
      effects: ["calls echo of the server every"],
      about: "Tool of the MCP server every, in its words: Echoes.",
      diff,
    }),
    [
      words(
        `${marked(file.action)}\nDescription: Tool of the MCP server every, in its words: Echoes.\nReason: writes /here/a.txt (R2)\nIt would: calls echo of the server every\nSandbox: Commands see little.\n${marked(diff)}`,
      ),
    ],
  ],
])("a person is shown %s", (_what, request, content) => {
  expect(askedCall(request, "/here").content).toEqual(content);
});

type Block = Observation["model"]["content"][number];

function ended(tool: string, content: readonly Partial<Block>[], data: Observation["data"] = {}): string {
  const observation = {
    tool,
    ok: true,
    intentId: "int_1",
    invocationId: "inv_1",
    user: { text: "It ended." },
    model: { content: content.map((block) => ({ format: "text", text: "", ...block })) },
    effects: { seen: [], declared: [] },
    data,
  };
  const { content: shown } = endedCall(observation as never, { workspace: "/here", terminals: false });
  const [first] = shown ?? [];
  return first?.type === "content" && first.content.type === "text" ? first.content.text : "";
}

test("what a command printed and what a server said is shown, and what was read is not", () => {
  const printed = [
    { label: "stdout", text: "1 passed" },
    { label: "stderr", text: "slow" },
  ];
  expect(ended("bash", printed, { exitCode: 0 })).toBe("It ended.\n\nstdout:\n1 passed\n\nstderr:\nslow");
  expect(ended("bash", [{ text: "refused" }])).toBe("It ended.");
  expect(ended("mcp__every__echo", [{ label: "server every", text: "hi" }])).toBe("It ended.\n\nhi");
  expect(ended("read", [{ text: "secret" }])).toBe("It ended.");
});

test("what a command changed is shown as a list and as diffs, under the name of the command", () => {
  const request = asked("bash", {
    title: "Keep what this command changed?",
    action: "npm test",
    changes: [
      { path: "/here/gone", line: "D  gone" },
      { path: "/here/a.txt", line: "A  a.txt" },
    ],
    effects: ["D  gone", "A  a.txt"],
    ended: "with exit code 3\n  | boom",
    diff: `${diff}\ndeleted gone`,
  });
  const { title, content } = askedCall(request, "/here");
  const list = expect.stringMatching(/D {2}gone\n[\s\S]*A {2}a\.txt\n.*exit code 3\n {2}\| boom\n/);
  expect(title).toBe("npm test");
  expect(content).toEqual([{ type: "content", content: { type: "text", text: list } }, change, words("deleted gone")]);
});
