import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { sessionCreated, wholeCall } from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import { canonicalJson, sha256 } from "../../base/digest.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import { chainHash, chainStart, longestBody, openEvent, type StoredEvent, sealEvent } from "../envelope.ts";
import { DamagedRow } from "../log-failure.ts";
import { createUpcaster } from "../upcast.ts";
import { prepareInsert, rowBody, rowDictionary } from "./event-row.ts";
import { eventAt, storedEvents } from "./session-rows.ts";
import { createTables, layoutOf } from "./session-schema.ts";

const upcaster = createUpcaster({});

describe("a row", () => {
  it("gives the very bytes back that the hash covers, whatever they are", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.string({ unit: "grapheme", minLength: 2_000, maxLength: 4_000 }),
      fc.constantFrom('","prev":"', "{", "1{", "\ud800", "\0"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 5 }), (said) => {
        const database = new DatabaseSync(":memory:");
        createTables(database, "ses_1");
        const insert = prepareInsert(database);
        let prev = chainStart;
        const stored = said.map(([words, v], index): StoredEvent => {
          const facts = { seq: index + 1, id: `evt_${index}`, session: "ses_1", at: "now", v, prev };
          const event = sealEvent("user.message", canonicalJson({ text: words, by: "person" }), facts);
          prev = event.hash;
          insert(event, openEvent(event, upcaster));
          return event;
        });
        expect([...storedEvents(database)]).toEqual(stored);
        expect(stored.map(({ seq }) => eventAt(database, seq))).toEqual(stored);
        database.close();
      }),
      { numRuns: 60 },
    );
  });

  it("keeps bytes as they are that do not end as an event of its place does", () => {
    const database = new DatabaseSync(":memory:");
    createTables(database, "ses_1");
    const body = '{"v":1, "type":"user.message", "data":{"text":"spaces","by":"person"}}';
    const stored = { seq: 1, type: "user.message", body, hash: chainHash(chainStart, body) };
    prepareInsert(database)(stored, {
      ...openEvent(stored, upcaster),
      prev: chainStart,
      session: "ses_1",
      id: "evt_1",
    });
    expect([...storedEvents(database)]).toEqual([stored]);
  });

  it("is read by itself: what stands behind it is not looked at before it is asked for", () => {
    const database = new DatabaseSync(":memory:");
    createTables(database, "ses_1");
    const [first] = insertSaid(database, ["one", "two"]);
    database.exec("DROP TRIGGER events_are_never_changed; UPDATE events SET body = 12345678901234567 WHERE seq = 2");
    const rows = storedEvents(database);
    expect(rows.next().value).toEqual(first);
    expect(() => rows.next()).toThrow("too large");
    database.close();
  });

  it.each<[string, (row: Buffer) => Uint8Array]>([
    ["goes on behind its end", (row) => Buffer.concat([row, Buffer.from("hidden")])],
    ["ends too early", (row) => row.subarray(0, -1)],
    ["is no text", () => deflateRawSync(Buffer.from('1{"a":"\xff"', "latin1"))],
    ["is a whole event", () => deflateRawSync('{"at":"now"}')],
    ["becomes too long", () => deflateRawSync(`1{"a":"${"x".repeat(longestBody)}"`)],
  ])("is no event when it %s", (_name, change) => {
    const database = new DatabaseSync(":memory:");
    createTables(database, "ses_1");
    insertSaid(database, ["word ".repeat(2_000)]);
    expect(() => openEvent(eventOne(database), upcaster)).not.toThrow();
    database.exec("DROP TRIGGER events_are_never_changed");
    const row = database.prepare("SELECT body FROM events").get()?.body;
    const bytes = row instanceof Uint8Array ? Buffer.from(row) : Buffer.alloc(0);
    database.prepare("UPDATE events SET body = ?").run(change(bytes));
    expect(() => openEvent(eventOne(database), upcaster)).toThrow(DamagedRow);
    database.close();
  });

  it("is not written when it could not be read again", () => {
    const log = must(temporaryStore().create(sessionCreated));
    const data = { text: "é".repeat(longestBody / 2), by: "person" } as const;
    expect(failureOf(log.append([{ type: "user.message", data }]))).toMatchObject({ code: "bad_request" });
    expect(log.state.seq).toBe(1);
  });

  it("is small: neither the chain nor the session is written out in it", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const message = (words: number): EventDraft => ({
      type: "user.message",
      data: { text: "word ".repeat(words), by: "person" },
    });
    must(log.append([...Array.from({ length: 6 }, () => message(1)), message(2_000), message(2_000), message(20)]));
    const database = new DatabaseSync(join(store.directory, "sessions", `${log.id}.db`), { readOnly: true });
    const rows = database.prepare("SELECT typeof(body) AS kind, length(body) AS size FROM events ORDER BY seq").all();
    expect(rows.slice(6).map(({ kind }) => kind)).toEqual(["text", "blob", "blob", "text"]);
    expect(Number(rows[8]?.size)).toBeLessThan(500);
    expect(Number(rows[9]?.size)).toBeLessThan(300);
    database.close();
  });
});

