import { z } from "zod";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { type Event, eventSchemas } from "../../contract/events/index.ts";
import { chainHash, isTooLong, openEvent, type StoredEvent } from "../envelope.ts";
import { DamagedRow } from "../log-failure.ts";
import type { Upcaster } from "../upcast.ts";

/**
 * JSON lines: a header, every event, then the artifacts in pieces. An event's line is its stored bytes with the hash
 * as the last key, so that the bytes can be restored exactly.
 */
export const transferHeader = z.strictObject({
  format: z.literal("gauntlet-session"),
  version: z.literal(1),
  session: z.string(),
  events: z.number().int().positive(),
  head: z.string(),
});
export type TransferHeader = z.infer<typeof transferHeader>;

export const artifactLine = z.union([
  z.strictObject({ artifact: z.string(), offset: z.number().int().nonnegative(), base64: z.string() }),
  /** Already gone or altered in the exporting store. */
  z.strictObject({ artifact: z.string(), problem: z.string() }),
]);
export type ArtifactLine = z.infer<typeof artifactLine>;

const envelope = z.strictObject({
  seq: z.number().int(),
  id: z.string(),
  session: z.string(),
  at: z.string(),
  type: z.string(),
  v: z.number().int().positive(),
  prev: z.string(),
  hash: z.string(),
  data: z.record(z.string(), z.unknown()),
});

export function eventLine({ body, hash }: StoredEvent): string {
  return `${body.slice(0, -1)},"hash":"${hash}"}`;
}

/** An event from outside: it must continue the chain and have the shape that this version knows. */
export function readEventLine(
  line: string,
  after: { readonly session: string; readonly seq: number; readonly head: string },
  upcaster: Upcaster,
): Outcome<{ readonly stored: StoredEvent; readonly event: Event }> {
  const [, start, hash] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line) ?? [];
  if (start === undefined || hash === undefined)
    return fail("bad_request", "it is not an event with its hash at the end");
  const body = `${start}}`;
  if (isTooLong(body)) return fail("bad_request", "it is longer than an event can be");
  const event = opened({ body, hash }, upcaster);
  if (event === undefined || !envelope.safeParse(event).success)
    return fail("bad_request", "it does not have the form of an event");
  const { seq, session, prev, type } = event;
  if (session !== after.session) return fail("bad_request", `it belongs to session ${session}`);
  if (seq !== after.seq + 1) return fail("bad_request", `it is event ${seq} where event ${after.seq + 1} is due`);
  if (prev !== after.head) return fail("bad_request", "it does not continue the event before it");
  if (hash !== chainHash(prev, body)) return fail("bad_request", "its hash does not match its bytes");
  const schemas = eventSchemas();
  if (!Object.hasOwn(schemas, type))
    return fail("bad_request", `its type ${type} is not known here; a newer version may have written it`);
  const data = schemas[type].safeParse(event.data);
  if (!data.success) return fail("bad_request", `its data is not that of ${type}: ${z.prettifyError(data.error)}`);
  return ok({ stored: { seq, type, body, hash }, event });
}

function opened(stored: Pick<StoredEvent, "body" | "hash">, upcaster: Upcaster): Event | undefined {
  try {
    return openEvent(stored, upcaster);
  } catch (error) {
    if (error instanceof DamagedRow) return undefined;
    throw error;
  }
}
