import { hash } from "node:crypto";
import { canonicalJson } from "../base/digest.ts";
import type { Event, EventDraft } from "../contract/events/index.ts";
import { DamagedRow } from "./log-failure.ts";
import type { Upcaster } from "./upcast.ts";

/** `prev` of a session's first event. */
export const chainStart = "0".repeat(64);

/** One row of the log. `body` is what the hash covers, byte for byte; nothing ever writes it anew. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly body: string;
  readonly hash: string;
  /** Where in the body begins what ties it to its place, of one that was sealed here. */
  readonly endsAt?: number;
}

export interface EnvelopeFacts {
  readonly seq: number;
  readonly id: string;
  readonly session: string;
  readonly at: string;
  readonly v: number;
  readonly prev: string;
}

/** `data` as canonical JSON. The envelope's own keys stand in sorted order as well. */
export function sealEvent(type: EventDraft["type"], data: string, facts: EnvelopeFacts): StoredEvent {
  const { at, id, prev, seq } = facts;
  const told = `{"at":${JSON.stringify(at)},"data":${data},"id":${JSON.stringify(id)}`;
  const body = told + envelopeEnd(facts, type);
  return { seq, type, body, hash: chainHash(prev, body), endsAt: told.length };
}

/** What ties an event to its place. */
export function envelopeEnd({ prev, seq, session, v }: Omit<EnvelopeFacts, "at" | "id">, type: string): string {
  return `,"prev":"${prev}","seq":${seq},"session":${JSON.stringify(session)},"type":"${type}","v":${v}}`;
}

export function chainHash(prev: string, body: string): string {
  return hash("sha256", `${prev}\n${body}`);
}

/** In bytes. Inputs end far below it; what is longer is not stored, and a damaged row does not fill the memory. */
export const longestBody = 64 * 1024 * 1024;

export function isTooLong(body: string): boolean {
  return body.length * 3 > longestBody && Buffer.byteLength(body) > longestBody;
}

export function encodeData(data: unknown): string {
  return canonicalJson(data);
}

/** Reads a row as it was written; the shape of old payloads is brought up to date, their bytes are not touched. */
export function openEvent(stored: Pick<StoredEvent, "body" | "hash">, upcaster: Upcaster): Event {
  const envelope = parseBody(stored.body);
  try {
    return upcaster.current({ ...envelope, hash: stored.hash } as Event);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DamagedRow(`not an event of its version: ${stored.body.slice(0, 80)}`);
  }
}

function parseBody(body: string): Omit<Event, "hash"> {
  const parsed = parseJson(body);
  if (typeof parsed?.data === "object" && parsed.data !== null) return parsed;
  throw new DamagedRow(`not an event: ${body.slice(0, 80)}`);
}

function parseJson(body: string): Omit<Event, "hash"> | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
