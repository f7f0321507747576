import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { fileChanged, sessionCreated, wholeCall } from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import { chainHash } from "../envelope.ts";
import { eventAt } from "../store/session-rows.ts";

interface Target {
  readonly directory: string;
  readonly path: string;
  readonly artifact: string;
}

type Damage = readonly [string, (target: Target) => void, readonly { seq: number; problem: string | RegExp }[]];

describe("verify", () => {
  it("finds nothing wrong with what the store wrote", () => {
    const { directory, id, head } = stored();
    expect(must(reopened(directory).archive.verify())).toEqual([
      { session: id, imported: false, ok: true, events: 8, head, problems: [] },
    ]);
  });

  it("does not know a session that never was", () => {
    expect(failureOf(temporaryStore().archive.verify("ses_none")).code).toBe("bad_request");
  });

  const changed = "UPDATE events SET body = replace(body, '/srv/app', '/srv/evil') WHERE seq = 1";
  const damages: readonly Damage[] = [
    ["a changed event", sql(changed), [{ seq: 1, problem: /its bytes do not match its hash/ }]],
    [
      "a changed event with a new hash of its own",
      sql(`${changed}; UPDATE events SET hash = x'${"e".repeat(64)}' WHERE seq = 1`),
      [
        { seq: 1, problem: /do not match its hash/ },
        { seq: 2, problem: /does not continue the event before it/ },
      ],
    ],
    ["a removed event", sql("DELETE FROM events WHERE seq = 4"), [{ seq: 5, problem: "event 4 is missing" }]],
    [
      "removed events",
      sql("DELETE FROM events WHERE seq IN (3, 4, 5)"),
      [{ seq: 6, problem: "events 3 to 5 are missing" }],
    ],
    [
      "a removed tail",
      sql("DELETE FROM events WHERE seq > 6"),
      [{ seq: 6, problem: /the index recorded event 8, but the session ends at 6/ }],
    ],
    ["everything removed", sql("DELETE FROM events"), [{ seq: 0, problem: /ends at 0/ }]],
    [
      "an event filed as another",
      sql("UPDATE events SET type = 'x' WHERE seq = 2"),
      [{ seq: 2, problem: /its bytes do not match its hash/ }],
    ],
    [
      "an intent that the names forgot",
      sql("DELETE FROM names WHERE role = 'intent'"),
      [{ seq: 2, problem: "the intent cannot be found by its id" }],
    ],
    [
      "an event without data",
      sql("UPDATE events SET body = '{}' WHERE seq = 7"),
      [{ seq: 7, problem: "its bytes are not an event" }],
    ],
    [
      "an event that was emptied",
      sql(`UPDATE events SET body = '{"data":{},"type":"job.ended"}' WHERE seq = 7`),
      [
        { seq: 7, problem: /does not continue/ },
        { seq: 7, problem: /do not match its hash/ },
        { seq: 7, problem: "its body says event undefined" },
        { seq: 7, problem: /row says tool.observed/ },
        { seq: 7, problem: "it belongs to session undefined" },
        { seq: 7, problem: "its data is invalid for job.ended" },
      ],
    ],
    [
      "bytes that are no event",
      sql("UPDATE events SET body = 'x' WHERE seq = 2"),
      [{ seq: 2, problem: "its bytes are not an event" }],
    ],
    [
      "bytes that cannot be inflated",
      sql("UPDATE events SET body = x'ffff' WHERE seq = 2"),
      [{ seq: 2, problem: "its bytes are not an event" }],
    ],
    [
      "an observation that the names put behind its place",
      sql("UPDATE names SET seq = 8 WHERE role = 'audit'"),
      [{ seq: 7, problem: "the observation is indexed at event 8, which is another event" }],
    ],
    [
      "an invocation that the names put before its place",
      sql("UPDATE names SET seq = 2 WHERE role = 'invocation'"),
      [{ seq: 5, problem: "the invocation is indexed at event 2, which is another event" }],
    ],
    [
      "a name that no event has",
      sql("INSERT INTO names VALUES ('audit', 'evt_other', 7)"),
      [{ seq: 8, problem: "1 of the names lead to events without that name" }],
    ],
    [
      "an artifact that nothing keeps from being pruned",
      sql("DELETE FROM artifacts"),
      [{ seq: 8, problem: /^artifact sha256-\w+ is not protected from pruning$/ }],
    ],
    [
      "an artifact that is kept for nothing",
      sql("INSERT INTO artifacts VALUES ('sha256-x')"),
      [{ seq: 8, problem: "1 of the protected artifacts belong to no event" }],
    ],
    [
      "a body that is a number no number can hold",
      sql("UPDATE events SET body = 12345678901234567 WHERE seq = 3"),
      [{ seq: 2, problem: /^Could not read beyond event 2: .*\.db is damaged/ }],
    ],
    [
      "a row whose number no number can hold",
      sql("INSERT INTO events SELECT 9007199254740993, type, body, prev, hash FROM events WHERE seq = 8"),
      [{ seq: 8, problem: /^Could not read beyond event 8: .*\.db is damaged/ }],
    ],
    [
      "a row before the first",
      sql("INSERT INTO events SELECT -5, type, body, prev, hash FROM events WHERE seq = 8"),
      [{ seq: -5, problem: "it comes before event 1, the first of the session" }],
    ],
    ...["1.0", " 0x1 ", "01", "1e0"].map(
      (version): Damage => [
        `the version written as ${JSON.stringify(version)}`,
        sql(`UPDATE events SET body = '${version}' || substr(body, 2) WHERE seq = 2`),
        [{ seq: 2, problem: "its bytes are not an event" }],
      ],
    ),
    [
      "a row that is filed behind another",
      (target) => {
        const body = wholeBody(target.path, 3);
        sql(`UPDATE events SET body = '${body}', prev = x'00' WHERE seq = 3`)(target);
      },
      [{ seq: 3, problem: /previous event/ }],
    ],
    [
      "a session of two names",
      sql("INSERT INTO session VALUES ('ses_other')"),
      [{ seq: 8, problem: "the file says that it is ses_000001, ses_other" }],
    ],
    [
      "a layout that is not the file's",
      sql("PRAGMA user_version = 1"),
      [{ seq: 0, problem: /the table "events" in it is unexpected/ }],
    ],
    ...[
      `ALTER TABLE events RENAME TO kept;
       CREATE VIEW events AS WITH RECURSIVE more(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM more)
         SELECT seq, 'x' AS type, 'x' AS body, x'00' AS prev, x'00' AS hash FROM more WHERE seq < 0`,
      "CREATE VIEW more AS SELECT 1",
      "ALTER TABLE events ADD COLUMN more TEXT",
      "CREATE INDEX more ON events (type)",
      "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM names; END",
    ].map(
      (statements): Damage => [
        `what is none of its tables: ${statements.slice(0, 30)}`,
        sql(statements),
        [{ seq: 0, problem: /\.db was modified by another program/ }],
      ],
    ),
    ["a pipe", ({ path }) => pipe(path), [{ seq: 0, problem: /is not a regular file/ }]],
    [
      "a pipe beside it",
      ({ path }) => pipe(`${path}-journal`),
      [{ seq: 0, problem: /-journal is not a regular file/ }],
    ],
    ["an artifact that is a pipe", ({ artifact }) => pipe(artifact), [{ seq: 8, problem: /is unreadable$/ }]],
    ["a lost artifact", ({ artifact }) => rmSync(artifact), [{ seq: 8, problem: /^artifact sha256-\w+ is missing$/ }]],
    ["an altered artifact", ({ artifact }) => writeFileSync(artifact, "!"), [{ seq: 8, problem: /is altered$/ }]],
    [
      "a file that is no database",
      ({ path }) => writeFileSync(path, "x".repeat(9_000)),
      [{ seq: 0, problem: /is damaged/ }],
    ],
  ];
  it.each(damages)("finds %s", (_name, damage, problems) => {
    const target = stored();
    damage(target);
    const [report] = must(reopened(target.directory).archive.verify(target.id));
    expect(report?.ok).toBe(false);
    expect(report?.problems).toEqual(
      problems.map(({ seq, problem }) => ({
        seq,
        problem: problem instanceof RegExp ? expect.stringMatching(problem) : problem,
      })),
    );
  });

  it.each([
    ["a number that none can hold", sql("UPDATE events SET body = 12345678901234567 WHERE seq = 3")],
    ["a row number that none can hold", sql("INSERT INTO events VALUES (9007199254740993, 'x', 'x', x'00', x'00')")],
    ["bytes that are no event", sql("UPDATE events SET body = 'x' WHERE seq = 2")],
    ["data that no version had", rechained],
    ["another layout", sql("PRAGMA user_version = 1")],
    ["a pipe", ({ path }: Target) => pipe(path)],
  ])("one session that holds %s stops nobody from reading the others", (_name, damage) => {
    const target = stored();
    const store = reopened(target.directory);
    const sound = must(store.create(sessionCreated));
    sound.close();
    damage(target);
    expect(must(store.archive.verify()).map(({ session, ok }) => [session, ok])).toEqual([
      [target.id, false],
      [sound.id, true],
    ]);
    expect(new Set(store.list().map(({ id }) => id))).toEqual(new Set([target.id, sound.id]));
    expect(store.abandoned()).toEqual([]);
    expect(failureOf(store.archive.replay(target.id)).code).toBe("log_unavailable");
    expect(failureOf(store.open(target.id)).code).toBe("log_unavailable");
  });

  it("a session whose rows cannot be read is a failure that names the file", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    // Early ones are kept as they are.
    for (const words of [1, 1, 1, 1, 1, 1, 1, 2_000]) {
      must(log.append([{ type: "user.message", data: { text: "word ".repeat(words), by: "person" } }]));
    }
    log.close();
    const path = join(directory, "sessions", `${log.id}.db`);
    sql("PRAGMA user_version = 2")({ directory, path, artifact: "" });
    const failure = { code: "log_unavailable", message: expect.stringContaining(`${path} is damaged`) };
    expect(failureOf(store.archive.events(log.id))).toMatchObject(failure);
    expect([...must(store.archive.events(log.id, { limit: 1 }))].map(({ seq }) => seq)).toEqual([1]);
    expect(must(store.archive.verify(log.id))).toMatchObject([
      { ok: false, problems: [{ seq: 9, problem: "its bytes are not an event" }] },
    ]);
  });

  it("reads as far as it can when pages of the file are destroyed", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    for (let call = 0; call < 100; call += 1) must(log.append(wholeCall(`i${call}`, `inv_${call}`)));
    store.close();
    const path = join(directory, "sessions", `${log.id}.db`);
    const bytes = readFileSync(path);
    bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 20_000);
    chmodSync(path, 0o600);
    writeFileSync(path, bytes);
    const [report] = must(reopened(directory).archive.verify(log.id));
    expect(report?.ok).toBe(false);
    expect(report?.problems[0]?.problem).toMatch(/damaged|match its hash/);
  });
});

