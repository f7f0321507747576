import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { Effect } from "./effect.ts";
import type { Baseline } from "./events/fact.ts";
import type { EventData } from "./events/index.ts";
import type { IntentId, InvocationId, JobId, RequestId, SessionId } from "./ids.ts";
import type { TokenUsage } from "./model.ts";
import type { SkillLimit, Tool } from "./tool.ts";
import type { Grant, Mode, PermissionRequest } from "./verdict.ts";
import type { CheckKind, Verification } from "./verification.ts";

export type SessionStatus = "idle" | "running" | "requires_action" | "ended";

export interface OpenIntent {
  readonly intentId: IntentId;
  readonly tool: string;
  readonly proposedAt: string;
  invocationId?: InvocationId;
}

export interface OpenInvocation {
  readonly invocationId: InvocationId;
  readonly intentId: IntentId;
  readonly tool: string;
  readonly startedAt: string;
  readonly effects: readonly Effect[];
  planned?: readonly PlannedFileChange[];
}

export type PlannedFileChange = EventData<"file.change_planned">["changes"][number];

export interface OpenRun {
  readonly runId: string;
  readonly goal: string;
  readonly startedAt: string;
  turns: number;
}

export interface ActiveSkill extends SkillLimit {
  readonly hash: string;
  readonly within?: readonly ActiveSkill[];
}

export interface SessionState {
  id: SessionId;
  status: SessionStatus;
  workspace: string;
  roots: readonly string[];
  cwd: string;
  mode: Mode;
  phase: string;
  grants: Grant[];
  baselines: Map<string, Baseline>;
  definitions: Map<string, Pick<Tool, "version" | "schemaHash">>;
  menuHash: string;
  loadedTools: readonly string[];
  plan: readonly PlanItem[];
  skill: ActiveSkill | null;
  openIntents: Map<IntentId, OpenIntent>;
  openInvocations: Map<InvocationId, OpenInvocation>;
  openJobs: Map<JobId, EventData<"job.started">>;
  pending: Map<RequestId, PermissionRequest>;
  changedFiles: Map<string, string | null>;
  task: string;
  run: OpenRun | null;
  usage: TokenUsage & { readonly costUsd: number /** Turns whose price is unknown. */; readonly unpriced: number };
  lastChange: number;
  verifications: Map<CheckKind, Verification>;
  counts: { intents: number; observations: number; refused: number; failed: number };
  seq: number;
  head: string;
}

/** The model's own task list. It proves nothing. */
export const planItem = lazy(() =>
  z.strictObject({
    content: z.string().min(1).max(500),
    status: z.enum(["pending", "in_progress", "completed"]),
    priority: z.exactOptional(z.enum(["high", "medium", "low"])),
  }),
);
export type PlanItem = z.infer<ReturnType<typeof planItem>>;

export const planTool = "todo";

export function planIn(data: Readonly<Record<string, unknown>> | undefined): readonly PlanItem[] | undefined {
  const parsed = z.array(planItem()).safeParse(data?.items);
  return parsed.success ? parsed.data : undefined;
}
