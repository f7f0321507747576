import type { ArtifactRef } from "../../src/contract/artifact.ts";
import type { EventData, EventDraft, EventType } from "../../src/contract/events/index.ts";
import type { Observation } from "../../src/contract/observation.ts";

const sandbox = { backend: "bubblewrap", enforces: true } as const;
const at = "2026-01-01T00:00:00.000Z";

export function draft<Type extends EventType>(type: Type, data: EventData<Type>): Extract<EventDraft, { type: Type }>;
export function draft(type: EventType, data: unknown): unknown {
  return { type, data };
}

export const sessionCreated = draft("session.created", {
  workspace: "/srv/app",
  roots: ["/srv/app"],
  mode: "default",
  sandbox,
  settings: { hash: "s1", layers: ["user"] },
  runtime: { gauntlet: "0.1.0", node: "24", platform: "linux" },
});

export const menuProjected = draft("context.projected", {
  turnId: "turn_1",
  menu: [
    { name: "read", version: "1", schemaHash: "a".repeat(64), source: "builtin" },
    { name: "bash", version: "1", schemaHash: "b".repeat(64), source: "builtin" },
  ],
  menuHash: "m1",
});

export function proposed(intentId: string, input: unknown = { path: "a.ts" }, tool = "read") {
  return draft("tool_intent.proposed", {
    intentId,
    tool,
    input,
    origin: { source: "program" },
    createdAt: at,
    menuHash: "m1",
  });
}

export function checked(intentId: string, tool = "read") {
  return draft("tool_intent.checked", {
    intentId,
    tool,
    version: "1",
    schemaHash: "a".repeat(64),
    digest: "d1",
    spellings: [],
  });
}

export function decided(intentId: string, decision: "allow" | "ask" | "deny" = "allow") {
  return draft("permission.decided", {
    intentId,
    digest: "d1",
    decision,
    reason: "reading inside the workspace",
    source: "mode",
    risk: "R1",
    mode: "default",
    sandboxed: true,
    effects: [],
    exceptions: [],
  });
}

export function requested(requestId: string, intentId: string) {
  return draft("permission.requested", {
    requestId,
    intentId,
    tool: "bash",
    digest: "d1",
    prompt: {
      title: "Run",
      action: "npm test",
      effects: [],
      risk: "R3",
      reason: "asks",
      sandbox: "x",
      outputLimit: "y",
    },
    requestedAt: at,
    expiresAt: at,
  });
}

export function answered(requestId: string, intentId: string, rule?: string) {
  return draft("permission.answered", {
    requestId,
    intentId,
    digest: "d1",
    answer: "allow",
    by: "ada",
    ...(rule === undefined ? {} : { remember: "session", rule }),
  });
}

export function started(invocationId: string, intentId: string, command?: string) {
  return draft("tool_invocation.started", {
    invocationId,
    intentId,
    tool: command === undefined ? "read" : "bash",
    version: "1",
    executor: { kind: "local", gauntlet: "0.1.0", pid: 7 },
    digest: "d1",
    lane: "safe",
    timeoutMs: 1_000,
    effects: [{ op: "read", path: { written: "a.ts", resolved: "/srv/app/a.ts", kind: "file" }, scope: "file" }],
    ...(command === undefined ? {} : { command: { text: command, cwd: "/srv/app" } }),
    sandbox: { ...sandbox, readable: ["/usr"], writable: ["/srv/app"], network: "none" },
  });
}

export function ended(invocationId: string, intentId: string, ok = true) {
  return draft("tool_invocation.ended", {
    invocationId,
    intentId,
    exit: ok ? "ok" : "error",
    code: ok ? "ok" : "command_failed",
    durationMs: 5,
  });
}

export function observation(intentId: string, overrides: Partial<Observation> = {}): Observation {
  return {
    intentId,
    tool: "read",
    ok: true,
    status: "ok",
    phase: "execute",
    code: "ok",
    title: "Read a.ts",
    summary: "Read 3 lines of a.ts.",
    model: {
      content: [{ trust: "tool_output_untrusted", format: "text", text: "1\tconst a = 1;" }],
      truncated: false,
      omittedBytes: 0,
    },
    user: { text: "Read a.ts" },
    effects: { happened: "done", declared: [], seen: [] },
    artifacts: [],
    metrics: { startedAt: at, endedAt: at, durationMs: 1, outputBytes: 14 },
    retryable: false,
    sandbox,
    auditId: `evt_${intentId}`,
    ...overrides,
  };
}

export function observed(intentId: string, overrides: Partial<Observation> = {}): EventDraft {
  const made = observation(intentId, overrides);
  const { invocationId } = made;
  return {
    ...draft("tool.observed", {
      intentId,
      ...(invocationId === undefined ? {} : { invocationId }),
      observation: made,
    }),
    id: made.auditId,
  };
}

export function fileRead(path: string, hash = "h1") {
  return draft("file.read", {
    invocationId: "inv_1",
    path,
    hash,
    size: 10,
    mtimeMs: 1,
    lines: { from: 1, to: 3, total: 3 },
  });
}

export function fileChanged(path: string, artifacts: readonly ArtifactRef[] = [], invocationId = "inv_1") {
  return draft("file.changed", {
    invocationId,
    path,
    change: "modified",
    seenBy: "tool",
    before: "h1",
    after: "h2",
    ...(artifacts.length === 0 ? {} : { artifacts: [...artifacts] }),
  });
}

/** A call that went all the way. */
export function wholeCall(intentId: string, invocationId: string): readonly EventDraft[] {
  return [
    proposed(intentId),
    checked(intentId),
    decided(intentId),
    started(invocationId, intentId),
    ended(invocationId, intentId),
    observed(intentId, { invocationId }),
  ];
}
