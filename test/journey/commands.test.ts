import { createHash, randomUUID } from "node:crypto";
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { DoorNotice } from "../../src/contract/app/door.ts";
import type { Observation } from "../../src/contract/observation.ts";
import { defineTool } from "../../src/contract/tool.ts";
import type { Gauntlet } from "../../src/index.ts";
import { processesWith } from "../escape/process-search.ts";
import { agreeable, direct, eventsOf, type OpenOptions, openGauntlet, plain, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });

async function open(workspace: Workspace, more: OpenOptions = {}): Promise<Gauntlet> {
  return openGauntlet(workspace, { onAsk: agreeable(), ...more });
}

/** Stands in the command line of every process of the command, and of no other. */
function marked(command: (marker: string) => string) {
  const marker = `marker-${randomUUID()}`;
  return { marker, command: command(marker) };
}

/** Sleeps in the shell, in a child, and in a grandchild that left the process group and the terminal session. */
const family = (marker: string) =>
  `sleeper() { exec -a ${marker} sleep 300; }; (sleeper) & setsid bash -c 'exec -a ${marker}-away sleep 300' & touch up; sleeper`;

async function untilUp(workspace: Workspace): Promise<void> {
  await vi.waitFor(() => expect(existsSync(workspace.path("up"))).toBe(true), { timeout: 10_000, interval: 5 });
}

describe("ending a command", () => {
  test("a deadline ends the whole tree, also what left its process group", async () => {
    const workspace = makeWorkspace();
    const { marker, command } = marked(family);
    const gauntlet = await open(workspace);
    const observation = await gauntlet.call(bash(command, { timeout_ms: 400 }));
    expect(observation).toMatchObject({ ok: false, phase: "execute", code: "timeout", retryable: true });
    expect(processesWith(marker)).toEqual([]);
    expect(await gauntlet.call(bash("echo on"))).toMatchObject({ ok: true });
  });

  test("an interrupt cancels what may be cancelled: the whole tree", async () => {
    const workspace = makeWorkspace();
    const { marker, command } = marked(family);
    const gauntlet = await open(workspace, { settings: direct });
    const call = gauntlet.call(bash(command));
    await untilUp(workspace);
    expect(processesWith(marker)).not.toEqual([]);
    await gauntlet.session.interrupt("enough");
    expect(processesWith(marker)).toEqual([]);
    expect(await call).toMatchObject({ ok: false, code: "cancelled", effects: { happened: "unknown" } });
    expect(await gauntlet.call(bash("echo on"))).toMatchObject({ ok: true });
  });

  test("an interrupt waits for a tool that must not be cut", async () => {
    let finish = () => {};
    let seen: AbortSignal | undefined;
    const tool = defineTool({
      name: "careful",
      version: "1",
      description: "Must not be cut.",
      family: "other",
      risks: ["write"],
      interrupt: "block",
      input: z.strictObject({}),
      async run(_input, { signal }) {
        seen = signal;
        await new Promise<void>((resolve) => (finish = resolve));
        return { ok: true, data: {} };
      },
    });
    const gauntlet = await open(makeWorkspace(), { tools: [tool] });
    const call = gauntlet.call({ tool: "careful", input: {} });
    await expect.poll(() => seen).toBeDefined();
    const interrupted = gauntlet.session.interrupt();
    expect(seen?.aborted).toBe(false);
    finish();
    await interrupted;
    expect(await call).toMatchObject({ ok: true });
  });

  test("a tool that does not listen is left behind, and what it does later does not count", async () => {
    const tool = defineTool({
      name: "deaf",
      version: "1",
      description: "Never ends.",
      family: "other",
      risks: ["read"],
      input: z.strictObject({}),
      timeoutMs: () => 5,
      run: () => new Promise(() => {}),
    });
    const gauntlet = await open(makeWorkspace(), { tools: [tool] });
    expect(await gauntlet.call({ tool: "deaf", input: {} })).toMatchObject({ ok: false, code: "timeout" });
    expect(gauntlet.session.state.openInvocations.size).toBe(0);
  });

  test("a tool that gives itself more time than any timer has is not ended at once", async () => {
    const workspace = makeWorkspace();
    const tool = defineTool({
      name: "patient",
      version: "1",
      description: "Runs one command.",
      family: "other",
      risks: ["execute"],
      input: z.strictObject({}),
      timeoutMs: () => 2 ** 40,
      effects: (_input, view) => {
        const cwd = view.resolve(".", view.workspace.cwd);
        if (!cwd.ok) throw new Error(cwd.failure.message);
        return {
          effects: [{ op: "unknown", why: "it runs" }],
          command: { text: "sleep 0.1; echo ran", cwd: cwd.value },
        };
      },
      async run(_input, { processes }) {
        const ran = await processes.runPermitted({ timeoutMs: 2 ** 40, foregroundMs: 2 ** 40 });
        return ran.ok ? { ok: true, data: { printed: ran.value.stdout.complete } } : ran;
      },
      summarize: (result) => ({
        title: "Patient",
        summary: "It ran.",
        model: [],
        user: "It ran.",
        data: result.ok ? result.data : {},
      }),
    });
    const gauntlet = await open(workspace, { tools: [tool] });
    expect(await gauntlet.call({ tool: "patient", input: {} })).toMatchObject({ ok: true, data: { printed: "ran\n" } });
  });
});

