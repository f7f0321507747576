import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { policyFor } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { DoorNotice } from "../contract/app/door.ts";
import type { HookEvent, HookHandler, HookSetting } from "../contract/settings.ts";
import type { HookAnswer } from "../contract/verdict.ts";
import { compileHooks } from "../gate/hooks/compile-hooks.ts";
import { type Occasion, preCompact, stop, userPromptSubmit } from "../gate/hooks/occasion.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { createScan } from "../host/files/scan.ts";
import { openStore } from "../log/open-store.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { createSessionHooks } from "./hooks.ts";

interface Wanted extends Partial<HookHandler> {
  readonly event: HookEvent;
  readonly command: string;
  readonly layer?: HookSetting["layer"];
}

/** The hooks of a session with real parts; only what surrounds them in a door is missing. */
async function hooksOf(wanted: readonly Wanted[], backend: "auto" | "none" = "auto") {
  const fixture = makeFixture({ "a.txt": "one\n" });
  const clock = { now: () => Date.now() };
  const ids = { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  const store = must(openStore({ directory: fixture.state, sync: "normal", clock, ids }));
  onTestFinished(() => store.close());
  const log = must(
    store.create({
      type: "session.created",
      data: {
        workspace: fixture.root,
        roots: [fixture.root],
        mode: "bypass",
        sandbox: { backend, enforces: backend === "auto" },
        settings: { hash: "", layers: [] },
        runtime: { gauntlet: "test", node: process.version, platform: process.platform },
      },
    }),
  );
  const sandbox = must(
    await createSandbox({
      backend,
      environment: process.env,
      toolchains: [],
      passEnvironment: [],
      workspaceRoots: [fixture.root],
    }),
  );
  onTestFinished(() => sandbox.close?.());
  const policy = policyFor(fixture);
  const settings = wanted.map(({ event, layer = "user", ...handler }): HookSetting => {
    return { event, handler: { type: "command", ...handler }, layer, origin: "test" };
  });
  const { hooks, problems } = compileHooks(settings, { workspace: fixture.root, home: fixture.home }, policy);
  expect(problems).toEqual([]);
  const notices: DoorNotice[] = [];
  const interruption = new AbortController();
  const session = createSessionHooks({
    hooks,
    policy,
    log,
    sandbox,
    scan: createScan(),
    clock,
    home: fixture.home,
    stateDirectory: fixture.state,
    metadata: createMetadata(),
    classify: policy.classify,
    notify: (notice) => {
      notices.push(notice);
      throw new Error("a listener that fails");
    },
    interruption: () => interruption.signal,
  });
  const ran = () => [...log.events({ types: ["hook.ran"] })].map(({ data }) => data);
  return { session, ran, fixture, notices, interruption, log };
}

function must<Value>(outcome: { readonly ok: boolean; readonly value?: Value }): Value {
  if (outcome.value === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

const seen = (field: string) => `echo "seen: $(grep -o '"${field}":[^,}]*')"`;
const remark = (command: string, text: string): HookAnswer => ({
  decision: "none",
  remarks: [{ hook: command, text }],
});

test.each<[string, Occasion, string, HookAnswer]>([
  [
    "a prompt gets what the hook prints",
    userPromptSubmit("hello"),
    seen("prompt"),
    remark(seen("prompt"), 'seen: "prompt":"hello"'),
  ],
  [
    "a prompt is blocked",
    userPromptSubmit("hello"),
    "echo no >&2; exit 2",
    { decision: "deny", reason: "no (hook echo no >&2; exit 2)" },
  ],
  [
    "a prompt is blocked by a hook that crashes",
    userPromptSubmit("hello"),
    "exit 1",
    { decision: "deny", reason: 'the hook "exit 1" failed: it ended with exit code 1', failed: ["exit 1"] },
  ],
  [
    "a run is kept going",
    stop({ active: false, lastMessage: "done" }),
    "grep -q '\"stop_hook_active\":false' && echo 'tests?' >&2 && exit 2",
    { decision: "deny", reason: expect.stringMatching(/^tests\? \(hook /) },
  ],
  [
    "a run is not kept going for ever",
    stop({ active: true }),
    "grep -q '\"stop_hook_active\":false' && exit 2; exit 0",
    { decision: "none" },
  ],
  ["a run is not kept going by a hook that crashes", stop({ active: false }), "exit 1", { decision: "none" }],
  [
    "what is left out is decided by the runtime",
    preCompact("auto", "keep names"),
    'grep -q \'"trigger":"auto","custom_instructions":"keep names"\' || exit 2',
    { decision: "none" },
  ],
  [
    "the run is ended",
    userPromptSubmit("x"),
    'echo \'{"continue":false,"stopReason":"enough"}\'',
    { decision: "deny", reason: "a hook stops the run: enough", stop: "enough" },
  ],
])("%s", async (_name, occasion, command, expected) => {
  const { session, ran } = await hooksOf([{ event: occasion.event, command }]);
  expect(await session.tell(occasion)).toEqual(expected);
  expect(ran()).toMatchObject([{ event: occasion.event, handler: { command } }]);
});

test("hooks of an occasion run side by side", async () => {
  // Each ends only when the other has begun, which needs both to run and something that both can see.
  const { session, fixture } = await hooksOf(
    ["a", "b"].map((own) => {
      const other = own === "a" ? "b" : "a";
      const command = `touch ${own}.begun; until [ -e ${other}.begun ]; do sleep 0.01; done`;
      return { event: "PreCompact", command, timeout: 20 };
    }),
    "none",
  );
  expect(await session.tell(preCompact("auto"))).toEqual({ decision: "none" });
  expect(existsSync(path.join(fixture.root, "a.begun"))).toBe(true);
});

test("a hook of the project runs only in a sandbox", async () => {
  const wanted = [{ event: "UserPromptSubmit", command: "touch ran; exit 0", layer: "project" }] as const;
  const without = await hooksOf(wanted, "none");
  expect(await without.session.tell(userPromptSubmit("x"))).toEqual({
    decision: "deny",
    reason: 'the hook "touch ran; exit 0" failed: a hook of the project runs only in a sandbox, and there is none',
    failed: ["touch ran; exit 0"],
  });
  expect(existsSync(path.join(without.fixture.root, "ran"))).toBe(false);
  expect(without.ran()).toMatchObject([{ exit: "failed", sandboxed: false }]);
  const within = await hooksOf(wanted);
  expect(await within.session.tell(userPromptSubmit("x"))).toEqual({ decision: "none" });
  expect(within.ran()).toMatchObject([{ exit: "ok", sandboxed: true }]);
});

test("a hook of the project sees nothing beside the project, whatever its text names", async () => {
  const command = 'cat ~/note.txt "$HOME/note.txt"; exit 0';
  for (const [layer, text] of [
    ["user", "noted\nnoted"],
    ["project", undefined],
  ] as const) {
    const { session, fixture } = await hooksOf([{ event: "UserPromptSubmit", command, layer }]);
    writeFileSync(path.join(fixture.home, "note.txt"), "noted\n");
    const { remarks } = await session.tell(userPromptSubmit("x"));
    expect(remarks?.[0]?.text).toBe(text);
  }
});

test("nothing of a hook is left when its time is over, and the person is told", async () => {
  const command = "touch started; (while :; do date +%N > beat; sleep 0.01; done) & sleep 60";
  const { session, fixture, ran, notices } = await hooksOf([{ event: "PreCompact", command, timeout: 0.5 }], "none");
  expect(await session.tell(preCompact("auto"))).toEqual({ decision: "none" });
  expect(ran()).toMatchObject([{ exit: "timeout" }]);
  expect(notices).toEqual([
    { kind: "hook", event: "PreCompact", hook: expect.any(String), message: "failed: it did not end within 0.5 s" },
  ]);
  writeFileSync(path.join(fixture.root, "beat"), "");
  // Every living writer would have come round several times while another process runs.
  const { session: other } = await hooksOf([{ event: "PreCompact", command: "sleep 0.2" }]);
  await other.tell(preCompact("auto"));
  expect(existsSync(path.join(fixture.root, "started"))).toBe(true);
  expect(fixture.read("beat")).toBe("");
});

test("an interrupt ends what runs", async () => {
  const { session, interruption, ran } = await hooksOf([{ event: "UserPromptSubmit", command: "sleep 60" }]);
  const telling = session.tell(userPromptSubmit("x"));
  interruption.abort("cancelled");
  expect(await telling).toMatchObject({ decision: "deny" });
  expect(ran()).toMatchObject([{ exit: "cancelled" }]);
});

test("a hook of the project runs where its files were named, a person's own where the session is", async () => {
  const { session, fixture, log } = await hooksOf([
    { event: "UserPromptSubmit", command: "pwd -P", layer: "project" },
    { event: "UserPromptSubmit", command: "pwd", layer: "user" },
  ]);
  const sub = path.join(fixture.root, "sub");
  mkdirSync(sub);
  must(log.append([{ type: "session.cwd_changed", data: { from: fixture.root, to: sub } }]));
  expect(await session.tell(userPromptSubmit("x"))).toEqual({
    decision: "none",
    remarks: [
      { hook: "pwd -P", text: fixture.root },
      { hook: "pwd", text: sub },
    ],
  });
});
