import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { type Event, eventSchemas } from "../../contract/events/index.ts";
import { chainHash, isTooLong, openEvent, type StoredEvent } from "../envelope.ts";
import { DamagedRow } from "../log-failure.ts";
import type { Upcaster } from "../upcast.ts";
import { readEventLine } from "./transfer-format.ts";

const envelope = lazy(() =>
  z.strictObject({
    seq: z.number().int(),
    id: z.string(),
    session: z.string(),
    at: z.string(),
    type: z.string(),
    v: z.number().int().positive(),
    prev: z.string(),
    hash: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
);

/** An event from outside: it must continue the chain and have the shape that this version knows. */
export function checkImportedEvent(
  line: string,
  after: { readonly session: string; readonly seq: number; readonly head: string },
  upcaster: Upcaster,
): Outcome<{ readonly stored: StoredEvent; readonly event: Event }> {
  const read = readEventLine(line);
  if (read === undefined) return fail("bad_request", "it is not an event with its hash at the end");
  if (isTooLong(read.body)) return fail("bad_request", "it is longer than an event can be");
  const parsed = parse(read, upcaster);
  const shape = envelope().safeParse(parsed);
  if (parsed === undefined || !shape.success) return fail("bad_request", "it does not have the form of an event");
  const { seq, session, prev, type, hash } = parsed;
  if (session !== after.session) return fail("bad_request", `it belongs to session ${session}`);
  if (seq !== after.seq + 1) return fail("bad_request", `it is event ${seq} where event ${after.seq + 1} is due`);
  if (prev !== after.head) return fail("bad_request", "it does not continue the event before it");
  if (hash !== chainHash(prev, read.body)) return fail("bad_request", "its hash does not match its bytes");
  const schemas = eventSchemas();
  if (!Object.hasOwn(schemas, type)) {
    return fail("bad_request", `its type ${type} is not known here; a newer version may have written it`);
  }
  const data = schemas[type].safeParse(parsed.data);
  if (!data.success) return fail("bad_request", `its data is not that of ${type}: ${z.prettifyError(data.error)}`);
  return ok({ stored: { seq, type, body: read.body, hash }, event: parsed });
}

function parse(read: { readonly body: string; readonly hash: string }, upcaster: Upcaster): Event | undefined {
  try {
    return openEvent(read, upcaster);
  } catch (error) {
    if (error instanceof DamagedRow) return undefined;
    throw error;
  }
}
