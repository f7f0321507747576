import type { ArtifactStore } from "./artifact.ts";
import type { Failure, Outcome } from "./codes.ts";
import type { Event, EventDraft } from "./events/index.ts";
import type { IntentId, SessionId } from "./ids.ts";
import type { SessionState } from "./state.ts";

export interface EventRange {
  /** First sequence number, 1 when absent. */
  readonly from?: number;
  readonly limit?: number;
  readonly types?: readonly string[];
}

/** Reads a session without holding its lease. */
export interface SessionReader {
  readonly id: SessionId;
  /** Throws `UnreadableLog` where the file does not give them back. */
  events(range?: EventRange): Iterable<Event>;
  close(): void;
}

/** The one writer of a session, held by a lease. */
export interface SessionLog extends SessionReader {
  /** Of everything that was appended or noted. */
  readonly state: SessionState;
  /** All or nothing, redacted, chained, and durable when it returns. `log_unavailable` when it could not be stored. */
  append(drafts: readonly EventDraft[]): Outcome<readonly Event[]>;
  /** The same, in one piece with what others append together in this moment, for whoever can wait for it. */
  appendTogether(drafts: readonly EventDraft[]): Promise<Outcome<readonly Event[]>>;
  /**
   * For what nothing outside depends on yet. It is chained and folded now and stored with the next append, at the
   * latest as soon as nothing else is to be done. Where that fails, nothing can be appended before it is stored.
   */
  note(drafts: readonly EventDraft[]): Outcome<readonly Event[]>;
  hasIntent(id: IntentId): boolean;
}

export interface SessionSummary {
  readonly id: SessionId;
  readonly workspace: string;
  /** First line of its first task; empty where no model was given one. */
  readonly task: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: string;
  /** Somebody else wrote it: all that is said of it, times included, is their word. */
  readonly imported: boolean;
  readonly events: number;
  readonly intents: number;
  /** Paths that its calls changed; those that were put back since count as well. */
  readonly changed: number;
  readonly bytes: number;
  readonly head: string;
}

export interface Store {
  readonly artifacts: ArtifactStore;
  create(draft: Extract<EventDraft, { type: "session.created" }>): Outcome<SessionLog>;
  /** The same session without a file: it can be asked, and nothing can run in it. */
  preview(draft: Extract<EventDraft, { type: "session.created" }>): SessionLog;
  /** Of a session that exists, at this state. */
  previewOf(state: SessionState): SessionLog;
  /** Takes the lease; fails with `bad_request` when there is no such session and `log_unavailable` when another process writes it. */
  open(id: SessionId): Outcome<SessionLog>;
  read(id: SessionId): Outcome<SessionReader>;
  list(): readonly SessionSummary[];
  /** Sessions whose writer died with something open. */
  abandoned(): readonly SessionId[];
  close(): void;
}

/** Thrown where the events of a session are read and its file does not give them back. */
export class UnreadableLog extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** For whoever reads events and can say why it came to nothing; anything else that was thrown is a bug. */
export function unreadable(error: unknown): { readonly ok: false; readonly failure: Failure } {
  if (!(error instanceof UnreadableLog)) throw error;
  return { ok: false, failure: error.failure };
}
