import { readdirSync, readFileSync, truncateSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Code, codeNames, codes, type Phase, phases } from "../../src/contract/codes.ts";
import { type Observation, observation as observationSchema } from "../../src/contract/observation.ts";
import { defineTool, type ToolDefinition } from "../../src/contract/tool.ts";
import { abandonedSession } from "../support/abandoned-session.ts";
import { agreeable, heldQuestion, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const read = (file: string) => ({ tool: "read", input: { path: file } });
const edit = (from: string, to: string) => ({
  tool: "edit",
  input: { path: "a.txt", old_string: from, new_string: to },
});
const write = { tool: "write", input: { path: "new.txt", content: "made\n" } };
const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });

/** A tool of the test's own that touches nothing outside the session. */
function probe(more: Partial<ToolDefinition<Record<string, never>>> = {}) {
  return defineTool<Record<string, never>>({
    name: "probe",
    version: "1",
    description: "Does what the test says.",
    family: "other",
    risks: ["read"],
    input: z.strictObject({}),
    effects: () => ({ effects: [{ op: "session", what: "probe" }] }),
    run: async () => ({ ok: true, data: {} }),
    ...more,
  });
}
const callProbe = { tool: "probe", input: {} };

interface Ending {
  readonly why: string;
  readonly code: Code;
  readonly phase: Phase;
  readonly happened: Observation["effects"]["happened"];
  /** Files may be different afterwards. */
  readonly touches?: boolean;
  /** Not in the log, because the log could not take it or it was no intent. */
  readonly unrecorded?: boolean;
  act(workspace: Workspace): Promise<Observation>;
}

