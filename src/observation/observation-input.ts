import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { Refusal } from "../contract/codes.ts";
import type { Effect, SeenEffect } from "../contract/effect.ts";
import type { EventId, IntentId, InvocationId } from "../contract/ids.ts";
import type { PermissionFacts } from "../contract/observation.ts";
import type { SandboxDescription } from "../contract/ports.ts";
import type { NextStep, RawResult, Tool } from "../contract/tool.ts";
import type { HookRemark } from "../contract/verdict.ts";

/** How a call ended. A bug, a timeout, a cancellation and a crash are failed results. */
export type CallEnding =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "ended"; readonly result: RawResult<unknown> };

export interface ObservationInput {
  readonly intentId: IntentId;
  readonly invocationId?: InvocationId;
  readonly toolName: string;
  readonly tool?: Tool;
  readonly input?: unknown;
  readonly ending: CallEnding;
  readonly effects: { readonly declared: readonly Effect[]; readonly seen: readonly SeenEffect[] };
  readonly permission?: PermissionFacts;
  readonly narrower?: NextStep;
  readonly remarks?: readonly HookRemark[];
  readonly stop?: string;
  readonly kept?: readonly ArtifactRef[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly sandbox: Pick<SandboxDescription, "backend" | "enforces">;
  readonly sandboxUsed?: boolean;
  readonly auditId: EventId;
  readonly allowance: number;
  readonly artifacts: Pick<ArtifactStore, "put">;
  readonly redact: (text: string) => string;
  readonly privatePaths?: readonly PrivatePath[];
}

export interface PrivatePath {
  readonly path: string;
  readonly shown: string;
  readonly except?: string;
}
