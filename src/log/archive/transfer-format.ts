import { z } from "zod";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { type Event, eventSchemas } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import { artifactChunks, artifactProblem } from "../artifacts/artifact-file.ts";
import { chainHash, chainStart, isTooLong, openEvent, type StoredEvent } from "../envelope.ts";
import { DamagedRow } from "../log-failure.ts";
import type { StoreParts } from "../store/open-session.ts";
import { openReadable, type ReadableSession, withSession } from "../store/session-reader.ts";
import { artifactIds, storedEvents } from "../store/session-rows.ts";
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
type TransferHeader = z.infer<typeof transferHeader>;

export const artifactLine = z.union([
  z.strictObject({ artifact: z.string(), offset: z.number().int().nonnegative(), base64: z.string() }),
  /** Already missing or changed in the exporting store. */
  z.strictObject({ artifact: z.string(), problem: z.string() }),
]);
type ArtifactLine = z.infer<typeof artifactLine>;

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

/** The session up to its last event when the export began. Checked before the first line: never half an export. */
export function exportSession(parts: Pick<StoreParts, "layout">, id: SessionId): Outcome<Iterable<string>> {
  const survey = withSession(parts.layout, id, "export the session", ({ database }) => {
    let last = { seq: 0, hash: chainStart };
    if (database !== undefined) {
      for (const stored of storedEvents(database)) last = stored;
      for (const _id of artifactIds(database));
    }
    return ok({ events: last.seq, head: last.hash });
  });
  if (!survey.ok) return survey;
  const session = openReadable(parts.layout, id);
  if (!session.ok) return session;
  const header: TransferHeader = { format: "gauntlet-session", version: 1, session: id, ...survey.value };
  return ok(exportLines(session.value, header, parts.layout.artifacts));
}

function* exportLines({ database }: ReadableSession, header: TransferHeader, artifacts: string): Generator<string> {
  try {
    yield JSON.stringify(header);
    if (database === undefined) return;
    for (const { body, hash } of storedEvents(database, { limit: header.events }))
      yield `${body.slice(0, -1)},"hash":"${hash}"}`;
    for (const id of artifactIds(database)) {
      for (const line of artifactLines(artifacts, id)) yield JSON.stringify(line);
    }
  } finally {
    database?.close();
  }
}

function* artifactLines(root: string, id: string): Generator<ArtifactLine> {
  const problem = artifactProblem(root, id);
  if (problem !== undefined) return yield { artifact: id, problem };
  let offset = 0;
  for (const chunk of artifactChunks(root, id)) {
    yield { artifact: id, offset, base64: Buffer.from(chunk).toString("base64") };
    offset += chunk.length;
  }
}

/** An event from outside: it must continue the chain and match the schema of this version. */
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
  if (event === undefined || !envelope.safeParse(event).success) return fail("bad_request", "it is not a valid event");
  const { seq, session, prev, type } = event;
  if (session !== after.session) return fail("bad_request", `it belongs to session ${session}`);
  if (seq !== after.seq + 1) return fail("bad_request", `it is event ${seq} where event ${after.seq + 1} is expected`);
  if (prev !== after.head) return fail("bad_request", "it does not continue the event before it");
  if (hash !== chainHash(prev, body)) return fail("bad_request", "its hash does not match its bytes");
  const schemas = eventSchemas();
  if (!Object.hasOwn(schemas, type))
    return fail("bad_request", `its type ${type} is unknown; a newer version may have written it`);
  const data = schemas[type].safeParse(event.data);
  if (!data.success) return fail("bad_request", `its data is invalid for ${type}: ${z.prettifyError(data.error)}`);
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
