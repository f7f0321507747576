import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.txt`, `${n} words\n`.repeat(400)]));
const reads = Object.keys(files).map((path): Answer => ({ calls: [{ tool: "read", input: { path } }] }));
const slow = {
  settings: { hooks: { PreCompact: [{ hooks: [{ type: "command" as const, command: "sleep 300", timeout: 600 }] }] } },
};

test("history that a hook is still asked about is not left out after an interrupt", async () => {
  const agent = await openAgent(makeWorkspace(files), scripted([...reads, { text: "Read." }]), slow);
  await agent.send("Read.");
  const compacting = agent.compact();
  await agent.interrupt();
  expect(await compacting).toEqual({
    ok: false,
    failure: { code: "interrupted", message: "Interrupted before the summary." },
  });
  expect(eventsOfType(agent, "context.compacted")).toEqual([]);
});

test("nor where it came to be left out by itself", async () => {
  const workspace = makeWorkspace(files);
  const uncounted = reads.map((answer): Answer => ({ ...answer, usage: "none" }));
  const model = scripted([...uncounted, { text: "Read." }], { profile: { contextTokens: 10_000 } });
  const command = "touch begun; sleep 300";
  const hooks = { PreCompact: [{ hooks: [{ type: "command" as const, command, timeout: 600 }] }] };
  const agent = await openAgent(workspace, model, { settings: { hooks, sandbox: { backend: "none" } } });
  const running = agent.send("Read.");
  await vi.waitUntil(() => existsSync(path.join(workspace.root, "begun")), { timeout: 20_000 });
  await agent.interrupt();
  expect(await running).toMatchObject({ stop: "interrupted" });
  expect(eventsOfType(agent, "context.compacted")).toEqual([]);
});

test("what is asked for twice at a time is left out once", async () => {
  const agent = await openAgent(makeWorkspace(files), scripted([...reads, { text: "Read." }]));
  await agent.send("Read.");
  expect(await Promise.all([agent.compact(), agent.compact()])).toEqual([
    { ok: true, value: { tokensBefore: expect.any(Number), tokensAfter: expect.any(Number) } },
    {
      ok: false,
      failure: { code: "runtime_precondition_failed", message: "There is no older history to compact." },
    },
  ]);
  expect(eventsOfType(agent, "context.compacted")).toHaveLength(1);
});
