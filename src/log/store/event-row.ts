import { isUtf8 } from "node:buffer";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Event } from "../../contract/events/index.ts";
import { type EnvelopeFacts, envelopeEnd, longestBody, type StoredEvent } from "../envelope.ts";
import { artifactsKeptFor, namesOf } from "../event-names.ts";
import { layoutOf } from "./session-schema.ts";

/** Smaller bodies are not worth the time to deflate. */
const longestPlain = 1_500;

/**
 * A body without the end that the row and the file repeat: `1{"at":…,"data":…,"id":…`, the payload's version first.
 * Long ones are deflated. Reading returns exactly the bytes that the hash covers. */
export function rowBody(
  stored: StoredEvent,
  facts: Pick<EnvelopeFacts, "prev" | "session" | "v">,
  words?: Uint8Array,
): SQLInputValue {
  const { body, seq, type } = stored;
  const end = envelopeEnd({ ...facts, seq }, type);
  if (!body.endsWith(end)) return body;
  const short = `${facts.v}${body.slice(0, -end.length)}`;
  return short.length < longestPlain ? short : deflateRawSync(short, { ...frugal, dictionary: words });
}

/** The dictionary of every deflated body, where the layout has one. */
function wordsOf(database: DatabaseSync): Uint8Array | undefined {
  return layoutOf(database) === "primed" ? rowDictionary : undefined;
}

/** The defaults allocate a quarter of a megabyte for every body. */
const frugal = { level: 4, windowBits: 12, memLevel: 5, chunkSize: 2_048 } as const;

export function hashBytes(hash: string): Uint8Array {
  return Buffer.from(hash, "hex");
}

