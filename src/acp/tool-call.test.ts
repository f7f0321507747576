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
  ["the effect", asked("edit", { action: "edit\npath: a.txt", effects: ["edits a.txt"] }), "edits a.txt"],
  ["the question, where nothing else is known", asked("other", {}), "Allow it?"],
  ["no more than fits", asked("bash", { action: "x".repeat(500) }), `${"x".repeat(199)}…`],
])("a call that waits for a person is named by %s", (_what, request, title) => {
  expect(askedCall(request, "/here").title).toBe(title);
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
