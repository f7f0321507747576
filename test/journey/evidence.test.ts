import { expect, test } from "vitest";
import { agreeable, eventsOf, openGauntlet, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const acceptEdits = { settings: { permissions: { defaultMode: "acceptEdits" } } } as const;

test("an edit keeps what the file was and what it became", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, acceptEdits);
  await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
  const edited = await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } });
  const kept: Record<string, string> = {};
  for (const { kind, id } of edited.artifacts) {
    const read = await gauntlet.call({ tool: "read_artifact", input: { id } });
    kept[kind] = read.model.content.map((block) => block.text).join("");
  }
  expect(kept.before).toContain("one");
  expect(kept.after).toContain("two");
  const accesses = eventsOf(gauntlet).flatMap((event) => (event.type === "artifact.read" ? [event.data.artifact] : []));
  expect(accesses).toEqual(edited.artifacts.map(({ id }) => id));
});

test("a start records the whole plan: who, which version, which lane, which deadline, under what", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace);
  await gauntlet.call({ id: "r", tool: "read", input: { path: "a.txt" } });
  const started = eventsOf(gauntlet).find((event) => event.type === "tool_invocation.started");
  expect(started?.data).toEqual({
    invocationId: expect.stringMatching(/^inv_/),
    intentId: "r",
    tool: "read",
    version: "1",
    executor: { kind: "builtin", gauntlet: expect.any(String), pid: process.pid },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    lane: "safe",
    timeoutMs: expect.any(Number),
    effects: [expect.objectContaining({ op: "read", scope: "file" })],
    sandbox: expect.objectContaining({ network: "none", writable: [] }),
  });
});

test("a call that has to wait for its lane says so in the log", async () => {
  const workspace = makeWorkspace();
  const gauntlet = await openGauntlet(workspace, acceptEdits);
  await gauntlet.batch([
    { id: "first", tool: "write", input: { path: "a.txt", content: "a" } },
    { id: "second", tool: "write", input: { path: "b.txt", content: "b" } },
  ]);
  expect(typesOf(eventsOf(gauntlet), "first")).not.toContain("tool_invocation.queued");
  expect(typesOf(eventsOf(gauntlet), "second")[1]).toBe("tool_invocation.queued");
});

test("six large results together stay within the budget of a turn", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const files = Object.fromEntries(names.map((name) => [`${name}.txt`, `${name.repeat(99)}\n`.repeat(900)]));
  const gauntlet = await openGauntlet(makeWorkspace(files), {
    settings: { limits: { turnChars: 60_000 } },
    onAsk: agreeable(),
  });
  const answers = await gauntlet.batch(names.map((name) => ({ tool: "read", input: { path: `${name}.txt` } })));
  const chars = answers.flatMap((answer) => answer.model.content).reduce((sum, block) => sum + block.text.length, 0);
  expect({ fits: chars <= 60_000, told: answers.every((answer) => answer.model.truncated) }).toEqual({
    fits: true,
    told: true,
  });
});