function stored(): Target & { readonly id: string; readonly head: string } {
  const directory = temporaryDirectory();
  const store = temporaryStore({ directory });
  const log = must(store.create(sessionCreated));
  const ref = must(store.artifacts.put("diff", "- a\n+ b"));
  must(log.append([...wholeCall("a", "inv_1"), fileChanged("/srv/app/a.ts", [ref])]));
  const { id, state } = log;
  store.close();
  return {
    directory,
    id,
    head: state.head,
    path: join(directory, "sessions", `${id}.db`),
    artifact: join(directory, "artifacts", ref.id.slice(7, 9), ref.id),
  };
}

/** As someone would who can write the file: the triggers and the checkpoint go first. */
function sql(statements: string): (target: Target) => void {
  return ({ path }) => {
    const database = new DatabaseSync(path);
    database.exec(
      "DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed; DELETE FROM checkpoint",
    );
    database.exec(statements);
    database.close();
  };
}

function pipe(path: string): void {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
}

/** The event as its hash covers it, for SQL. */
function wholeBody(path: string, seq: number): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const body = eventAt(database, seq)?.body ?? "";
  database.close();
  return body.replaceAll("'", "''");
}

/** The last event says something else, and its hash says so too. */
function rechained(target: Target): void {
  const database = new DatabaseSync(target.path, { readOnly: true });
  const [seventh, eighth] = [eventAt(database, 7), eventAt(database, 8)];
  database.close();
  const body = eighth?.body.replace(/"data":.*,"id"/, '"data":null,"id"') ?? "";
  const hash = chainHash(seventh?.hash ?? "", body);
  sql(`UPDATE events SET body = '${body}', hash = x'${hash}' WHERE seq = 8`)(target);
}

function reopened(directory: string) {
  return temporaryStore({ directory, ids: countingIds("b") });
}
