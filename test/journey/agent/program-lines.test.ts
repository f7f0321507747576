import { expect, test } from "vitest";
import { resultLineOf, streamLineOf } from "../../../src/cli/run/stream-line.ts";
import type { AgentNotice } from "../../../src/contract/app/agent.ts";
import { resultLine, type StreamLine, streamLine } from "../../../src/contract/app/stream-line.ts";
import { direct } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOf, eventsOfType, openAgent } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

test("every line that a program is given has the shape that is documented, field by field", async () => {
  const notices: AgentNotice[] = [];
  const hook = { type: "command" as const, command: `echo '${JSON.stringify({ systemMessage: "seen" })}'` };
  const busy: Answer = { error: { kind: "overloaded", retryable: true, retryAfterMs: 1, debug: "raw words" } };
  const first = scripted(
    [
      busy,
      {
        reasoning: { text: "hm" },
        text: "I look.",
        calls: [
          { id: "1", tool: "read", input: { path: "a.txt" } },
          { id: "2", tool: "bash", input: { command: "npm test" } },
        ],
      },
      { calls: [{ tool: "bash", input: { command: "make deploy" } }] },
      { error: { kind: "quota" } },
    ],
    { name: "a/one" },
  );
  const second = scripted([{ text: "All tests pass." }], { name: "b/two" });
  const workspace = makeWorkspace({
    "a.txt": "one\n",
    "package.json": JSON.stringify({ scripts: { test: "echo busy; exit 1" } }),
  });
  const agent = await openAgent(workspace, [first, second], {
    settings: {
      ...direct,
      permissions: { allow: ["Bash(npm test)"] },
      hooks: { PostToolUse: [{ matcher: "Read", hooks: [hook] }] },
    },
    onNotice: (notice) => void notices.push(notice),
  });
  const report = await agent.send("Go.", { piped: "data\n" });
  const lines = notices.flatMap((notice): readonly StreamLine[] => {
    const line = streamLineOf(notice);
    return line === undefined ? [] : [line];
  });
  const result = resultLineOf(report, 4);
  // As they come out of the pipe. A field that is not in the schema would be lost here.
  for (const line of [...lines, result]) {
    const read = JSON.parse(JSON.stringify(line));
    expect(streamLine.parse(read)).toEqual(read);
  }
  expect(resultLine.parse(result)).toMatchObject({
    v: 1,
    stop: "done",
    claims: [{ verdict: "contradicted" }],
    policyPatch: { permissions: { allow: ["Bash(make deploy)"] } },
    exitCode: 4,
  });
  // A slow machine brings progress as well.
  const types = new Set(lines.map(({ type }) => type).filter((type) => type !== "progress"));
  expect([...types].sort()).toEqual([
    "call",
    "fallback",
    "hook",
    "observation",
    "piped",
    "proposed",
    "provider_error",
    "reasoning",
    "retrying",
    "text",
    "turn",
    "turn_ended",
    "verified",
  ]);
  expect(lines.filter(({ type }) => type === "proposed")).toEqual(
    eventsOfType(agent, "tool_intent.proposed").map(({ data: { intentId, tool, input } }) => ({
      v: 1,
      type: "proposed",
      intentId,
      tool,
      input,
    })),
  );
  // What a provider sent is kept aside: in the log there is only where.
  const [error] = eventsOfType(agent, "provider.error");
  expect(error?.data.debug).toMatch(/^sha256-[0-9a-f]{64}$/);
  expect(JSON.stringify([lines, result, eventsOf(agent)])).not.toContain("raw words");
});
