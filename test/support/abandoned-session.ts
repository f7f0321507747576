import { randomUUID } from "node:crypto";
import type { FileEffect } from "../../src/contract/effect.ts";
import type { EventDraft } from "../../src/contract/events/index.ts";
import type { SessionLog } from "../../src/contract/store.ts";
import { type LogStore, openStore } from "../../src/log/open-store.ts";
import type { Workspace } from "./workspace.ts";

export interface Abandoned {
  readonly intentId?: string;
  readonly invocationId?: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly effects?: readonly FileEffect[];
  /** Facts between the start and the death. */
  readonly meanwhile?: (log: SessionLog, store: LogStore) => void;
}

/** A session as a process leaves it that dies while a tool runs: started, never ended. */
export function abandonedSession(workspace: Workspace, call: Abandoned): string {
  return leave(workspace, (log, store) => {
    must(log.append([proposed(call), started(call)]));
    call.meanwhile?.(log, store);
  });
}

/** A session as a process leaves it that dies while a person is asked whether `new.txt` may be written. */
export function askedSession(
  workspace: Workspace,
  question: { readonly expiresAt: number; readonly digest?: string; readonly suggestedRules?: readonly string[] },
): string {
  const request: EventDraft = {
    type: "permission.requested",
    data: {
      requestId: "req_left-open",
      intentId: "left-open",
      tool: "write",
      digest: question.digest ?? "",
      prompt: {
        title: "Write new.txt?",
        ...(question.suggestedRules === undefined ? {} : { suggestedRules: question.suggestedRules }),
      },
      requestedAt: new Date().toISOString(),
      expiresAt: new Date(question.expiresAt).toISOString(),
    },
  };
  return leave(workspace, (log) => {
    const waits = { from: "idle", to: "requires_action", reason: "waiting for the user" } as const;
    must(log.append([proposed({ tool: "write", input: { path: "new.txt", content: "made\n" } }), request]));
    must(log.append([{ type: "session.status_changed", data: waits }]));
  });
}

function leave(workspace: Workspace, live: (log: SessionLog, store: LogStore) => void): string {
  const ids = { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  const store = must(openStore({ directory: workspace.state, sync: "normal", clock: { now: () => Date.now() }, ids }));
  const log = must(store.create(created(workspace)));
  live(log, store);
  const { id } = log;
  store.close();
  return id;
}

function created(workspace: Workspace): Extract<EventDraft, { type: "session.created" }> {
  return {
    type: "session.created",
    data: {
      workspace: workspace.root,
      roots: [workspace.root],
      mode: "default",
      sandbox: { backend: "bubblewrap", enforces: true },
      settings: { hash: "", layers: [] },
      runtime: { gauntlet: "0", node: process.version, platform: process.platform },
    },
  };
}

function proposed({ intentId = "left-open", tool, input = {} }: Abandoned): EventDraft {
  return {
    type: "tool_intent.proposed",
    data: { intentId, tool, input, origin: { source: "program" }, createdAt: new Date().toISOString(), menuHash: "" },
  };
}

function started(call: Abandoned): EventDraft {
  const { intentId = "left-open", invocationId = "inv_left-open", tool, effects = [] } = call;
  return {
    type: "tool_invocation.started",
    data: {
      invocationId,
      intentId,
      tool,
      version: "1",
      executor: { kind: "builtin", gauntlet: "0", pid: 1 },
      digest: "",
      lane: "exclusive",
      timeoutMs: 1_000,
      effects: [...effects],
      sandbox: { backend: "bubblewrap", enforces: true, readable: [], writable: [], network: "none" },
    },
  };
}

function must<Value>(
  outcome: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly failure: { message: string } },
): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}
