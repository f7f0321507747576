import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { openApp } from "../../support/app.ts";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { must } from "./must.ts";

const wish = { dryRun: false, force: false };
const script = fileURLToPath(new URL("killed-command.ts", import.meta.url));

/** A session whose process is killed while its command runs, once it has made `until`; or as soon as it has begun. */
async function killed(
  workspace: Workspace,
  command: string,
  { until, background = false }: { readonly until?: string; readonly background?: boolean } = {},
): Promise<string> {
  const places = [workspace.root, workspace.state, workspace.home];
  const child = spawn(process.execPath, [script, ...places, command, ...(background ? ["background"] : [])], {
    env: { PATH: process.env.PATH, HOME: workspace.home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { value: session = "" } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const hasBegun = () =>
    [...must(must(openApp(workspace).archive()).events(session))].some(
      ({ type }) => type === "tool_invocation.started",
    );
  const isThere = () => (until === undefined ? hasBegun() : existsSync(workspace.path(until)));
  await vi.waitFor(() => expect(isThere()).toBe(true), { timeout: 20_000, interval: 20 });
  child.kill("SIGKILL");
  await new Promise((resolve) => child.on("close", resolve));
  return session;
}

async function edited(workspace: Workspace): Promise<string> {
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call({ tool: "write", input: { path: "a.txt", content: "A\n" } });
  const { sessionId } = gauntlet.session;
  await gauntlet.close();
  return sessionId;
}

test("a command that was cut off in its view changed nothing, and hides no earlier call", async () => {
  const workspace = makeWorkspace({ "b.txt": "B1\n" });
  const earlier = await edited(workspace);
  await killed(workspace, "sed -i s/B1/B2/ b.txt; sleep 60");
  expect(workspace.read("b.txt")).toBe("B1\n");
  const app = openApp(workspace);
  expect(must(await app.undo(wish))).toMatchObject({ session: earlier, outcome: "done", extent: "complete" });
  expect(existsSync(workspace.path("a.txt"))).toBe(false);
});

test("a direct one is not passed over in silence, and nothing of it is undone", async () => {
  const workspace = makeWorkspace({ "work.sh": "echo B2 > b.txt; touch runs; sleep 60\n" });
  const earlier = await edited(workspace);
  const session = await killed(workspace, "sh work.sh", { until: "runs", background: true });
  const app = openApp(workspace);
  for (const dryRun of [true, false]) {
    const report = must(await app.undo({ ...wish, dryRun }));
    expect([report.session, report.blocked, report.steps, report.calls.map((call) => call.interrupted)]).toEqual([
      session,
      true,
      [],
      [true],
    ]);
    expect(report.never.join(" ")).toContain('"sh work.sh" was interrupted: ');
    // The session has no other call.
    expect(report.earlier).toBeUndefined();
  }
  expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["A\n", "B2\n"]);
  expect(must(await app.undo({ ...wish, session: earlier }))).toMatchObject({ outcome: "done" });
});

test("one that could only read is no reason to stop", async () => {
  const workspace = makeWorkspace({ "b.txt": "B1\n" });
  const earlier = await edited(workspace);
  await killed(workspace, "cat b.txt; sleep 60");
  expect(must(await openApp(workspace).undo(wish))).toMatchObject({ session: earlier, outcome: "done" });
});