describe("background jobs", () => {
  test("start, read, stop: nothing of the tree is left, and the log says so", async () => {
    const workspace = makeWorkspace();
    const { marker, command } = marked((name) => `echo first; ${family(name)}`);
    const gauntlet = await open(workspace);
    const started = await gauntlet.call(bash(command, { run_in_background: true }));
    const id = jobOf(started);
    expect(started).toMatchObject({ ok: true, model: { next: { tool: "task_output", input: { id } } } });
    await untilUp(workspace);
    await expect
      .poll(() => gauntlet.call({ tool: "task_output", input: { id } }))
      .toMatchObject({ ok: true, data: { id, state: "running", stdoutPreview: "first\n" } });
    expect([...gauntlet.session.state.openJobs.keys()]).toEqual([id]);
    expect(await gauntlet.call({ tool: "task_stop", input: { id } })).toMatchObject({
      ok: true,
      data: { id, state: "stopped" },
    });
    expect(processesWith(marker)).toEqual([]);
    expect(gauntlet.session.state.openJobs.size).toBe(0);
    expect(jobEnds(gauntlet)).toEqual([expect.objectContaining({ jobId: id, state: "stopped" })]);
  });

  test("a command without a deadline moves to the background by itself and its later output is kept", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await open(workspace, { settings: { ...direct, limits: { foregroundMs: 150 } } });
    const moved = await gauntlet.call(
      bash("echo early; until test -e go; do sleep 0.02; done; echo late; echo x > made.txt; exit 7"),
    );
    const id = jobOf(moved);
    expect(moved).toMatchObject({ ok: true, model: { next: { tool: "task_output", input: { id } } } });
    workspace.write("go", "");
    expect(await gauntlet.call({ tool: "task_output", input: { id, wait_ms: 20_000 } })).toMatchObject({
      ok: true,
      data: { id, state: "ended", exitCode: 7, stdoutPreview: "early\nlate\n" },
    });
    expect(jobEnds(gauntlet)).toEqual([{ jobId: id, state: "ended", exitCode: 7, signal: null }]);
    expect([...gauntlet.session.state.changedFiles.keys()]).toContain(workspace.path("made.txt"));
  });

  test("a deadline holds for a job as well", async () => {
    const workspace = makeWorkspace();
    const { marker, command } = marked(family);
    const gauntlet = await open(workspace);
    const id = jobOf(await gauntlet.call(bash(command, { run_in_background: true, timeout_ms: 2_000 })));
    expect(await gauntlet.call({ tool: "task_output", input: { id, wait_ms: 20_000 } })).toMatchObject({
      data: { id, state: "stopped" },
    });
    expect(processesWith(marker)).toEqual([]);
  });

  test("a job keeps its output by artifact when it is large", async () => {
    const gauntlet = await open(makeWorkspace());
    const id = jobOf(await gauntlet.call(bash("seq 1 200000", { run_in_background: true })));
    const ended = await gauntlet.call({ tool: "task_output", input: { id, wait_ms: 20_000 } });
    expect(ended).toMatchObject({ ok: true, data: { state: "ended", exitCode: 0 }, model: { truncated: true } });
    const artifact = ended.artifacts.find(({ kind }) => kind === "command_output");
    expect(
      await gauntlet.call({ tool: "read_artifact", input: { id: artifact?.id ?? "", offset: 123_456, limit: 1 } }),
    ).toMatchObject({ ok: true, model: { content: [{ text: expect.stringContaining("123456") }] } });
    expect(typesOf(eventsOf(gauntlet))).toContain("artifact.stored");
  });

  test("closing the session ends what runs, and records that", async () => {
    const workspace = makeWorkspace();
    const { marker, command } = marked(family);
    const gauntlet = await open(workspace, { settings: direct });
    const call = gauntlet.call({ id: "cut", ...bash(command) });
    await untilUp(workspace);
    const session = gauntlet.session.sessionId;
    await gauntlet.close();
    expect(processesWith(marker)).toEqual([]);
    const observation = await call;
    expect(observation).toMatchObject({ ok: false, code: "cancelled" });
    const auditor = await open(workspace);
    const replayed = auditor.archive.replay(session);
    expect(replayed.ok && replayed.value.observations).toEqual([plain(observation)]);
    expect(await gauntlet.call(bash("true"))).toMatchObject({ ok: false, code: "bad_request" });
  });

  test("closing the session stops its jobs", async () => {
    const workspace = makeWorkspace();
    const { marker, command } = marked(family);
    const gauntlet = await open(workspace);
    await gauntlet.call(bash(command, { run_in_background: true }));
    await untilUp(workspace);
    const session = gauntlet.session.sessionId;
    await gauntlet.close();
    expect(processesWith(marker)).toEqual([]);
    const auditor = await open(workspace);
    expect(auditor.archive.replay(session)).toMatchObject({ ok: true, value: { state: { openJobs: new Map() } } });
  });
});

