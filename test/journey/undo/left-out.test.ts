import { expect, test } from "vitest";
import { openApp } from "../../support/app.ts";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { must } from "./must.ts";

const wish = { dryRun: false, force: false };
const bash = (command: string) => ({ tool: "bash", input: { command } });

test("a tag beside sources hides no change of them", async () => {
  const workspace = makeWorkspace({ "src/pay.js": "pay()\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call({ tool: "write", input: { path: "src/CACHEDIR.TAG", content: "x\n" } });
  await gauntlet.call(bash("echo 'evil()' > src/pay.js"));
  await gauntlet.close();
  const done = must(await openApp(workspace).undo(wish));
  expect(done.steps).toMatchObject([{ path: workspace.path("src/pay.js"), action: "restore" }]);
  expect([done.extent, workspace.read("src/pay.js")]).toEqual(["complete", "pay()\n"]);
});

test("a call that only filled caches is not the last that changed something", async () => {
  const workspace = makeWorkspace({
    "a.txt": "one\n",
    ".gitignore": "__pycache__\n",
    "t.sh": "mkdir -p __pycache__; echo x > __pycache__/t.pyc\n",
  });
  const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk: agreeable() });
  await gauntlet.call(bash("sed -i s/one/two/ a.txt"));
  expect(await gauntlet.call(bash("sh t.sh"))).toMatchObject({ ok: true });
  expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "done", extent: "complete" });
  expect(workspace.read("a.txt")).toBe("one\n");
});
