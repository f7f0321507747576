/** Ids are opaque strings with a readable prefix; only the caller's own intent ids may look otherwise. */
export type SessionId = string;
export type IntentId = string;
export type InvocationId = string;
export type EventId = string;
export type RequestId = string;
export type JobId = string;
/** `sha256-<hex>`: the content is the name. */
export type ArtifactId = string;

export type IdPrefix = "ses" | "int" | "inv" | "evt" | "req" | "job" | "run" | "turn" | "ver" | "lse" | "und";

export interface Ids {
  /** Unique and roughly ordered by time. */
  next(prefix: IdPrefix): string;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