describe("what a command is given", () => {
  test("the working directory is kept from command to command, inside the workspace", async () => {
    const workspace = makeWorkspace({ "sub/deep/a.txt": "one\n" });
    const gauntlet = await open(workspace);
    expect(await gauntlet.call(bash("cd sub && cd deep"))).toMatchObject({ data: { cwdAfter: "sub/deep" } });
    expect(await gauntlet.call(bash("cat a.txt; cd ../../.."))).toMatchObject({ data: { stdoutPreview: "one\n" } });
    expect(await gauntlet.call(bash("pwd"))).toMatchObject({
      data: { stdoutPreview: `${workspace.path("sub/deep")}\n` },
    });
    expect(await gauntlet.call(bash("pwd", { cwd: ".." }))).toMatchObject({
      data: { stdoutPreview: `${workspace.path("sub")}\n` },
    });
    expect(await gauntlet.call({ tool: "read", input: { path: "sub/deep/a.txt" } })).toMatchObject({ ok: true });
  });

  test("a working directory that has gone is told, and nothing runs", async () => {
    const workspace = makeWorkspace({ "sub/a.txt": "one\n", "other/b.txt": "two\n" });
    const gauntlet = await open(workspace);
    await gauntlet.call(bash("cd sub"));
    await gauntlet.call({ tool: "delete", input: { path: "sub" } });
    const refused = await gauntlet.call(bash("echo ran"));
    expect(refused).toMatchObject({
      ok: false,
      code: "runtime_precondition_failed",
      field: "cwd",
      effects: { happened: "nothing", seen: [] },
    });
    expect(refused.summary).toContain("sub");
    expect(await gauntlet.call(bash("cd other", { cwd: workspace.root }))).toMatchObject({ ok: true });
    expect(await gauntlet.call(bash("cat b.txt"))).toMatchObject({ ok: true });
  });

  test("the environment of the caller stays outside", async () => {
    vi.stubEnv("GAUNTLET_TEST_TOKEN", "swordfish-4711");
    try {
      const gauntlet = await open(makeWorkspace());
      const observation = await gauntlet.call(bash("env; set; export -p"));
      expect(observation).toMatchObject({ ok: true });
      expect(JSON.stringify(observation)).not.toContain("GAUNTLET_TEST_TOKEN");
      expect(JSON.stringify(observation)).not.toContain("swordfish");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("what rules keep out of its sight is told, and secrets where it may have missed one", async () => {
    const workspace = makeWorkspace({ "test/a.js": "a", "a.log": "a", "src/b.log": "b", ".env": "TOKEN=x\n" });
    const settings = { permissions: { deny: ["Read(./test/**)", "Read(*.log)"] } };
    const gauntlet = await open(workspace, { settings });
    const hidden = async (command: string) =>
      (await gauntlet.call(bash(command))).model.content.filter(({ label }) => label === "hidden from the command");
    const byRule = "a.log and 1 more: denied by Read(*.log)\ntest: denied by Read(./test/**)";
    expect(await hidden("ls src")).toMatchObject([{ text: byRule }]);
    expect(await hidden("cat missing.js")).toMatchObject([{ text: `.env: a secret\n${byRule}` }]);
    const unruled = await open(makeWorkspace({ "a.txt": "a", ".env": "TOKEN=x\n" }));
    expect((await unruled.call(bash("ls"))).model.content.map(({ label }) => label)).toEqual(["stdout"]);
  });

  test("listeners hear of it while it runs", async () => {
    const heard: DoorNotice[] = [];
    const gauntlet = await open(makeWorkspace(), { onNotice: (notice) => heard.push(notice) });
    await gauntlet.call({ id: "long", ...bash("for i in 1 2 3 4; do echo step $i; sleep 0.4; done") });
    const kinds = heard.map(({ kind }) => kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(["started", "observed"]);
    expect(heard).toContainEqual({
      kind: "progressed",
      intentId: "long",
      progress: {
        message: expect.stringContaining("bytes of output"),
        bytes: expect.any(Number),
        tail: expect.stringMatching(/^step 1\nstep 2/),
      },
    });
    expect(typesOf(eventsOf(gauntlet))).toContain("tool_invocation.progressed");
  });
});

describe("what a command leaves", () => {
  test.each([
    ["off", "scan"],
    ["auto", "transaction"],
  ] as const)("every file that it made, changed or removed is listed, with transactions %s", async (use, seenBy) => {
    const workspace = makeWorkspace({ "changed.txt": "one\n", "gone.txt": "two\n", "same.txt": "three\n" });
    const gauntlet = await open(workspace, { settings: { transactions: { use } } });
    const observation = await gauntlet.call({
      id: "c",
      ...bash("echo more >> changed.txt; rm gone.txt; mkdir -p new/dir; echo x > new/dir/made.txt"),
    });
    const changes = [
      { op: "write", target: workspace.path("changed.txt"), change: "modified" },
      { op: "delete", target: workspace.path("gone.txt"), change: "deleted" },
      { op: "write", target: workspace.path("new"), change: "created" },
      { op: "write", target: workspace.path("new/dir"), change: "created" },
      { op: "write", target: workspace.path("new/dir/made.txt"), change: "created" },
    ];
    const files = observation.effects.seen.filter(({ op, change }) => op !== "exec" && change !== undefined);
    expect(new Set(files)).toEqual(new Set(changes));
    const recorded = eventsOf(gauntlet).flatMap((event) => (event.type === "file.changed" ? [event.data] : []));
    expect(new Set(recorded.map((one) => ({ path: one.path, change: one.change, seenBy: one.seenBy })))).toEqual(
      new Set(changes.map(({ target, change }) => ({ path: target, change, seenBy }))),
    );
  });

  test("a command that was judged to read cannot write", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace);
    const [started] = [await gauntlet.call({ id: "r", ...bash("cat a.txt") })];
    expect(started).toMatchObject({ ok: true, permission: { decision: "allow", risk: "R1" } });
    const profile = eventsOf(gauntlet).flatMap((event) =>
      event.type === "tool_invocation.started" ? [event.data.sandbox] : [],
    );
    expect(profile).toEqual([expect.objectContaining({ backend: "bubblewrap", enforces: true, writable: [] })]);
  });

  test("100 MB of output: bounded for the model, complete as evidence, readable in the middle", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await open(workspace);
    const line = "all work and no play makes a dull log";
    const lines = Math.ceil((100 * 1024 * 1024) / (line.length + 1));
    const observation = await gauntlet.call(bash(`yes '${line}' | head -n ${lines}; echo the end >&2; exit 3`));
    const bytes = lines * (line.length + 1);
    expect(observation).toMatchObject({
      ok: false,
      code: "command_failed",
      data: { exitCode: 3, stdoutBytes: bytes, stderrPreview: "the end\n" },
      model: { truncated: true },
    });
    expect(observation.model.omittedBytes).toBeGreaterThan(bytes - 100_000);
    expect(JSON.stringify(observation).length).toBeLessThan(100_000);

    const artifact = observation.artifacts.find(({ kind }) => kind === "command_output");
    expect(artifact?.bytes).toBe(bytes);
    const expected = hashOfLines(line, lines);
    expect(artifact?.id).toBe(`sha256-${expected}`);
    expect(await hashOfFile(artifactFile(workspace, expected))).toBe(expected);

    const middle = Math.floor(lines / 2);
    const part = await gauntlet.call({
      tool: "read_artifact",
      input: { id: artifact?.id ?? "", offset: middle, limit: 2 },
    });
    expect(part).toMatchObject({ ok: true });
    expect(part.model.content[0]?.text).toContain(line);
    expect(JSON.stringify(part)).toContain(String(middle));
  });
});

function jobOf(observation: Observation): string {
  const job = observation.data?.job;
  if (typeof job !== "string") throw new Error(`Not in the background: ${observation.summary}`);
  return job;
}

function jobEnds(gauntlet: Gauntlet): readonly unknown[] {
  return eventsOf(gauntlet).flatMap((event) => (event.type === "job.ended" ? [event.data] : []));
}

function hashOfLines(line: string, lines: number): string {
  const hash = createHash("sha256");
  const block = `${line}\n`.repeat(1_000);
  for (let done = 0; done < lines; done += 1_000) {
    hash.update(lines - done >= 1_000 ? block : `${line}\n`.repeat(lines - done));
  }
  return hash.digest("hex");
}

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

/** By its content hash, wherever the store keeps it, for its owner only. */
function artifactFile(workspace: Workspace, hash: string): string {
  const root = path.join(workspace.state, "artifacts");
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).find((name) => name.includes(hash));
  const file = path.join(root, found ?? "not there");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return file;
}