const endings: readonly Ending[] = [
  {
    why: "a name that no tool has",
    code: "unknown_tool",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call({ tool: "raed", input: { path: "a.txt" } }),
  },
  {
    why: "a writing tool in plan mode",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { mode: "plan", onAsk: agreeable() })).call(write),
  },
  {
    why: "a tool that a bare deny rule removed",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) =>
      (await openGauntlet(workspace, { settings: { permissions: { deny: ["Bash"] } } })).call(bash("true")),
  },
  {
    why: "a tool whose feature is off",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { tools: [probe({ feature: "beta" })] })).call(callProbe),
  },
  {
    why: "a field of the wrong type",
    code: "schema_invalid",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call({ tool: "read", input: { path: 3 } }),
  },
  {
    why: "a command that bash would reject",
    code: "runtime_precondition_failed",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call(bash("if true; then")),
  },
  {
    why: "an edit of a file that was not read",
    code: "runtime_precondition_failed",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { onAsk: agreeable() })).call(edit("one", "two")),
  },
  {
    why: "a file that is not there",
    code: "file_not_found",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call(read("b.txt")),
  },
  {
    why: "old_string that does not occur",
    code: "text_not_found",
    phase: "validate",
    happened: "nothing",
    act: (workspace) => afterReading(workspace, edit("three", "two")),
  },
  {
    why: "old_string that occurs twice",
    code: "ambiguous_target",
    phase: "validate",
    happened: "nothing",
    act: (workspace) => afterReading(workspace, edit("o", "0")),
  },
  {
    why: "a file that somebody else changed after it was read",
    code: "stale_file_baseline",
    phase: "validate",
    happened: "nothing",
    touches: true,
    act: (workspace) => afterReading(workspace, edit("one", "two"), () => workspace.write("a.txt", "one, otherwise\n")),
  },
  {
    why: "a file above the limit of read",
    code: "budget_exceeded",
    phase: "validate",
    happened: "nothing",
    touches: true,
    async act(workspace) {
      truncateSync(workspace.write("large.txt", ""), 17 * 1024 * 1024);
      return (await openGauntlet(workspace)).call(read("large.txt"));
    },
  },
  {
    why: "a secret",
    code: "policy_denied",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { onAsk: agreeable() })).call(read(".env")),
  },
  {
    why: "a person says no",
    code: "user_denied",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) =>
      (await openGauntlet(workspace, { onAsk: async ({ id }) => ({ request: id, answer: "deny" }) })).call(write),
  },
  {
    why: "nobody to ask",
    code: "approval_unavailable",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call(write),
  },
  {
    why: "nobody answers in time",
    code: "approval_expired",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          settings: { limits: { approvalMs: 5 } },
          onAsk: () => new Promise(() => {}),
        })
      ).call(write),
  },
  {
    why: "an interrupt while the question waits",
    code: "cancelled",
    phase: "permission",
    happened: "nothing",
    async act(workspace) {
      const question = heldQuestion();
      const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
      const call = gauntlet.call(write);
      await question.asked;
      await gauntlet.session.interrupt();
      return call;
    },
  },
  {
    why: "an interrupt while the call waits for its lane",
    code: "cancelled",
    phase: "schedule",
    happened: "nothing",
    async act(workspace) {
      const question = heldQuestion();
      const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
      const batch = gauntlet.batch([write, read("a.txt")]);
      await question.asked;
      await gauntlet.session.interrupt();
      return only((await batch).slice(1));
    },
  },
  {
    why: "a tool that needs isolation where there is none",
    code: "sandbox_unavailable",
    phase: "schedule",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          settings: { sandbox: { backend: "none" } },
          tools: [probe({ requiresSandbox: true })],
          onAsk: agreeable(),
        })
      ).call(callProbe),
  },
  {
    why: "a command beyond its deadline",
    code: "timeout",
    phase: "execute",
    happened: "unknown",
    act: async (workspace) =>
      (await openGauntlet(workspace, { onAsk: agreeable() })).call(bash("sleep 60", { timeout_ms: 50 })),
  },
  {
    why: "an interrupt while the tool runs",
    code: "cancelled",
    phase: "execute",
    happened: "unknown",
    async act(workspace) {
      let started = () => {};
      const running = new Promise<void>((resolve) => (started = resolve));
      const gauntlet = await openGauntlet(workspace, {
        onAsk: agreeable(),
        onNotice: (notice) => notice.kind === "started" && started(),
      });
      const call = gauntlet.call(bash("sleep 60"));
      await running;
      await gauntlet.session.interrupt();
      return call;
    },
  },
  {
    why: "a process that died while the tool ran",
    code: "interrupted",
    phase: "execute",
    happened: "unknown",
    async act(workspace) {
      const session = abandonedSession(workspace, { tool: "probe" });
      const gauntlet = await openGauntlet(workspace, { session, onAsk: agreeable() });
      const replayed = gauntlet.archive.replay(session);
      return only(replayed.ok ? replayed.value.observations : []);
    },
  },
  {
    why: "a tool that throws",
    code: "tool_failed",
    phase: "execute",
    happened: "unknown",
    async act(workspace) {
      const tool = probe({ run: () => Promise.reject(new Error("a bug")) });
      const gauntlet = await openGauntlet(workspace, { tools: [tool], onAsk: agreeable() });
      const failed = await gauntlet.call(callProbe);
      expect(await gauntlet.call(read("a.txt"))).toMatchObject({ ok: true });
      return failed;
    },
  },
  {
    why: "a command that ends with another exit code than 0",
    code: "command_failed",
    phase: "execute",
    happened: "done",
    act: async (workspace) => (await openGauntlet(workspace, { onAsk: agreeable() })).call(bash("exit 3")),
  },
  {
    why: "a tool that touches what it did not declare",
    code: "effect_not_permitted",
    phase: "execute",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          onAsk: agreeable(),
          tools: [
            probe({
              run: async (_input, { files }) => {
                await files.write([{ path: workspace.path("b.txt"), content: Buffer.from("x"), expect: "absent" }]);
                return { ok: true, data: {} };
              },
            }),
          ],
        })
      ).call(callProbe),
  },
  {
    why: "a tool whose result breaks its own output schema",
    code: "output_invalid",
    phase: "normalize",
    happened: "done",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          onAsk: agreeable(),
          tools: [probe({ output: z.strictObject({ lines: z.number() }) })],
        })
      ).call(callProbe),
  },
  {
    why: "a log that takes nothing any more",
    code: "log_unavailable",
    phase: "write_back",
    happened: "nothing",
    unrecorded: true,
    async act(workspace) {
      const gauntlet = await openGauntlet(workspace, { mode: "acceptEdits" });
      await gauntlet.call(read("a.txt"));
      takeOver(workspace);
      return gauntlet.call(write);
    },
  },
  {
    why: "a log that fails while the tool runs",
    code: "log_unavailable",
    phase: "write_back",
    happened: "unknown",
    unrecorded: true,
    async act(workspace) {
      const tool = probe({
        run: async () => {
          takeOver(workspace);
          return { ok: true, data: {} };
        },
      });
      return (await openGauntlet(workspace, { tools: [tool], onAsk: agreeable() })).call(callProbe);
    },
  },
  {
    why: "an id that was used before",
    code: "bad_request",
    phase: "lookup",
    happened: "nothing",
    unrecorded: true,
    async act(workspace) {
      const gauntlet = await openGauntlet(workspace);
      await gauntlet.call({ id: "same", ...read("a.txt") });
      return gauntlet.call({ id: "same", ...read("a.txt") });
    },
  },
  {
    why: "an intent without a tool",
    code: "bad_request",
    phase: "lookup",
    happened: "nothing",
    unrecorded: true,
    act: async (workspace) => (await openGauntlet(workspace)).call({ tool: "", input: {} }),
  },
];

