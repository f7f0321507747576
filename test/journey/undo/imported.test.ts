import { mkdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../../src/compose/app.ts";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { must } from "./must.ts";

const echo = (words: string) => ({ tool: "bash", input: { command: `echo ${words}` } });

test("what somebody else's record says was there is never put back, and it does not stand in for our own", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const theirs = await openGauntlet(workspace, { onAsk: agreeable() });
  await theirs.call(echo("two > a.txt"));
  const lines = [...must(theirs.archive.export(theirs.session.sessionId))];
  await theirs.close();

  const state = `${workspace.home}/state`;
  mkdirSync(state, { mode: 0o700 });
  const ours = await openGauntlet({ ...workspace, state }, { onAsk: agreeable() });
  await ours.call(echo("ours > ours.txt"));
  const imported = must(ours.archive.import(lines));
  await ours.close();

  const app = must(
    createApp({ cwd: workspace.root, home: workspace.home, gauntletHome: state, environment: process.env }),
  );
  onTestFinished(() => app.close());
  const refused = await app.undo({ session: imported, dryRun: false, force: true });
  expect(refused).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  expect(workspace.read("a.txt")).toBe("two\n");
  const latest = await app.undo({ dryRun: false, force: false });
  expect(latest).toMatchObject({ ok: true, value: { session: ours.session.sessionId, outcome: "done" } });
});
