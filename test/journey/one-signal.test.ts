import { expect, test } from "vitest";
import { eventsOf, heldQuestion, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

test("a call's own signal ends that call and leaves the others alone", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const started = Promise.withResolvers<void>();
  const gauntlet = await openGauntlet(workspace, {
    settings: { permissions: { allow: ["Bash(sleep 60)"] } },
    onNotice: (notice) => {
      if (notice.kind === "started" && notice.intentId === "long") started.resolve();
    },
  });
  const stop = new AbortController();
  const long = gauntlet.call({ id: "long", tool: "bash", input: { command: "sleep 60" }, signal: stop.signal });
  await started.promise;
  stop.abort();
  expect(await long).toMatchObject({ ok: false, code: "cancelled" });
  expect(await gauntlet.call({ tool: "read", input: { path: "a.txt" } })).toMatchObject({ ok: true });
  const never = await gauntlet.call({ tool: "read", input: { path: "a.txt" }, signal: stop.signal });
  expect(never).toMatchObject({ code: "cancelled", effects: { happened: "nothing" } });
});

test("a question goes with the call that it belongs to", async () => {
  const workspace = makeWorkspace();
  const { asked, onAsk } = heldQuestion();
  const gauntlet = await openGauntlet(workspace, { onAsk });
  const stop = new AbortController();
  const call = gauntlet.call({ tool: "write", input: { path: "b.txt", content: "b\n" }, signal: stop.signal });
  await asked;
  stop.abort();
  expect(await call).toMatchObject({ code: "cancelled", effects: { happened: "nothing" } });
  expect(gauntlet.session.state.pending.size).toBe(0);
  expect(eventsOf(gauntlet).some(({ type }) => type === "tool_invocation.started")).toBe(false);
});
