import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { Asker, PermissionRequest } from "../../src/contract/verdict.ts";
import type { Gauntlet } from "../../src/index.ts";
import { direct, eventsOf, heldQuestion, openGauntlet, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const touch = (file: string) => ({ tool: "write", input: { path: file, content: "made\n" } });

describe("asking", () => {
  test("nothing happens before the answer, and the session says that it waits", async () => {
    const workspace = makeWorkspace();
    const question = heldQuestion();
    const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
    const call = gauntlet.call({ id: "w", ...touch("new.txt") });
    const request = await question.asked;
    expect({ exists: existsSync(workspace.path("new.txt")), status: gauntlet.session.state.status }).toEqual({
      exists: false,
      status: "requires_action",
    });
    expect(gauntlet.session.state.pending.get(request.id)).toMatchObject({ intentId: "w", digest: request.digest });
    question.reply({ request: request.id, answer: "allow", by: "ada" });
    expect(await call).toMatchObject({ ok: true, permission: { request: request.id, answeredBy: "ada" } });
    expect({ exists: existsSync(workspace.path("new.txt")), status: gauntlet.session.state.status }).toEqual({
      exists: true,
      status: "idle",
    });
  });

  test("the prompt shows what would happen", async () => {
    const question = heldQuestion();
    const gauntlet = await openGauntlet(makeWorkspace(), { settings: direct, onAsk: question.onAsk });
    const call = gauntlet.call({ tool: "bash", input: { command: "npm test" }, reason: "to see the failure" });
    const { prompt } = await question.asked;
    expect(prompt).toMatchObject({
      action: expect.stringContaining("npm test"),
      risk: "R3",
      effects: expect.arrayContaining([expect.any(String)]),
      sandbox: expect.stringContaining("no network"),
      outputLimit: expect.any(String),
      suggestedRules: ["Bash(npm test)"],
    });
    question.reply("unavailable");
    expect(await call).toMatchObject({ code: "approval_unavailable" });
  });

  test("a denial is a fact with the person's words, not retryable, nothing touched", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, {
      onAsk: async (request) => ({ request: request.id, answer: "deny", message: "Use the other file." }),
    });
    expect(await gauntlet.call(touch("new.txt"))).toMatchObject({
      ok: false,
      status: "denied",
      code: "user_denied",
      summary: expect.stringContaining("Use the other file."),
      retryable: false,
      effects: { happened: "nothing", seen: [] },
    });
    expect(existsSync(workspace.path("new.txt"))).toBe(false);
  });

  test("an answer to another request agrees to nothing", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { onAsk: async () => ({ request: "req_other", answer: "allow" }) });
    expect(await gauntlet.call(touch("new.txt"))).toMatchObject({ ok: false, code: "approval_unavailable" });
    expect(existsSync(workspace.path("new.txt"))).toBe(false);
  });

  test("an asker that throws has not agreed", async () => {
    const gauntlet = await openGauntlet(makeWorkspace(), {
      onAsk: async () => {
        throw new Error("the terminal went away");
      },
    });
    expect(await gauntlet.call(touch("new.txt"))).toMatchObject({ ok: false, code: "approval_unavailable" });
  });

  test.each([
    ["nothing", async () => undefined],
    ["another word for yes", async ({ id }: PermissionRequest) => ({ request: id, answer: "yes" })],
    ["an answer without a promise", ({ id }: PermissionRequest) => ({ request: id, answer: 1 })],
    [
      "a failure before any promise",
      () => {
        throw new Error("no terminal");
      },
    ],
  ])("an asker that gives %s has not agreed, and the session goes on", async (_what, answer) => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    // What a program in plain JavaScript may hand us, whatever the types say.
    const gauntlet = await openGauntlet(workspace, { onAsk: answer as Asker });
    expect(await gauntlet.call(touch("new.txt"))).toMatchObject({ ok: false, code: "approval_unavailable" });
    expect(existsSync(workspace.path("new.txt"))).toBe(false);
    expect(await gauntlet.call({ tool: "read", input: { path: "a.txt" } })).toMatchObject({ ok: true });
    expect(gauntlet.session.state.status).toBe("idle");
  });

  test("a yes for this session to an edit does not cover deleting the file", async () => {
    const asked: string[] = [];
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace, {
      onAsk: async (request) => {
        asked.push(request.tool);
        return { request: request.id, answer: "allow", remember: "session" };
      },
    });
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    for (const [before, after] of [
      ["one", "two"],
      ["two", "three"],
    ]) {
      await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: before, new_string: after } });
    }
    await gauntlet.call({ tool: "bash", input: { command: "rm a.txt" } });
    expect(asked).toEqual(["edit", "bash"]);
  });

  test("approval of one command does not cover another", async () => {
    const asked: string[] = [];
    const gauntlet = await openGauntlet(makeWorkspace(), {
      settings: direct,
      onAsk: async (request) => {
        asked.push(request.prompt.action);
        return { request: request.id, answer: "allow", remember: "session" };
      },
    });
    for (const command of ["npm test", "npm test", "npm run deploy"]) {
      await gauntlet.call({ tool: "bash", input: { command } });
    }
    expect(asked.map((action) => action.includes("deploy"))).toEqual([false, true]);
    expect(gauntlet.session.state.grants.map((grant) => grant.rule)[0]).toContain("npm test");
  });

  test("what changes between the question and the start asks anew", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const question = heldQuestion();
    const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    const call = gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } });
    const request = await question.asked;
    workspace.write("a.txt", "one but different\n");
    question.reply({ request: request.id, answer: "allow" });
    expect(await call).toMatchObject({ ok: false, code: "stale_file_baseline", effects: { seen: [] } });
    expect(workspace.read("a.txt")).toBe("one but different\n");
  });

  test.each([
    ["plan", false],
    ["dontAsk", false],
    ["acceptEdits", true],
  ] as const)("a yes that comes after the mode became %s", async (mode, runs) => {
    const workspace = makeWorkspace();
    const question = heldQuestion();
    const gauntlet = await openGauntlet(workspace, { settings: direct, onAsk: question.onAsk });
    const call = gauntlet.call({ tool: "bash", input: { command: "echo hi > made.txt" } });
    const request = await question.asked;
    expect(gauntlet.session.setMode(mode)).toMatchObject({ ok: true });
    question.reply({ request: request.id, answer: "allow" });
    expect((await call).ok).toBe(runs);
    expect(existsSync(workspace.path("made.txt"))).toBe(runs);
  });

  test("answering twice, or what was never asked, is refused", async () => {
    const question = heldQuestion();
    const gauntlet = await openGauntlet(makeWorkspace(), { onAsk: question.onAsk });
    const call = gauntlet.call(touch("new.txt"));
    const request = await question.asked;
    expect(gauntlet.session.answer({ request: request.id, answer: "allow" })).toEqual({ ok: true, value: {} });
    await call;
    expect(gauntlet.session.answer({ request: request.id, answer: "allow" })).toMatchObject({
      ok: false,
      failure: { code: "bad_request" },
    });
    expect(gauntlet.session.answer({ request: "req_never", answer: "allow" })).toMatchObject({ ok: false });
  });

  test("an interrupt withdraws the question", async () => {
    const workspace = makeWorkspace();
    const question = heldQuestion();
    const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
    const call = gauntlet.call({ id: "w", ...touch("new.txt") });
    await question.asked;
    await gauntlet.session.interrupt("changed my mind");
    expect(await call).toMatchObject({ ok: false, code: "cancelled", effects: { happened: "nothing" } });
    expect(gauntlet.session.state.pending.size).toBe(0);
    expect(typesOf(eventsOf(gauntlet))).toContain("user.interrupt");
    expect(await gauntlet.call({ tool: "list", input: { path: "." } })).toMatchObject({ ok: true });
  });

  test.each<[string, SettingsFile, (gauntlet: Gauntlet) => Asker]>([
    [
      "answered",
      {},
      () =>
        async ({ id }) => ({ request: id, answer: "deny" }),
    ],
    ["unavailable", {}, () => async () => "unavailable"],
    ["expired", { limits: { approvalMs: 5 } }, () => () => new Promise(() => {})],
    [
      "withdrawn",
      {},
      (gauntlet) => () => {
        void gauntlet.session.interrupt();
        return new Promise(() => {});
      },
    ],
  ])("the log says why the session goes on: %s", async (ending, settings, asker) => {
    const onAsk: Asker = (request, signal) => asker(gauntlet)(request, signal);
    const gauntlet = await openGauntlet(makeWorkspace(), { settings, onAsk });
    await gauntlet.call(touch("new.txt"));
    const events = eventsOf(gauntlet);
    expect(events.flatMap(({ type, data }) => (type === "session.status_changed" ? [data] : []))).toEqual([
      {
        from: "idle",
        to: "requires_action",
        reason: "waiting for the user",
        blockingEventIds: events.flatMap(({ id, type }) => (type === "permission.requested" ? [id] : [])),
      },
      { from: "requires_action", to: "idle", reason: ending },
    ]);
  });

  test("an unanswered question expires", async () => {
    const gauntlet = await openGauntlet(makeWorkspace(), {
      settings: { limits: { approvalMs: 5 } },
      onAsk: () => new Promise(() => {}),
    });
    expect(await gauntlet.call(touch("new.txt"))).toMatchObject({ ok: false, code: "approval_expired" });
  });
});