/** Belong to parts that are not there yet: deferred tools, hooks, outside servers. */
const notYet: readonly Code[] = ["tool_not_loaded", "hook_denied", "server_unavailable"];

describe("each way a call can end", () => {
  test.each(endings)("$code in $phase: $why", async (ending) => {
    const workspace = makeWorkspace({ "a.txt": "one two\n", ".env": "TOKEN=none-of-your-business\n" });
    const before = contentOf(workspace);
    const observation = await ending.act(workspace);
    const { code, phase, happened } = ending;
    expect(observationSchema.parse(observation)).toEqual(observation);
    expect({
      code: observation.code,
      phase: observation.phase,
      happened: observation.effects.happened,
      retryable: observation.retryable,
      ok: observation.ok,
    }).toEqual({ code, phase, happened, retryable: codes[code].retryable, ok: false });
    expect(observation.recovery).toMatch(/\w+ \w+/);
    expect(observation.summary).toMatch(/\w+/);
    if (!ending.touches) expect(contentOf(workspace)).toEqual(before);
    if (happened === "nothing") expect(observation.effects.seen).toEqual([]);
    expect(JSON.stringify(observation)).not.toContain("none-of-your-business");
    if (!ending.unrecorded) await expectRecorded(workspace, observation);
  });

  test("the table reaches every code and every phase", () => {
    expect(new Set(["ok", ...endings.map(({ code }) => code), ...notYet])).toEqual(new Set(codeNames));
    expect(new Set(endings.map(({ phase }) => phase))).toEqual(new Set(phases));
  });
});

async function afterReading(workspace: Workspace, intent: ReturnType<typeof edit>, between: () => void = () => {}) {
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(read("a.txt"));
  between();
  return gauntlet.call(intent);
}

/** What another process does when it takes the lease: the first one may not append any more. */
function takeOver(workspace: Workspace): void {
  const directory = path.join(workspace.state, "sessions");
  const [file] = readdirSync(directory).filter((name) => name.endsWith(".db"));
  const database = new DatabaseSync(path.join(directory, file ?? ""));
  database.exec("UPDATE lease SET token = token + 1");
  database.close();
}

async function expectRecorded(workspace: Workspace, observation: Observation): Promise<void> {
  const auditor = await openGauntlet(workspace);
  expect(auditor.archive.why(observation.auditId)).toMatchObject({
    ok: true,
    value: { intentId: observation.intentId, observation: { code: observation.code } },
  });
}

function contentOf(workspace: Workspace): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(workspace.root).map((name) => [name, readFileSync(workspace.path(name), "utf8")]),
  );
}

function only(observations: readonly Observation[]): Observation {
  const [first, ...more] = observations;
  if (first === undefined || more.length > 0) throw new Error(`Expected one observation, got ${observations.length}`);
  return first;
}
