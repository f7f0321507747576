import { hash } from "node:crypto";
import { isRecord, parseJson } from "../base/json.ts";
import type { Event, EventDraft } from "../contract/events/index.ts";
import { DamagedRow } from "./log-failure.ts";
import type { Upcaster } from "./upcast.ts";

/** `prev` of a session's first event. */
export const chainStart = "0".repeat(64);

/** One row of the log. The hash covers `body`, byte for byte; it is never written again. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly body: string;
  readonly hash: string;
}

export interface EnvelopeFacts {
  readonly seq: number;
  readonly id: string;
  readonly session: string;
  readonly at: string;
  readonly v: number;
  readonly prev: string;
}

/** `data` is canonical JSON. The envelope's own keys are in sorted order as well. */
export function sealEvent(type: EventDraft["type"], data: string, facts: EnvelopeFacts): StoredEvent {
  const { at, id, prev, seq } = facts;
  const body = `{"at":${JSON.stringify(at)},"data":${data},"id":${JSON.stringify(id)}${envelopeEnd(facts, type)}`;
  return { seq, type, body, hash: chainHash(prev, body) };
}

export function envelopeEnd({ prev, seq, session, v }: Omit<EnvelopeFacts, "at" | "id">, type: string): string {
  return `,"prev":"${prev}","seq":${seq},"session":${JSON.stringify(session)},"type":"${type}","v":${v}}`;
}

export function chainHash(prev: string, body: string): string {
  return hash("sha256", `${prev}\n${body}`);
}

/** In bytes. Prevents a damaged row from filling the memory. */
export const longestBody = 64 * 1024 * 1024;

export function isTooLong(body: string): boolean {
  return body.length * 3 > longestBody && Buffer.byteLength(body) > longestBody;
}

export function openEvent(stored: Pick<StoredEvent, "body" | "hash">, upcaster: Upcaster): Event {
  const { body, hash } = stored;
  const envelope = parseJson(body);
  if (!isRecord(envelope) || typeof envelope.data !== "object" || envelope.data === null)
    throw new DamagedRow(`not an event: ${body.slice(0, 80)}`);
  try {
    return upcaster.current({ ...envelope, hash } as unknown as Event);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DamagedRow(`not an event of its version: ${body.slice(0, 80)}`);
  }
}
