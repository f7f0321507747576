import type { ArtifactStore } from "./artifact.ts";
import type { Failure, Outcome } from "./codes.ts";
import type { Event, EventDraft } from "./events/index.ts";
import type { IntentId, SessionId } from "./ids.ts";
import type { SessionState } from "./state.ts";

export interface EventRange {
  readonly from?: number;
  readonly limit?: number;
  readonly types?: readonly string[];
}

export interface SessionReader {
  readonly id: SessionId;
  /** Throws `UnreadableLog` where the file does not give them back. */
  events(range?: EventRange): Iterable<Event>;
  close(): void;
}

export interface SessionLog extends SessionReader {
  readonly state: SessionState;
  /** All or nothing, redacted, chained, and durable when it returns. `log_unavailable` when it could not be stored. */
  append(drafts: readonly EventDraft[]): Outcome<readonly Event[]>;
  hasIntent(id: IntentId): boolean;
}

export interface SessionSummary {
  readonly id: SessionId;
  readonly workspace: string;
  readonly task: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: string;
  readonly imported: boolean;
  readonly events: number;
  readonly intents: number;
  readonly changed: number;
  readonly bytes: number;
  readonly head: string;
}

export interface Store {
  readonly artifacts: ArtifactStore;
  create(draft: Extract<EventDraft, { type: "session.created" }>): Outcome<SessionLog>;
  preview(draft: Extract<EventDraft, { type: "session.created" }>): SessionLog;
  previewOf(state: SessionState): SessionLog;
  open(id: SessionId): Outcome<SessionLog>;
  read(id: SessionId): Outcome<SessionReader>;
  list(): readonly SessionSummary[];
  abandoned(): readonly SessionId[];
  close(): void;
}

export class UnreadableLog extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function unreadable(error: unknown): { readonly ok: false; readonly failure: Failure } {
  if (!(error instanceof UnreadableLog)) throw error;
  return { ok: false, failure: error.failure };
}
