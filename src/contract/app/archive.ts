import { isRecord } from "../../base/json.ts";
import type { ArtifactRef } from "../artifact.ts";
import type { Change, ChangeFlag } from "../changes.ts";
import type { Code, Outcome } from "../codes.ts";
import type { Event, EventType } from "../events/index.ts";
import type { PipedData } from "../events/run.ts";
import type { ArtifactId, SessionId } from "../ids.ts";
import type { ContentBlock, Observation } from "../observation.ts";
import type { SessionState } from "../state.ts";
import type { SessionSummary } from "../store.ts";
import type { CheckedClaim, Verification } from "../verification.ts";

export type ProjectedMessage =
  | { readonly role: "intent"; readonly intentId: string; readonly tool: string; readonly input: unknown }
  | {
      readonly role: "observation";
      readonly intentId: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly summary: string;
      /** Untrusted, kept delimited in the data role. */
      readonly content: readonly ContentBlock[];
    };

export interface Replay {
  readonly state: SessionState;
  readonly messages: readonly ProjectedMessage[];
  readonly observations: readonly Observation[];
  readonly events: number;
}

export interface VerifyReport {
  readonly session: SessionId;
  readonly imported: boolean;
  readonly ok: boolean;
  readonly events: number;
  readonly head: string;
  readonly problems: readonly { readonly seq: number; readonly problem: string }[];
  readonly notice?: string;
}

export interface AuditAnswer {
  readonly session: SessionId;
  readonly imported: boolean;
  readonly alsoIn: readonly { readonly session: SessionId; readonly imported: boolean }[];
  readonly intentId: string;
  readonly observation: Observation;
  readonly chain: readonly {
    readonly seq: number;
    readonly id: string;
    readonly type: EventType;
    readonly at: string;
  }[];
  readonly questions: readonly {
    readonly question: string;
    readonly answer: string;
    readonly brief?: string;
    readonly events: readonly string[];
  }[];
}

export interface PruneReport {
  readonly removed: readonly SessionId[];
  readonly freedBytes: number;
  readonly keptBytes: number;
  readonly spared: {
    readonly live: number;
    readonly unreadable: number;
    readonly workspaceDataBytes: number;
    readonly recentBytes: number;
  };
}

export interface ForkReport {
  readonly session: SessionId;
  readonly from: SessionId;
  readonly seq: number;
  readonly changedSince: readonly string[];
}

export interface Archive {
  list(): readonly SessionSummary[];
  events(
    id: SessionId,
    range?: { readonly from?: number; readonly limit?: number; readonly types?: readonly string[] },
  ): Outcome<Iterable<Event>>;
  replay(id: SessionId): Outcome<Replay>;
  modelInput(id: SessionId, turnId: string): Outcome<string>;
  artifacts(id: SessionId): Outcome<readonly ArtifactRef[]>;
  artifact(
    id: SessionId,
    artifact: ArtifactId,
    range: { readonly offset: number; readonly length: number },
  ): Outcome<{ readonly ref: ArtifactRef; readonly content: Uint8Array }>;
  fork(id: SessionId, at?: number | string): Outcome<ForkReport>;
  export(id: SessionId): Outcome<Iterable<string>>;
  import(lines: Iterable<string>): Outcome<SessionId>;
  prune(options: {
    readonly olderThanMs?: number;
    readonly maxBytes?: number;
    readonly dryRun: boolean;
  }): Outcome<PruneReport>;
  verify(id?: SessionId): Outcome<readonly VerifyReport[]>;
  why(reference: string): Outcome<AuditAnswer>;
}

export const replayViews = ["conversation", "input", "audit"] as const;
export type ReplayView = (typeof replayViews)[number];

export interface ReplayOptions {
  readonly view: ReplayView;
  readonly turn?: string;
}

export interface ReplaySpan {
  readonly from: number;
  readonly to: number;
  readonly at: string;
  readonly turnId?: string;
}

export interface ReplayCall {
  readonly kind: "call";
  readonly intentId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly status: "ok" | "failed" | "denied" | "open";
  readonly code?: Code;
  readonly title: string;
  readonly summary: string;
  readonly decision?: { readonly decision: string; readonly source: string; readonly reason: string };
  readonly answered?: { readonly answer: string; readonly by: string; readonly message?: string };
  readonly proposed?: {
    readonly created: number;
    readonly modified: number;
    readonly deleted: number;
    readonly by?: string;
    readonly reason?: string;
    readonly outcome?: string;
  };
  readonly changed: readonly string[];
  readonly auditId?: string;
}

export interface SaidMessage {
  readonly kind: "message";
  readonly by: "person" | "program" | "runtime";
  readonly text: string;
  readonly piped?: Omit<PipedData, "text">;
}

export type ReplayEntry = ReplaySpan &
  (
    | SaidMessage
    | { readonly kind: "answer"; readonly text: string }
    | { readonly kind: "reasoning"; readonly text: string }
    | ReplayCall
    | { readonly kind: "verification"; readonly verification: Verification }
    | { readonly kind: "claim"; readonly claim: CheckedClaim }
    | { readonly kind: "note"; readonly about: string; readonly text: string; readonly bad?: true }
    | { readonly kind: "input"; readonly text: string; readonly bytes: number }
    | { readonly kind: "audit"; readonly answer: AuditAnswer }
  );

export interface ProposedChange extends Pick<Change, "path" | "operation" | "kind" | "size" | "conflict"> {
  readonly mode: string;
  readonly flags?: readonly ChangeFlag[];
}

export function proposedChanges(
  { artifacts }: Pick<Observation, "artifacts">,
  archive: Pick<Archive, "artifact">,
  session: string,
): readonly ProposedChange[] {
  const ref = artifacts.find(({ kind }) => kind === "changes");
  const read = ref && archive.artifact(session, ref.id, { offset: 0, length: ref.bytes });
  if (read?.ok !== true) return [];
  const lines = new TextDecoder().decode(read.value.content).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

export function settledFacts({ data }: Pick<Observation, "data">): { readonly state?: string; readonly id?: string } {
  const changes = data?.changes;
  if (!isRecord(changes) || typeof changes.state !== "string") return {};
  return { state: changes.state, ...(typeof changes.id === "string" ? { id: changes.id } : {}) };
}
