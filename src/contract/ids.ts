export type SessionId = string;
export type IntentId = string;
export type InvocationId = string;
export type EventId = string;
export type RequestId = string;
export type JobId = string;
export type ArtifactId = string;

export type IdPrefix = "ses" | "int" | "inv" | "evt" | "req" | "job" | "run" | "turn" | "ver" | "lse" | "und";

export interface Ids {
  next(prefix: IdPrefix): string;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
