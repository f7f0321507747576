import { expect, test } from "vitest";
import { openApp } from "../../support/app.ts";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { must } from "./must.ts";

const wish = { dryRun: false, force: false };
const bash = (command: string) => ({ tool: "bash", input: { command } });
const but = "but in dependencies, caches and git's objects, which nobody puts back.";

async function session(workspace: Workspace, ...calls: readonly { tool: string; input: object }[]): Promise<string> {
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  for (const call of calls) expect(await gauntlet.call(call)).toMatchObject({ ok: true });
  const { sessionId } = gauntlet.session;
  await gauntlet.close();
  return sessionId;
}

test("a tag beside sources hides no change of them", async () => {
  const workspace = makeWorkspace({ "src/pay.js": "pay()\n" });
  const tag = { tool: "write", input: { path: "src/CACHEDIR.TAG", content: "x\n" } };
  await session(workspace, tag, bash("echo 'evil()' > src/pay.js"));
  const done = must(await openApp(workspace).undo(wish));
  expect(done.steps).toEqual([{ path: workspace.path("src/pay.js"), action: "restore" }]);
  expect([done.extent, workspace.read("src/pay.js")]).toEqual(["complete", "pay()\n"]);
});

const changes = bash("echo two > a.txt");
const fetches = bash("echo other > node_modules/dep/index.js");

test.each([
  ["session", [[changes, fetches]], ""],
  ["sessions", [[changes], [fetches]], ""],
  ["sessions, twice", [[changes], [fetches], [fetches, bash("echo > node_modules/x")]], " (and 2 more)"],
])("a later call that changed only dependencies is named, and so is what stays: %s", async (_, sessions, more) => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "node_modules/dep/index.js": "dep\n" });
  const ids: string[] = [];
  for (const calls of sessions) ids.push(await session(workspace, ...calls));
  const app = openApp(workspace);
  const planned = must(await app.undo({ ...wish, dryRun: true }));
  const done = must(await app.undo(wish));
  const last = sessions.at(-1)?.at(-1)?.input.command;
  const told = `"${last}"${more} ran later: its changes lie in dependencies or caches and are not put back.`;
  expect([planned.never[0], done.never[0], done.session, workspace.read("a.txt")]).toEqual([
    told,
    told,
    ids[0],
    "one\n",
  ]);
  expect(await app.undo(wish)).toMatchObject({
    failure: { message: expect.stringContaining(`was taken back already, last in ${ids[0]}, ${but}`) },
  });
});

test("nor does the session itself keep silent about it", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "node_modules/dep/index.js": "dep\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  for (const call of [changes, fetches]) expect(await gauntlet.call(call)).toMatchObject({ ok: true });
  const { undoId } = must(await gauntlet.undo(wish));
  const message = `All that this session changed was taken back already, last by ${undoId}, ${but}`;
  expect(await gauntlet.undo(wish)).toMatchObject({ failure: { message } });
  await gauntlet.close();
});

test.each([
  [[], undefined],
  [[changes], 2],
] as const)("the way on to earlier calls is given only where there are some: %j", async (before, earlier) => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "one\n", "work.sh": "echo two > b.txt\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  for (const call of [...before, bash("sh work.sh")]) expect(await gauntlet.call(call)).toMatchObject({ ok: true });
  expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "refused", extent: "none" });
  expect(must(await gauntlet.undo(wish)).earlier).toBe(earlier);
  if (earlier !== undefined) expect(must(await gauntlet.undo({ ...wish, last: earlier })).outcome).toBe("done");
  await gauntlet.close();
});
