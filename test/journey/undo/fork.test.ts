import { expect, test } from "vitest";
import { askedSession } from "../../support/abandoned-session.ts";
import { agreeable, eventsOf, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { must } from "./must.ts";

const bash = (command: string, id: string) => ({ id, tool: "bash", input: { command } });

test("a fork goes on from any event, with its own chain and the same ids", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "bee\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const { archive } = gauntlet;
  await gauntlet.call({ id: "look", tool: "read", input: { path: "a.txt" } });
  const point = gauntlet.session.state.seq;
  await gauntlet.call(bash("echo BEE > b.txt", "later"));
  const from = gauntlet.session.sessionId;
  const origin = eventsOf(gauntlet);

  const report = must(archive.fork(from, point));
  expect(report).toEqual({
    session: expect.stringMatching(/^ses_/),
    from,
    seq: point,
    changedSince: [workspace.path("b.txt")],
  });
  expect(must(archive.verify()).map(({ ok, problems }) => [ok, problems])).toEqual([
    [true, []],
    [true, []],
  ]);
  const copied = [...must(archive.events(report.session))];
  expect(copied.slice(0, point).map(({ id, type, data, at, seq }) => ({ id, type, data, at, seq }))).toEqual(
    origin.slice(0, point).map(({ id, type, data, at, seq }) => ({ id, type, data, at, seq })),
  );
  expect(copied.slice(point).map(({ type, data }) => ({ type, data }))).toEqual([
    { type: "session.forked", data: { from, seq: point, head: origin[point - 1]?.hash } },
  ]);
  expect(eventsOf(gauntlet)).toEqual(origin);
  await gauntlet.close();

  const forked = await openGauntlet(workspace, { session: report.session, onAsk: agreeable() });
  expect(forked.session.state.baselines.has(workspace.path("a.txt"))).toBe(true);
  const edited = await forked.call({ tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } });
  expect(edited).toMatchObject({ ok: true });
  expect(await forked.call({ id: "look", tool: "read", input: { path: "a.txt" } })).toMatchObject({
    code: "bad_request",
  });
  expect(await forked.call(bash("true", "later"))).toMatchObject({ ok: true });
});

test("by the id of an event, and never past the end", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const seen = await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
  const { sessionId } = gauntlet.session;
  expect(must(gauntlet.archive.fork(sessionId, seen.auditId)).seq).toBe(gauntlet.session.state.seq);
  expect(must(gauntlet.archive.fork(sessionId)).seq).toBe(gauntlet.session.state.seq);
  for (const at of [0, 10_000, "evt_absent"])
    expect(gauntlet.archive.fork(sessionId, at)).toMatchObject({ failure: { code: "bad_request" } });
  expect(gauntlet.archive.fork("ses_absent")).toMatchObject({ failure: { code: "bad_request" } });
  expect(gauntlet.archive.list()).toHaveLength(3);
});

test("what a person agreed to for the other session is asked for again", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, {
    onAsk: async (request) => ({ request: request.id, answer: "allow", remember: "session", by: "test" }),
  });
  await gauntlet.call(bash("touch b.txt", "asked"));
  expect(gauntlet.session.state.grants.length).toBeGreaterThan(0);
  const { session } = must(gauntlet.archive.fork(gauntlet.session.sessionId));
  await gauntlet.close();
  const ask = agreeable();
  const forked = await openGauntlet(workspace, { session, onAsk: ask });
  expect(forked.session.state.grants).toEqual([]);
  expect(await forked.call(bash("touch c.txt", "again"))).toMatchObject({ ok: true });
  expect(ask.asked).toHaveLength(1);
});

test("a question that waits there is withdrawn here, and its call is closed when the fork is opened", async () => {
  const workspace = makeWorkspace();
  const from = askedSession(workspace, { expiresAt: Date.now() + 3_600_000 });
  const first = await openGauntlet(workspace);
  const { session } = must(first.archive.fork(from));
  const forked = await openGauntlet(workspace, { session });
  const { status, pending, openIntents } = forked.session.state;
  expect({ status, pending, openIntents }).toEqual({ status: "idle", pending: new Map(), openIntents: new Map() });
  expect(must(first.archive.replay(from)).state.pending.size).toBe(1);
});

test("a session that somebody else wrote is not made ours by a fork", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
  const lines = [...must(gauntlet.archive.export(gauntlet.session.sessionId))];
  const elsewhere = await openGauntlet(makeWorkspace());
  const imported = must(elsewhere.archive.import(lines));
  expect(elsewhere.archive.fork(imported)).toMatchObject({ failure: { code: "bad_request" } });
});
