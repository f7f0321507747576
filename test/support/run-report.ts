import type { RunReport } from "../../src/contract/app/agent.ts";
import type { CheckKind, Verification } from "../../src/contract/verification.ts";

export function runReport(facts: Partial<RunReport> = {}): RunReport {
  return {
    runId: "run_1",
    sessionId: "ses_1",
    stop: "done",
    answer: "Done.",
    model: { provider: "scripted", id: "m" },
    turns: 2,
    calls: { all: 3, failed: 1, denied: 0 },
    usage: { inputTokens: 100, cacheReadTokens: 20, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 0 },
    costUsd: 0.0123,
    durationMs: 1_500,
    changed: [],
    lastChange: 0,
    verifications: [],
    claims: [],
    unanswered: [],
    ...facts,
  };
}

export function check(kind: CheckKind, passed: boolean, afterChange: number): Verification {
  return {
    id: `ver_${kind}_${afterChange}`,
    kinds: [kind],
    command: `run ${kind}`,
    cwd: ".",
    passed,
    exitCode: passed ? 0 : 1,
    intentId: "int_1",
    auditId: "evt_1",
    afterChange,
    at: "2026-01-01T00:00:00.000Z",
  };
}
