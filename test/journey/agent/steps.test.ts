import { expect, test } from "vitest";
import { makeWorkspace } from "../../support/workspace.ts";
import { openAgent } from "./open-agent.ts";
import { scripted } from "./scripted-model.ts";

const steps = (...states: readonly ("completed" | "in_progress" | "pending")[]) => ({
  calls: [
    { tool: "todo", input: { items: states.map((status, index) => ({ content: `Step ${index + 1}`, status })) } },
  ],
});

test("the list of steps is state of the session, asks nobody, and outlives a compaction and the process", async () => {
  const workspace = makeWorkspace({ "a.txt": "a\n".repeat(4_000), "b.txt": "b\n".repeat(4_000) });
  const reads = ["a.txt", "b.txt"].map((path) => ({ calls: [{ tool: "read", input: { path } }] }));
  const agent = await openAgent(workspace, [
    steps("in_progress", "pending"),
    ...reads,
    steps("completed", "in_progress"),
  ]);
  expect(await agent.send("Do both.")).toMatchObject({ stop: "done", calls: { all: 4, failed: 0, denied: 0 } });
  const items = [
    { content: "Step 1", status: "completed" },
    { content: "Step 2", status: "in_progress" },
  ];
  expect(agent.door.state.plan).toEqual(items);
  expect(await agent.compact()).toMatchObject({ ok: true });
  await agent.close();

  const model = scripted([]);
  const next = await openAgent(workspace, model, { session: agent.sessionId });
  await next.send("Go on.");
  expect(next.door.state.plan).toEqual(items);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain(
    "Your todo list:\\n- completed: Step 1\\n- in progress: Step 2",
  );
});

test("a list that is none is refused, and the one before stays", async () => {
  const wrong = { calls: [{ tool: "todo", input: { items: [{ content: "x", status: "soon" }] } }] };
  const agent = await openAgent(makeWorkspace({}), [steps("pending"), wrong]);
  expect(await agent.send("Plan.")).toMatchObject({ calls: { all: 2, failed: 1 } });
  expect(agent.door.state.plan).toEqual([{ content: "Step 1", status: "pending" }]);
});
