import path from "node:path";
import { fail } from "../src/contract/codes.ts";
import type { Event, EventDraft } from "../src/contract/events/index.ts";
import type { CheckedQuestion } from "../src/contract/gate.ts";
import type { ToolIntent } from "../src/contract/intent.ts";
import type { EffectView, PreconditionView, SandboxDescription } from "../src/contract/ports.ts";
import type { VisibilityContext } from "../src/contract/tool.ts";
import { assessRisk } from "../src/effects/assess-risk.ts";
import { classifyPath } from "../src/effects/classify-path.ts";
import { resolvePath } from "../src/effects/resolve-path.ts";
import { createGate } from "../src/gate/gate.ts";
import { createMetadata } from "../src/host/files/metadata.ts";
import { createClock, createIds } from "../src/host/ids.ts";
import type { Outcome } from "../src/index.ts";
import { type LogStore, openStore } from "../src/log/open-store.ts";
import { observe } from "../src/observation/observe.ts";
import { assembleTools } from "../src/registry/assemble.ts";
import { checkIntent, identifyIntent } from "../src/registry/identify-intent.ts";
import { createRegistry } from "../src/registry/registry.ts";
import { fileTools } from "../src/tools/index.ts";
import { type BenchWorkspace, noop } from "./bench-workspace.ts";
import { measureInTurns, type Sample } from "./measure.ts";

/** Each stage by itself, on the real parts: what one call of `read` and of a tool that does nothing costs there. */
export async function measureParts(workspace: BenchWorkspace): Promise<Record<string, Sample>> {
  const { root } = workspace;
  const clock = createClock();
  const ids = createIds();
  const metadata = createMetadata();
  const home = path.join(root, "../home");
  const places = { roots: [root], home, stateDirectory: path.join(root, "../parts") };
  const facts = { root, roots: [root], cwd: root, home };
  const view: EffectView = {
    workspace: facts,
    resolve: (written, from) => resolvePath(written, { metadata, base: from ?? root, home }),
  };
  const conditions: PreconditionView = {
    ...view,
    facts: () => ({ exists: true }),
    baseline: () => undefined,
    content: async () => fail("runtime_precondition_failed", "Nothing was read."),
    artifactSize: () => undefined,
    job: () => undefined,
  };
  const sandbox: SandboxDescription = { backend: "bubblewrap", enforces: true, detail: "", limits: [] };
  const registry = createRegistry(
    assembleTools({ base: [...fileTools, noop], merged: [], features: {}, denied: () => undefined }),
  );
  const gate = createGate({
    rules: [],
    classify: (file) => classifyPath(file, places),
    findSecrets: () => [],
    isSecretByAnotherName: () => false,
    findProtected: () => [],
    findRepositories: () => [],
    findObjectStores: () => [],
    findAbsent: () => [],
    find: () => [],
    clock,
    approvalMs: 60_000,
  });
  const intent: ToolIntent = {
    id: "a",
    tool: "read",
    input: { path: "package.json" },
    origin: { source: "program" },
    createdAt: new Date(clock.now()).toISOString(),
  };
  const visibility: VisibilityContext = { mode: "default", sandbox, hasWorkspace: true };
  const identify = () => identifyIntent(intent, registry, visibility);
  const identified = await identify();
  if (!identified.ok) throw new Error(identified.refusal.message);
  const checking = await checkIntent(identified.value, visibility, conditions);
  if (!checking.ok) throw new Error(checking.refusal.message);
  const checked = checking.value;
  const reportOf = () => checked.tool.effects(checked.input as never, view);
  const report = await reportOf();
  const common = { checked, report, mode: "default", grants: [], workspace: facts, sandbox } as const;
  const question: CheckedQuestion = { ...common, assessment: assessRisk(report, places) };
  const store = must(openStore({ directory: places.stateDirectory, sync: "normal", clock, ids }));
  const { log, groups } = await recordedCall(workspace, store);

  const samples = await measureInTurns(
    {
      "registry, intent: lookup, visibility, schema": identify,
      "effects: paths and risk": async () => assessRisk(await reportOf(), places),
      "gate: verdict and permit": async () => gate.permit(question, await gate.judge(question)),
      "observation: both faces": () =>
        observe({
          intentId: "a",
          invocationId: "inv",
          toolName: "noop",
          tool: noop,
          input: {},
          ending: { kind: "ended", result: { ok: true, data: {} } },
          effects: { declared: report.effects, seen: [] },
          startedAt: 0,
          endedAt: 1,
          sandbox,
          auditId: "evt",
          allowance: 100_000,
          artifacts: store.artifacts,
          redact: (text) => store.redactor.redactText(text),
        }),
      "log: all events of one call, in its three transactions": (index) => {
        for (const group of groups) must(log.append(group.map((draft) => renamed(draft, `call-${index}`))));
      },
    },
    { warmUp: 300, repetitions: 2_000 },
  );
  store.close();
  return samples;
}

/** The events of a real call, grouped as the session stores them. */
async function recordedCall(workspace: BenchWorkspace, store: LogStore) {
  const gauntlet = await workspace.open();
  await gauntlet.call({ id: "a", tool: "noop", input: {} });
  const events = [...must(gauntlet.archive.events(gauntlet.session.sessionId))];
  await gauntlet.close();
  const created = events.find((event) => event.type === "session.created");
  if (created?.type !== "session.created") throw new Error("A session starts with its creation");
  const log = must(store.create({ type: created.type, data: created.data }));
  const ofCall = events.filter((event) => "intentId" in event.data);
  const started = ofCall.findIndex((event) => event.type === "tool_invocation.started") + 1;
  return { log, groups: [ofCall.slice(0, 1), ofCall.slice(1, started), ofCall.slice(started)] };
}

function renamed({ type, data }: Event, intentId: string): EventDraft {
  return { type, data: { ...data, intentId } } as EventDraft;
}

function must<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.failure.message);
}
