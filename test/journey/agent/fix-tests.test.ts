import { expect, test } from "vitest";
import { agreeable } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOf, openAgent } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const files = {
  "package.json": JSON.stringify({ name: "sum", type: "module", scripts: { test: "node --test" } }),
  "sum.js": "export const sum = (a, b) => a - b;\n",
  "sum.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { sum } from "./sum.js";
test("adds", () => assert.equal(sum(2, 3), 5));
`,
};
const runTests: Answer = { calls: [{ tool: "bash", input: { command: "npm test" } }] };
const fix: readonly Answer[] = [
  runTests,
  {
    calls: [
      { id: "1", tool: "read", input: { path: "sum.js" } },
      { id: "2", tool: "read", input: { path: "sum.test.js" } },
    ],
  },
  { calls: [{ tool: "edit", input: { path: "sum.js", old_string: "a - b", new_string: "a + b" } }] },
];

test("why do this project's tests fail? fix it: read, edit, run again, and the record bears it out", async () => {
  const workspace = makeWorkspace(files);
  const model = scripted([...fix, runTests, { text: "sum subtracted; it adds now. All tests pass." }]);
  const agent = await openAgent(workspace, model, { onAsk: agreeable() });
  const report = await agent.send("Why do this project's tests fail? Fix it.");
  expect(report).toMatchObject({
    stop: "done",
    turns: 5,
    calls: { all: 5, failed: 1, denied: 0 },
    changed: [{ path: "sum.js", change: "modified" }],
    verifications: [{ kinds: ["tests"], passed: true, exitCode: 0 }],
    claims: [{ kind: "tests", verdict: "supported" }],
  });
  expect(workspace.read("sum.js")).toBe("export const sum = (a, b) => a + b;\n");
  const [failed] =
    model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? message.results : [])) ?? [];
  expect(failed?.text).toMatch(/^error command_failed: /);
  const types = eventsOf(agent).map(({ type }) => type);
  expect(types.filter((type) => type === "verification.recorded")).toHaveLength(2);
  expect(types.lastIndexOf("claim.checked")).toBe(types.lastIndexOf("run.ended") - 1);
});

test("an answer that says otherwise than the record is held against it", async () => {
  const agent = await openAgent(makeWorkspace(files), [runTests, { text: "All tests pass." }], { onAsk: agreeable() });
  const report = await agent.send("Run the tests.");
  expect(report).toMatchObject({ stop: "done", claims: [{ kind: "tests", verdict: "contradicted" }] });
});