describe("a session of an older layout", () => {
  it.each([
    { layout: "plain", into: intoFirstLayout, kinds: ["text"] },
    { layout: "short", into: intoSecondLayout, kinds: ["text", "blob"] },
  ])("is read, verified and continued as it is: $layout", ({ layout, into, kinds }) => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    const call = (id: string, invocation: string): readonly EventDraft[] => [
      ...wholeCall(id, invocation),
      { type: "user.message", data: { text: "word ".repeat(2_000), by: "person" } },
    ];
    must(log.append(call("a", "inv_1")));
    const { id } = log;
    const path = join(directory, "sessions", `${id}.db`);
    log.close();
    const before = into(path);

    const opened = must(store.open(id));
    must(opened.append(call("b", "inv_2")));
    opened.close();
    const database = new DatabaseSync(path, { readOnly: true });
    const after = [...storedEvents(database)];
    expect([layoutOf(database), after.slice(0, before.length), after.length]).toEqual([
      layout,
      before,
      before.length * 2 - 1,
    ]);
    const found = database.prepare("SELECT DISTINCT typeof(body) AS kind FROM events ORDER BY seq").all();
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
    database.close();
    expect(must(store.archive.verify(id))).toMatchObject([{ ok: true, events: after.length }]);
  });
});

test("the dictionary of the layout never changes", () => {
  expect(sha256(rowDictionary)).toBe("ad345c4765da2802183ade83274c0ba9dfdd21f62953ed4f9dd71e8ae9f7f721");
});

function insertSaid(database: DatabaseSync, said: readonly string[]): readonly StoredEvent[] {
  const insert = prepareInsert(database);
  let prev = chainStart;
  return said.map((text, index) => {
    const facts = { seq: index + 1, id: `evt_${index}`, session: "ses_1", at: "now", v: 1, prev };
    const event = sealEvent("user.message", canonicalJson({ text, by: "person" }), facts);
    prev = event.hash;
    insert(event, openEvent(event, upcaster));
    return event;
  });
}

function eventOne(database: DatabaseSync): StoredEvent {
  const [stored] = storedEvents(database);
  if (stored === undefined) throw new Error("no row");
  return stored;
}

/** As files were written before rows were shortened. */
function intoFirstLayout(path: string): readonly StoredEvent[] {
  const database = new DatabaseSync(path);
  const rows = [...storedEvents(database)];
  database.exec(`
    DROP TABLE events; DROP TABLE session;
    CREATE TABLE events (seq INTEGER PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
    PRAGMA user_version = 1`);
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?)");
  for (const { seq, type, body, hash } of rows) insert.run(seq, type, body, hash);
  database.close();
  return rows;
}

/** As files were written before there was a dictionary. */
function intoSecondLayout(path: string): readonly StoredEvent[] {
  const database = new DatabaseSync(path);
  const rows = [...storedEvents(database)];
  database.exec("DROP TRIGGER events_are_never_changed; PRAGMA user_version = 2");
  const update = database.prepare("UPDATE events SET body = ? WHERE seq = ?");
  for (const stored of rows) update.run(rowBody(stored, openEvent(stored, upcaster)), stored.seq);
  database.close();
  return rows;
}
