import { isUtf8 } from "node:buffer";
import process from "node:process";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { lazy } from "../../base/async.ts";
import { envelopeEnd, longestBody, type StoredEvent } from "../envelope.ts";
import { rowDictionary } from "./row-dictionary.ts";
import { layoutOf } from "./session-schema.ts";

export type Row = Record<string, SQLOutputValue>;

/** Below it, a body that is made short saves fewer bytes than it costs time. */
const longestPlain = 1_500;

/** Those before a session's first request are not made short: that waits for them, and would wait for zlib as well. */
const plainUpTo = { seq: 8, length: 32 * 1024 };

/**
 * A body without its end, which says what the row and the file say already: `1{"at":…,"data":…,"id":…`, the
 * payload's version first. Long ones are deflated. One that does not end so is stored as it is. The very bytes that
 * the hash covers come back out of each of them.
 */
export function rowBody(stored: StoredEvent, facts: BodyFacts, words?: Uint8Array): SQLInputValue {
  const { body, endsAt = endOf(stored, facts) } = stored;
  if (endsAt === undefined) return body;
  const short = `${facts.v}${body.slice(0, endsAt)}`;
  const isFirst = stored.seq <= plainUpTo.seq && short.length < plainUpTo.length;
  if (isFirst || short.length < longestPlain) return short;
  return zlib().deflateRawSync(short, words === undefined ? frugal : { ...frugal, dictionary: words });
}

function endOf({ body, seq, type }: StoredEvent, facts: BodyFacts): number | undefined {
  const end = envelopeEnd({ ...facts, seq }, type);
  return body.endsWith(end) ? body.length - end.length : undefined;
}

/** What the file's layout puts before every body that is deflated. */
export function wordsOf(database: DatabaseSync): Uint8Array | undefined {
  return layoutOf(database) === "primed" ? rowDictionary : undefined;
}

/** Left to itself it takes a quarter of a megabyte for every body, and the collector of garbage runs the more often. */
const frugal = { level: 4, windowBits: 12, memLevel: 5, chunkSize: 2_048 } as const;

interface BodyFacts {
  readonly prev: string;
  readonly session: string;
  readonly v: number;
}

export function hashBytes(hash: string): Uint8Array {
  return Buffer.from(hash, "hex");
}

export function hashText(value: SQLOutputValue | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

/** Reads rows of every layout. */
export function rowReader(database: DatabaseSync): (row: Row) => StoredEvent {
  const sessionId = lazy(() => String(database.prepare("SELECT id FROM session").get()?.id));
  const words = lazy(() => wordsOf(database));
  return (row) => {
    const seq = Number(row.seq);
    const type = String(row.type);
    const whole = (text: string) => {
      const v = shortBody.exec(text)?.[1];
      if (v === undefined) return damaged;
      const facts = { v: Number(v), prev: hashText(row.prev), session: sessionId(), seq };
      return `${text.slice(v.length)}${envelopeEnd(facts, type)}`;
    };
    const text = row.body instanceof Uint8Array ? inflated(row.body, words()) : String(row.body);
    const isWhole = typeof row.body === "string" && text.startsWith("{");
    return { seq, type, body: isWhole ? text : whole(text), hash: hashText(row.hash) };
  };
}

/** As it is written and in no other way: whatever else reads as the same number would be room for bytes that no hash covers. */
const shortBody = /^([1-9]\d{0,14})\{/;

/** No event, and found not to be one where events are read. */
const damaged = "{damaged bytes}";

/** Every byte of the row has to be of use: nothing may hide behind the end. */
function inflated(bytes: Uint8Array, words: Uint8Array | undefined): string {
  const options = { info: true, maxOutputLength: longestBody, dictionary: words };
  try {
    const result: unknown = zlib().inflateRawSync(bytes, options);
    if (!isInflated(result)) return damaged;
    const { buffer, engine } = result;
    return engine.bytesWritten === bytes.length && isUtf8(buffer) ? buffer.toString() : damaged;
  } catch {
    return damaged;
  }
}

/** What `info` asks for. The declared types do not know of it. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function isInflated(result: unknown): result is Inflated {
  return typeof result === "object" && result !== null && "engine" in result && "buffer" in result;
}

/** Looked up when it is used: a start that stores nothing long does without it. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
