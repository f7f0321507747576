import { expect, test } from "vitest";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { openAgent } from "../agent/open-agent.ts";
import type { Answer } from "../agent/scripted-model.ts";
import { must } from "./must.ts";

const wish = { dryRun: false, force: false };
const refusal = { ok: false, failure: { code: "runtime_precondition_failed" } };
const writing = (content: string): Answer => ({
  calls: [{ tool: "bash", input: { command: `echo ${content} > a.txt` } }],
});

test("nothing is taken back between two calls of a run; what it would mean can be asked", async () => {
  const workspace = makeWorkspace({ "a.txt": "zero\n" });
  let asked = () => {};
  const askedAgain = new Promise<void>((resolve) => (asked = resolve));
  const agent = await openAgent(workspace, [writing("one"), { hangs: true }], {
    onAsk: agreeable(),
    onNotice: (notice) => void (notice.kind === "turn_started" && notice.turn === 2 && asked()),
  });
  const run = agent.send("Go.");
  await askedAgain;
  expect([agent.isRunning, await agent.undo(wish)]).toMatchObject([true, refusal]);
  expect(must(await agent.undo({ ...wish, dryRun: true })).outcome).toBe("planned");
  await agent.interrupt();
  await run;
  expect([agent.isRunning, workspace.read("a.txt")]).toEqual([false, "one\n"]);
  expect(must(await agent.undo(wish)).outcome).toBe("done");
  expect(workspace.read("a.txt")).toBe("zero\n");
});

test("nor while a call without a model is being judged", async () => {
  const workspace = makeWorkspace({ "a.txt": "zero\n" });
  let decide = () => {};
  let begun = () => {};
  const judged = new Promise<void>((resolve) => (begun = resolve));
  const decided = new Promise<void>((resolve) => (decide = resolve));
  const classify = async () => {
    begun();
    await decided;
    return { decision: "allow", reason: "it may" } as const;
  };
  const gauntlet = await openGauntlet(workspace, { classifier: { classify } });
  const underWay = gauntlet.call({ tool: "write", input: { path: "b.txt", content: "one\n" } });
  await judged;
  expect(await gauntlet.undo(wish)).toMatchObject(refusal);
  decide();
  await underWay;
  expect(must(await gauntlet.undo(wish)).outcome).toBe("done");
});
