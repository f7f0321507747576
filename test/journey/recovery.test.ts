import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import type { FileEffect } from "../../src/contract/effect.ts";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { PermissionRequest } from "../../src/contract/verdict.ts";
import type { Gauntlet } from "../../src/index.ts";
import { processesWith } from "../escape/process-search.ts";
import { abandonedSession, askedSession } from "../support/abandoned-session.ts";
import { ended, linesOf, startCommand } from "../support/command.ts";
import { agreeable, eventsOf, openGauntlet, plain, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

/** A `gauntlet pipe` that the test feeds and kills. */
function startPipe(workspace: Workspace, args: readonly string[]) {
  const child = startCommand(workspace, ["pipe", ...args]);
  child.stdin.on("error", () => {});
  const lines = linesOf(child)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended(child);
  });
  return {
    send: (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`),
    async line(): Promise<unknown> {
      const next = await lines.next();
      if (next.done) throw new Error("The pipe ended");
      return JSON.parse(next.value);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended(child);
    },
  };
}

function sessionOf(workspace: Workspace): string {
  const [file] = readdirSync(`${workspace.state}/sessions`).filter((name) => name.endsWith(".db"));
  if (file === undefined) throw new Error("There is no session");
  return file.slice(0, -3);
}

async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000, interval: 5 });
}

function expectNothingOpen(gauntlet: Gauntlet): void {
  const { status, pending, openIntents, openInvocations, openJobs } = gauntlet.session.state;
  expect({ status, pending, openIntents, openInvocations, openJobs }).toEqual({
    status: "idle",
    pending: new Map(),
    openIntents: new Map(),
    openInvocations: new Map(),
    openJobs: new Map(),
  });
}

const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });

describe("kill -9", () => {
  test("while a command runs: the call is closed as interrupted, and never run again", async () => {
    const workspace = makeWorkspace();
    const marker = `marker-${randomUUID()}`;
    const pipe = startPipe(workspace, ["--mode", "bypass"]);
    pipe.send({ id: "before", ...bash("echo before >> runs.txt") });
    expect(await pipe.line()).toMatchObject({ intentId: "before", ok: true });
    pipe.send([
      { id: "open", ...bash(`echo ran >> runs.txt; exec -a ${marker} sleep 300`) },
      { id: "behind", ...bash("echo behind >> runs.txt") },
    ]);
    await until(() => processesWith(marker).length > 0);
    await pipe.kill();
    await until(() => processesWith(marker).length === 0);

    const session = sessionOf(workspace);
    const gauntlet = await openGauntlet(workspace, { session, onAsk: agreeable() });
    const replayed = gauntlet.archive.replay(session);
    if (!replayed.ok) throw new Error(replayed.failure.message);
    const [before, open, behind] = replayed.value.observations;
    expect(before).toMatchObject({ intentId: "before", ok: true });
    expect(open).toMatchObject({
      intentId: "open",
      ok: false,
      phase: "execute",
      code: "interrupted",
      retryable: false,
      effects: { happened: "unknown" },
    });
    expect(behind).toMatchObject({
      intentId: "behind",
      phase: "schedule",
      code: "interrupted",
      effects: { happened: "nothing" },
    });
    expect(typesOf(eventsOf(gauntlet), "open").slice(-2)).toEqual(["tool_invocation.ended", "tool.observed"]);
    expectNothingOpen(gauntlet);
    // It wrote to its view, and nothing of that was applied.
    expect(workspace.read("runs.txt")).toBe("before\n");
    expect(await gauntlet.call({ id: "open", ...bash("echo again >> runs.txt") })).toMatchObject({
      code: "bad_request",
    });
    expect(gauntlet.archive.verify(session)).toMatchObject({ ok: true, value: [{ ok: true, problems: [] }] });
  });

  test("while a job runs: it dies with its session, and any later process closes it", async () => {
    const workspace = makeWorkspace();
    const marker = `marker-${randomUUID()}`;
    const pipe = startPipe(workspace, ["--mode", "bypass"]);
    pipe.send({ id: "job", ...bash(`touch up; exec -a ${marker} sleep 300`, { run_in_background: true }) });
    expect(await pipe.line()).toMatchObject({ intentId: "job", ok: true });
    await until(() => existsSync(workspace.path("up")));
    await pipe.kill();
    await until(() => processesWith(marker).length === 0);

    const session = sessionOf(workspace);
    const other = await openGauntlet(workspace);
    expect(other.session.sessionId).not.toBe(session);
    const replayed = other.archive.replay(session);
    expect(replayed).toMatchObject({ ok: true, value: { state: { openJobs: new Map() } } });
    const events = other.archive.events(session, { types: ["job.ended"] });
    expect(events.ok && [...events.value].map(({ data }) => data)).toEqual([
      { jobId: expect.any(String), state: "interrupted" },
    ]);
    const again = await openGauntlet(workspace, { session });
    const undo = await again.undo({ call: "job", dryRun: true, force: false });
    expect(undo.ok && undo.value).toMatchObject({
      extent: "none",
      steps: [],
      never: expect.arrayContaining([expect.stringContaining("was interrupted: ")]),
    });
  });
});

describe("a question that outlives its process", () => {
  async function leaveQuestion(workspace: Workspace): Promise<{ session: string; request: PermissionRequest }> {
    const pipe = startPipe(workspace, ["--on-ask", "wait"]);
    pipe.send({ id: "asked", tool: "write", input: { path: "made.txt", content: "made\n" } });
    const line = (await pipe.line()) as { type: string; request: PermissionRequest };
    expect(line.type).toBe("permission_request");
    await pipe.kill();
    return { session: sessionOf(workspace), request: line.request };
  }

  async function reopen(workspace: Workspace, session: string, settings: SettingsFile = {}) {
    const gauntlet = await openGauntlet(workspace, { session, settings });
    return { gauntlet, answer: gauntlet.session.answer.bind(gauntlet.session) };
  }

  test("is still there, and yes runs it once", async () => {
    const workspace = makeWorkspace();
    const { session, request } = await leaveQuestion(workspace);
    const { gauntlet, answer } = await reopen(workspace, session);
    expect(plain(gauntlet.session.state)).toMatchObject({
      status: "requires_action",
      pending: { [request.id]: { intentId: "asked", digest: request.digest } },
    });
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
    const answered = answer({ request: request.id, answer: "allow", by: "ada" });
    const again = answer({ request: request.id, answer: "allow", by: "eve" });
    expect(again).toMatchObject({ ok: false, failure: { code: "bad_request" } });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      intentId: "asked",
      ok: true,
      permission: { request: request.id, answeredBy: "ada" },
    });
    expect(workspace.read("made.txt")).toBe("made\n");
    expect(typesOf(eventsOf(gauntlet), "asked")).toEqual([
      "tool_intent.proposed",
      "tool_intent.checked",
      "permission.decided",
      "permission.requested",
      "permission.answered",
      "tool_invocation.started",
      "tool_invocation.ended",
      "tool.observed",
    ]);
    expectNothingOpen(gauntlet);
  });

  test("no denies it, with the words that were given", async () => {
    const workspace = makeWorkspace();
    const { session, request } = await leaveQuestion(workspace);
    const { gauntlet, answer } = await reopen(workspace, session);
    const answered = answer({ request: request.id, answer: "deny", message: "Not this file." });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      code: "user_denied",
      summary: expect.stringContaining("Not this file."),
      permission: { request: request.id },
      effects: { happened: "nothing" },
    });
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
    expectNothingOpen(gauntlet);
  });

  test("yes does not outweigh what the rules say by now", async () => {
    const workspace = makeWorkspace();
    const { session, request } = await leaveQuestion(workspace);
    const { answer } = await reopen(workspace, session, { permissions: { deny: ["Edit(/made.txt)"] } });
    const answered = answer({ request: request.id, answer: "allow" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({ ok: false, code: "policy_denied" });
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
  });

  test("yes does not cover what has changed since", async () => {
    const workspace = makeWorkspace();
    const { session, request } = await leaveQuestion(workspace);
    workspace.write("made.txt", "somebody else was here\n");
    const { answer } = await reopen(workspace, session);
    const answered = answer({ request: request.id, answer: "allow" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      ok: false,
      effects: { happened: "nothing" },
    });
    expect(workspace.read("made.txt")).toBe("somebody else was here\n");
  });

  test("an answer that comes too late agrees to nothing", async () => {
    const workspace = makeWorkspace();
    const expiresAt = Date.now() + 60_000;
    const session = askedSession(workspace, { expiresAt });
    const { gauntlet, answer } = await reopen(workspace, session);
    expect([...gauntlet.session.state.pending.keys()]).toEqual(["req_left-open"]);
    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt });
    onTestFinished(() => void vi.useRealTimers());
    const answered = answer({ request: "req_left-open", answer: "allow" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      code: "approval_expired",
      effects: { happened: "nothing" },
    });
    expect(existsSync(workspace.path("new.txt"))).toBe(false);
    expectNothingOpen(gauntlet);
  });

  test("one that has run out is closed with its session", async () => {
    const workspace = makeWorkspace();
    const session = askedSession(workspace, { expiresAt: Date.now() - 1 });
    const { gauntlet, answer } = await reopen(workspace, session);
    expect(answer({ request: "req_left-open", answer: "allow" })).toMatchObject({ ok: false });
    const replayed = gauntlet.archive.replay(session);
    expect(replayed.ok && replayed.value.observations).toMatchObject([
      { intentId: "left-open", phase: "permission", code: "approval_expired", effects: { happened: "nothing" } },
    ]);
    expectNothingOpen(gauntlet);
  });

  test("an interrupt withdraws it", async () => {
    const workspace = makeWorkspace();
    const { session, request } = await leaveQuestion(workspace);
    const { gauntlet, answer } = await reopen(workspace, session);
    await gauntlet.session.interrupt("no longer wanted");
    expect(answer({ request: request.id, answer: "allow" })).toMatchObject({ ok: false });
    expectNothingOpen(gauntlet);
    const replayed = gauntlet.archive.replay(session);
    expect(replayed.ok && replayed.value.observations).toMatchObject([
      { intentId: "asked", code: "cancelled", effects: { happened: "nothing" } },
    ]);
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
  });
});

describe("a change of several files that was cut in the middle", () => {
  const before = { "a.txt": "a before\n", "b.txt": "b before\n" };
  const after = { "a.txt": "a after\n", "b.txt": "b after\n", "new.txt": "new\n" };
  type Name = keyof typeof after;
  const names = Object.keys(after) as readonly Name[];

  function cut(workspace: Workspace, done: readonly Name[]): string {
    return abandonedSession(workspace, {
      tool: "multi_edit",
      invocationId: "inv_cut",
      effects: names.map(
        (name): FileEffect => ({
          op: "write",
          path: { written: name, resolved: workspace.path(name), kind: "file" },
          scope: "file",
        }),
      ),
      meanwhile(log, store) {
        for (const text of [...Object.values(before), ...Object.values(after)]) store.artifacts.put("before", text);
        const changes = names.map((name) => ({
          path: workspace.path(name),
          ...(name === "new.txt" ? {} : { before: sha256(before[name]) }),
          after: sha256(after[name]),
        }));
        log.append([{ type: "file.change_planned", data: { invocationId: "inv_cut", changes } }]);
        for (const name of done) workspace.write(name, after[name]);
        workspace.write(".gauntlet-not-ours.tmp", "");
      },
    });
  }

  test.each<{ done: readonly Name[]; left: Record<string, string> }>([
    { done: [], left: before },
    { done: ["a.txt"], left: before },
    { done: ["new.txt"], left: before },
    { done: ["b.txt", "new.txt"], left: before },
    { done: ["a.txt", "b.txt", "new.txt"], left: after },
  ])("after $done", async ({ done, left }) => {
    const workspace = makeWorkspace(before);
    const session = cut(workspace, done);
    const gauntlet = await openGauntlet(workspace, { session });
    const files = readdirSync(workspace.root).filter((name) => name.endsWith(".txt"));
    expect(Object.fromEntries(files.map((name) => [name, workspace.read(name)]))).toEqual(left);
    expect(existsSync(workspace.path(".gauntlet-not-ours.tmp"))).toBe(true);
    const replayed = gauntlet.archive.replay(session);
    expect(replayed.ok && replayed.value.observations).toMatchObject([{ code: "interrupted", ok: false }]);
    const restored = left === after ? [] : done;
    expect(eventsOf(gauntlet).flatMap((event) => (event.type === "file.changed" ? [event.data.path] : []))).toEqual(
      restored.map((name) => workspace.path(name)),
    );
  });

  test("stays as it is where somebody else has been at work since", async () => {
    const workspace = makeWorkspace(before);
    const session = cut(workspace, ["a.txt"]);
    workspace.write("b.txt", "b by hand\n");
    await openGauntlet(workspace, { session });
    expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["a after\n", "b by hand\n"]);
  });
});
