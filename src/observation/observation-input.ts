import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { Refusal } from "../contract/codes.ts";
import type { Effect, SeenEffect } from "../contract/effect.ts";
import type { EventId, IntentId, InvocationId } from "../contract/ids.ts";
import type { PermissionFacts } from "../contract/observation.ts";
import type { SandboxDescription } from "../contract/ports.ts";
import type { NextStep, RawResult, Tool } from "../contract/tool.ts";
import type { HookRemark } from "../contract/verdict.ts";

/** How a call came to its end. A bug, a timeout, a cancellation and a crash are results that failed. */
export type Ending =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "ended"; readonly result: RawResult<unknown> };

/** Everything an observation is made of. Every exit of the journey can fill this in. */
export interface ObservationInput {
  readonly intentId: IntentId;
  /** Absent when nothing was started. */
  readonly invocationId?: InvocationId;
  /** The canonical name; as it was written when there is no such tool. */
  readonly toolName: string;
  readonly tool?: Tool;
  /** Normalised; only handed to the tool's own `summarize`. */
  readonly input?: unknown;
  readonly ending: Ending;
  readonly effects: { readonly declared: readonly Effect[]; readonly seen: readonly SeenEffect[] };
  readonly permission?: PermissionFacts;
  /** From the effect report: a narrower tool that would have done the same. */
  readonly narrower?: NextStep;
  /** What hooks want the model to read after the result; bounded together with it. */
  readonly remarks?: readonly HookRemark[];
  /** Why a hook wants the run to end here. */
  readonly stop?: string;
  /** Evidence that the ports kept while the tool ran. */
  readonly kept?: readonly ArtifactRef[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly sandbox: Pick<SandboxDescription, "backend" | "enforces">;
  /** Did a process run in the sandbox? Absent when nothing was started. */
  readonly sandboxUsed?: boolean;
  /** Id that the `tool.observed` event will get. */
  readonly auditId: EventId;
  /** Characters this call may give to the model, out of the turn's budget. */
  readonly allowance: number;
  readonly artifacts: Pick<ArtifactStore, "put">;
  /** Applied to every text that a model or a person sees. */
  readonly redact: (text: string) => string;
  readonly privatePaths?: readonly PrivatePath[];
}

/** A directory that is nobody's business, such as scratch space, with the name to show instead. */
export interface PrivatePath {
  readonly path: string;
  readonly shown: string;
  /** What lies in it and is shown as it is. */
  readonly except?: string;
}