export function hashText(value: SQLOutputValue | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

export function rowReader(database: DatabaseSync): (row: Record<string, SQLOutputValue>) => StoredEvent {
  const isPlain = layoutOf(database) === "plain";
  const session = isPlain ? "" : String(database.prepare("SELECT id FROM session").get()?.id);
  const words = wordsOf(database);
  return (row) => {
    const [seq, type, hash] = [Number(row.seq), String(row.type), hashText(row.hash)];
    const text = row.body instanceof Uint8Array ? inflated(row.body, words) : String(row.body);
    if (typeof row.body === "string" && text.startsWith("{")) return { seq, type, body: text, hash };
    const v = shortBody.exec(text)?.[1];
    if (v === undefined) return { seq, type, body: damaged, hash };
    const end = envelopeEnd({ v: Number(v), prev: hashText(row.prev), session, seq }, type);
    return { seq, type, body: `${text.slice(v.length)}${end}`, hash };
  };
}

/** Only the canonical spelling: another spelling of the number could carry bytes that no hash covers. */
const shortBody = /^([1-9]\d{0,14})\{/;

/** Not an event; the readers of events report it. */
const damaged = "{damaged bytes}";

/** Every byte of the row must be used: no data may follow the end. */
function inflated(bytes: Uint8Array, dictionary: Uint8Array | undefined): string {
  try {
    const result: unknown = inflateRawSync(bytes, { info: true, maxOutputLength: longestBody, dictionary });
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    return engine.bytesWritten === bytes.length && isUtf8(buffer) ? buffer.toString() : damaged;
  } catch {
    return damaged;
  }
}

export type InsertEvent = (stored: StoredEvent, event: Event) => boolean;

/** Stores one event with its names, inside a transaction. An intent id that was used before throws. */
export function prepareInsert(database: DatabaseSync, token?: number): InsertEvent {
  const insertRow = prepareRow(database, token);
  const insertOnlyName = database.prepare("INSERT INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertFirstName = database.prepare("INSERT OR IGNORE INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertArtifact = database.prepare("INSERT OR IGNORE INTO artifacts (id) VALUES (?)");
  return (stored, event) => {
    if (!insertRow(stored, event)) return false;
    for (const { role, name } of namesOf(event)) {
      (role === "intent" ? insertOnlyName : insertFirstName).run(role, name, stored.seq);
    }
    for (const id of artifactsKeptFor(event)) insertArtifact.run(id);
    return true;
  };
}

function prepareRow(database: DatabaseSync, token: number | undefined): InsertEvent {
  // Part of the insert: a query of its own would cost as much as another row.
  const fence = token === undefined ? "" : `WHERE (SELECT token FROM lease) = ${token}`;
  if (layoutOf(database) === "plain") {
    const insert = database.prepare(`INSERT INTO events (seq, type, body, hash) SELECT ?, ?, ?, ? ${fence}`);
    return ({ seq, type, body, hash }) => insert.run(seq, type, body, hash).changes === 1;
  }
  const insert = database.prepare(`INSERT INTO events (seq, type, body, prev, hash) SELECT ?, ?, ?, ?, ? ${fence}`);
  const words = wordsOf(database);
  return (stored, event) => {
    const { seq, type, hash } = stored;
    const body = rowBody(stored, event, words);
    return insert.run(seq, type, body, hashBytes(event.prev), hashBytes(hash)).changes === 1;
  };
}

/**
 * The deflate dictionary of long bodies, most frequent strings last. It halves their size. It is part of the file
 * layout: with one byte changed, existing files can no longer be read.
 */
export const rowDictionary = Buffer.from(
  [
    // What runs, and where.
    '"command":{"cwd":"","text":""},"executor":{"gauntlet":"0.1.0","kind":"builtin","pid":"lane":"exclusive",',
    '"sandbox":{"backend":"bubblewrap","enforces":true,"network":"none","readable":["/home/"],"writable":[]},',
    '"timeoutMs":600000,"tool":"bash","version":"1"},"tool":"grep","tool":"edit","tool":"write"',
    '"status":"failed","ok":false,"recovery":"',
    // Input of a model.
    String.raw`{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"{\"type\":\"call\",\"callId\":\"call_\",`,
    String.raw`\"tool\":\"bash\",\"input\":{\"command\":\"\"path\":\"src/\"}}],`,
    String.raw`\"by\":{\"id\":\"\",\"provider\":\"anthropic\"openai-compatible\"}}\n`,
    String.raw`{\"role\":\"tool\",\"results\":[{\"callId\":\"call_\",\"tool\":\"read\",\"ok\":true,\"text\":\"Lines 1- of of src/.`,
    String.raw`\\n<untrusted-output>\\n1\\t\\n</untrusted-output>\"}]}\n","bytes":1,"continues":"","hash":"","total":},`,
    '"tokens":{"estimate":1,"pressure":0.1},"turnId":"turn_01,"data":{"menuHash":"","modelInput":{"added":"',
    // Results of calls.
    ',"permission":{"decision":"allow","reason":"reads /","risk":"R1","source":"mode"},"phase":"execute",',
    '"retryable":false,"sandbox":{"backend":"bubblewrap","enforces":true,"used":false},"status":"ok",',
    '"summary":"Lines 1- of src/","title":"Read src/","tool":"read","user":{"text":"1',
    '","data":{"intentId":"int_01","invocationId":"inv_01","observation":{"artifacts":[],"auditId":"evt_01",',
    '"code":"ok","data":{"bom":false,"bytes":6,"cutLineCount":0,"encoding":"utf-8","endLine":1,',
    '"endsWithNewline":true,"eol":"lf","hash":"","path":"src/","selectedLineCount":1,"startLine":1,',
    '"totalLineCount":1,"truncated":false,"unchanged":false},"effects":{"declared":[{"op":"read",',
    '"path":{"kind":"file","resolved":"/","written":"src/"},"scope":"file"}],"happened":"done",',
    '"seen":[{"op":"read","target":"/"}]},"intentId":"int_01","invocationId":"inv_01",',
    '"metrics":{"durationMs":1,"endedAt":"2026-","outputBytes":1,"startedAt":"2026-"},',
    String.raw`"model":{"content":[{"format":"text","text":"1\t"trust":"tool_output_untrusted"}],"omittedBytes":0,`,
    '"truncated":false},"ok":true,"id":"evt_01{"at":"2026-',
  ].join(""),
);
