import process from "node:process";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { lazy } from "../../contract/lazy.ts";
import { envelopeEnd, type StoredEvent } from "../envelope.ts";
import { rowDictionary } from "./row-dictionary.ts";
import { layoutOf } from "./session-schema.ts";

type Row = Record<string, SQLOutputValue>;

/** Below it, a body that is made short saves fewer bytes than it costs time. */
const longestPlain = 1_500;

/**
 * A body without its end, which says what the row and the file say already: `1{"at":…,"data":…,"id":…`, the
 * payload's version first. Long ones are deflated. One that does not end so is stored as it is. The very bytes that
 * the hash covers come back out of each of them.
 */
export function rowBody({ body, seq, type }: StoredEvent, facts: BodyFacts, words?: Uint8Array): SQLInputValue {
  const end = envelopeEnd({ ...facts, seq, type });
  if (!body.endsWith(end)) return body;
  const short = `${facts.v}${body.slice(0, -end.length)}`;
  if (short.length < longestPlain) return short;
  return zlib().deflateRawSync(short, words === undefined ? frugal : { ...frugal, dictionary: words });
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
    const text = row.body instanceof Uint8Array ? inflated(row.body, words()) : String(row.body);
    const start = text.indexOf("{");
    const facts = () => ({
      v: Number(text.slice(0, start)),
      prev: hashText(row.prev),
      session: sessionId(),
      seq,
      type,
    });
    const body = start === 0 ? text : `${text.slice(start)}${envelopeEnd(facts())}`;
    return { seq, type, body, hash: hashText(row.hash) };
  };
}

/** What cannot be inflated is no event, and is found not to be one where events are read. */
function inflated(bytes: Uint8Array, words: Uint8Array | undefined): string {
  try {
    const dictionary = words === undefined ? {} : { dictionary: words };
    return zlib()
      .inflateRawSync(bytes, { maxOutputLength: longestBody, ...dictionary })
      .toString();
  } catch {
    return "{damaged bytes}";
  }
}

/** No event is near it; a damaged row must not fill the memory. */
const longestBody = 256 * 1024 * 1024;

/** Looked up when it is used: a start that stores nothing long does without it. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
