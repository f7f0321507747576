import { expect, test } from "vitest";
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
    failure: { code: "interrupted", message: "It was interrupted before anything was summed up." },
  });
  expect(eventsOfType(agent, "context.compacted")).toEqual([]);
});
