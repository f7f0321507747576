import type { ArtifactRef } from "../artifact.ts";
import type { Code, Outcome } from "../codes.ts";
import type { Event, EventType } from "../events/index.ts";
import type { PipedData } from "../events/run.ts";
import type { ArtifactId, SessionId } from "../ids.ts";
import type { ContentBlock, Observation } from "../observation.ts";
import type { SessionState } from "../state.ts";
import type { SessionSummary } from "../store.ts";
import type { CheckedClaim, Verification } from "../verification.ts";

/** One entry of the conversation as the next model turn would be given it. A projection: deleting it loses nothing. */
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
  /** Somebody else wrote it: that it holds says nothing about where it came from. */
  readonly imported: boolean;
  readonly ok: boolean;
  readonly events: number;
  readonly head: string;
  /** What is wrong and at which event; empty when `ok`. */
  readonly problems: readonly { readonly seq: number; readonly problem: string }[];
  /** What could not be checked, whether or not the rest holds. */
  readonly notice?: string;
}

/** The answers to the auditor's questions, each with the events that carry it. */
export interface AuditAnswer {
  readonly session: SessionId;
  /** Somebody else wrote it, and this is their word. */
  readonly imported: boolean;
  /** Other sessions that have a call of that name: a fork brings it along, and whoever writes an export can choose it. */
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
    /** The same in one sentence, of an answer that is long whatever the call was. */
    readonly brief?: string;
    readonly events: readonly string[];
  }[];
}

export interface PruneReport {
  readonly removed: readonly SessionId[];
  readonly freedBytes: number;
  readonly keptBytes: number;
  /** What of it no limit takes away. */
  readonly spared: {
    /** Sessions that somebody works in. */
    readonly live: number;
    /** Sessions that cannot be read, so that nobody knows what they need. */
    readonly unreadable: number;
    /** Kept contents of files and menus, of directories that still have a session. */
    readonly belongingBytes: number;
    /** Output that is too new to be told from output that a session is about to refer to. */
    readonly recentBytes: number;
  };
}

/** A new session that goes on from a point of another one. */
export interface ForkReport {
  readonly session: SessionId;
  readonly from: SessionId;
  /** The last event that came along. */
  readonly seq: number;
  /** Files that changed after it. The workspace is not rewound: they are as they are now. */
  readonly changedSince: readonly string[];
}

/** Reading, checking and keeping the log. Touches nothing but the log. */
export interface Archive {
  list(): readonly SessionSummary[];
  events(
    id: SessionId,
    range?: { readonly from?: number; readonly limit?: number; readonly types?: readonly string[] },
  ): Outcome<Iterable<Event>>;
  replay(id: SessionId): Outcome<Replay>;
  /** The exact bytes that a model was sent in one turn. */
  modelInput(id: SessionId, turnId: string): Outcome<string>;
  /** Output that the session's tools left as evidence, in the order in which it came. */
  artifacts(id: SessionId): Outcome<readonly ArtifactRef[]>;
  /** Bytes of one of them. Fails for anything that is not such output of this session. */
  artifact(
    id: SessionId,
    artifact: ArtifactId,
    range: { readonly offset: number; readonly length: number },
  ): Outcome<{ readonly ref: ArtifactRef; readonly content: Uint8Array }>;
  /** At an event, by number or id; at the last one when absent. The other session is not touched. */
  fork(id: SessionId, at?: number | string): Outcome<ForkReport>;
  /** JSON lines: a header, every event, every artifact referred to. */
  export(id: SessionId): Outcome<Iterable<string>>;
  import(lines: Iterable<string>): Outcome<SessionId>;
  prune(options: {
    readonly olderThanMs?: number;
    readonly maxBytes?: number;
    readonly dryRun: boolean;
  }): Outcome<PruneReport>;
  /** All sessions when no id is given. */
  verify(id?: SessionId): Outcome<readonly VerifyReport[]>;
  /** By audit id, invocation id, an intent id that the runtime gave, or `session/intent`. */
  why(reference: string): Outcome<AuditAnswer>;
}

export const replayViews = ["conversation", "input", "audit"] as const;
/** What was said and done; the exact bytes that a model was sent; or how each observation came about. */
export type ReplayView = (typeof replayViews)[number];

export interface ReplayOptions {
  readonly view: ReplayView;
  /** Only what belongs to this turn. */
  readonly turn?: string;
}

/** The events that an entry stands for, from the first to the last. Others may lie between them. */
export interface ReplaySpan {
  readonly from: number;
  readonly to: number;
  readonly at: string;
  readonly turnId?: string;
}

/** One call from its proposal to its end, without what lies only in the log. */
export interface ReplayCall {
  readonly kind: "call";
  readonly intentId: string;
  readonly tool: string;
  readonly input: unknown;
  /** `open`: the log ends before it. */
  readonly status: "ok" | "failed" | "denied" | "open";
  readonly code?: Code;
  readonly title: string;
  readonly summary: string;
  readonly decision?: { readonly decision: string; readonly source: string; readonly reason: string };
  /** Who answered where a person was asked, and how. */
  readonly answered?: { readonly answer: string; readonly by: string; readonly message?: string };
  /** Of a command on a view: what it proposed, who decided on it, and what became of it. */
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
  /** How much was piped in with it, and where all of it is kept. */
  readonly piped?: Omit<PipedData, "text">;
}

/** One step of what happened. */
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
