import { cpSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import { must } from "../journey/undo/must.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** Recorded by version 0.1.0: calls of `gauntlet pipe`, and the demo. */
const recorded = path.join(import.meta.dirname, "sessions-0.1.0");

test("sessions of version 0.1.0 open, verify and replay", () => {
  const { root: cwd, home, state: gauntletHome } = makeWorkspace();
  cpSync(recorded, gauntletHome, { recursive: true });
  const app = must(createApp({ cwd, home, gauntletHome, environment: process.env }));
  onTestFinished(() => app.close());
  const archive = must(app.archive());

  const sessions = archive.list().toSorted((a, b) => a.events - b.events);
  expect(sessions).toMatchObject([
    { status: "idle", events: 45 },
    { status: "idle", events: 96 },
  ]);
  const told = sessions.map(({ id }) => {
    expect(must(archive.verify(id))).toMatchObject([{ ok: true, problems: [] }]);
    const replayed = must(archive.replay(id));
    must(archive.fork(id));
    return replayed.observations.map(({ tool, code }) => `${tool} ${code}`);
  });
  expect(told).toEqual([
    ["read ok", "edit ok", "bash ok", "write ok", "bash approval_unavailable", "bash policy_denied"],
    ["list ok", "bash command_failed", "read policy_denied", "read ok", "read ok", "edit ok", "bash ok"],
  ]);
});
