import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { leadInCircle, shareChildren, shareSchema } from "./crafted-pages.ts";
import { fileChanged, sessionCreated, wholeCall } from "./event-drafts.ts";
import { must } from "./must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "./temporary-store.ts";

const craftedProcess = fileURLToPath(new URL("./crafted-process.ts", import.meta.url));

/** A store with a session of some hundred events and a small one. */
function filledStore() {
  const directory = temporaryDirectory();
  const store = temporaryStore({ directory });
  const log = must(store.create(sessionCreated));
  const ref = must(store.artifacts.put("diff", "- a\n+ b"));
  for (let call = 0; call < 100; call += 1) must(log.append(wholeCall(`i${call}`, `inv_${call}`)));
  must(log.append([fileChanged("/srv/app/a.ts", [ref])]));
  const sound = must(store.create(sessionCreated));
  store.close();
  const file = path.join(directory, "sessions", `${log.id}.db`);
  return { directory, file, index: path.join(directory, "index.db"), crafted: log.id, sound: sound.id };
}

/** The main file stays as it was. */
function moreTablesInLog(file: string): void {
  const aside = `${file}-aside`;
  copyFileSync(file, aside);
  const database = new DatabaseSync(aside);
  database.exec("PRAGMA wal_autocheckpoint = 0");
  for (let table = 0; table < 100; table += 1) database.exec(`CREATE TABLE more_${table} (id TEXT)`);
  copyFileSync(`${aside}-wal`, `${file}-wal`);
  database.close();
  rmSync(aside);
}

/** What nothing in the process could stop is stopped from outside, and the answer is then none. */
function ask({ directory, crafted }: { readonly directory: string; readonly crafted: string }) {
  const { stdout, stderr, signal } = spawnSync(process.execPath, [craftedProcess, directory, crafted], {
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  expect([signal, stderr]).toEqual([null, ""]);
  return JSON.parse(stdout);
}

describe("a session file whose pages lead nowhere SQLite would have them lead", () => {
  const changed = expect.stringContaining(".db was changed by something other than gauntlet");
  const row = (name: string) => [name, "zzz", "zzz", "zzz"];
  it.each<[string, (file: string) => void, object, object]>([
    [
      "events in a circle",
      leadInCircle,
      {
        problems: [{ problem: expect.stringMatching(/other than gauntlet \(event 2 stands where \d+ or a later one/) }],
      },
      { events: changed, some: changed, exported: changed, replayed: changed, forked: changed },
    ],
    [
      "events without an end",
      (file) => shareChildren(file, "events", row("x")),
      { problems: expect.arrayContaining([{ seq: 16_383, problem: "its bytes are not an event" }]) },
      { some: changed, replayed: expect.stringContaining("does not continue the chain") },
    ],
    [
      "names without an end",
      (file) => shareChildren(file, "names", ["zzz", "z", 1]),
      { problems: [{ seq: 602, problem: "1000 or more of the names lead to events that do not carry them" }] },
      { events: "ok", exported: "ok", replayed: "ok", opened: "ok" },
    ],
    [
      "artifacts without an end",
      (file) => shareChildren(file, "artifacts", ["zzz"]),
      { problems: [{ seq: 602, problem: expect.stringContaining('its rows are not in order at "zzz"') }] },
      { events: "ok", exported: changed, pruned: "ok" },
    ],
    [
      "tables without an end",
      (file) => shareSchema(file, "names"),
      { problems: [{ seq: 0, problem: expect.stringContaining("says of its tables goes beyond its first page") }] },
      { events: changed, some: changed, exported: changed, replayed: changed, forked: changed, opened: changed },
    ],
    [
      "more tables in what was written last",
      moreTablesInLog,
      {
        problems: [
          { seq: 0, problem: expect.stringContaining(".db-wal says of its tables goes beyond its first page") },
        ],
      },
      { events: changed, some: changed, exported: changed, replayed: changed, forked: changed, opened: changed },
    ],
    [
      "a journal that would be believed",
      (file) => writeFileSync(`${file}-journal`, "x"),
      { problems: [{ seq: 0, problem: expect.stringContaining("and it needs none") }] },
      { events: changed, replayed: changed, opened: changed },
    ],
  ])(
    "%s: everything that reads it ends, and the other session is checked",
    (_name, craft, report, answers) => {
      const filled = filledStore();
      craft(filled.file);
      const told = ask(filled);
      expect(told).toMatchObject(answers);
      expect(told).toMatchObject({ abandoned: [], notices: [] });
      expect(told.listed.toSorted()).toEqual([filled.crafted, filled.sound].toSorted());
      expect(told.verified).toMatchObject([
        { id: filled.crafted, ...report },
        { id: filled.sound, problems: [] },
      ]);
    },
    90_000,
  );
});

describe("an index that is not as it was written", () => {
  const endless = (columns: string) =>
    `CREATE VIEW heads AS WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT ${columns} FROM more`;
  const sql = (statements: string) => (index: string) => {
    const database = new DatabaseSync(index);
    database.exec(statements);
    database.close();
  };
  const unknown = { problems: [], notice: expect.stringContaining("removed from the end would not be noticed") };

  it.each<[string, (index: string) => void]>([
    ["a view without an end", sql(`DROP TABLE heads; ${endless("n AS id, n AS seq, n AS hash")}`)],
    ["another table", sql("CREATE TABLE more (id TEXT)")],
    ["another column", sql("ALTER TABLE sessions ADD COLUMN more TEXT")],
    ["a trigger", sql("CREATE TRIGGER more AFTER INSERT ON heads BEGIN DELETE FROM heads; END")],
    ["tables without an end", (index) => shareSchema(index, "heads")],
    ["heads without an end", (index) => shareChildren(index, "heads", ["zzz", 1, "z"])],
    ["sessions without an end", (index) => shareChildren(index, "sessions", ["zzz", "null", 1, "z"])],
    ["a head that no number holds", sql(`UPDATE heads SET seq = ${2n ** 60n}`)],
  ])(
    "%s: it is kept aside and begun anew, and what it knew is not known",
    (_name, craft) => {
      const filled = filledStore();
      craft(filled.index);
      const told = ask(filled);
      expect(told).toMatchObject({ abandoned: [], events: "ok", replayed: "ok", opened: "ok" });
      expect(told.listed.toSorted()).toEqual([filled.crafted, filled.sound].toSorted());
      expect(told.notices).toEqual([expect.stringContaining("It is kept as index.db.damaged")]);
      expect(existsSync(`${filled.index}.damaged`)).toBe(true);
      expect(told.verified).toMatchObject([unknown, unknown]);
      // Said once.
      expect(ask(filled).notices).toEqual([]);
    },
    120_000,
  );

  it.each([
    "null",
    "7",
    "[]",
    "{}",
    "{",
    '{"id":"ses_000001"}',
    `json_set(summary, '$.id', 'ses_other')`,
    `json_set(summary, '$.task', 7)`,
    `json_remove(summary, '$.imported')`,
  ])("a summary that is %s: the file is asked instead, and the heads stay", (value) => {
    const { directory, index, crafted, sound } = filledStore();
    const store = temporaryStore({ directory, ids: countingIds("b") });
    const before = store.list();
    store.close();
    sql(`UPDATE sessions SET summary = ${value.startsWith("json") ? value : `'${value}'`}`)(index);
    const again = temporaryStore({ directory, ids: countingIds("c") });
    expect(again.list()).toEqual(before);
    expect(again.abandoned()).toEqual([]);
    expect(again.notices()).toEqual([]);
    expect(must(again.archive.verify())).toMatchObject([{ session: crafted }, { session: sound }]);
    expect(must(again.archive.verify()).flatMap(({ notice }) => notice ?? [])).toEqual([]);
  });

  it("every one that is set aside stays, with what lay beside it", () => {
    const { directory, index } = filledStore();
    const clock = manualClock();
    for (const name of ["index.db.damaged", "index.db.damaged-2", "index.db.damaged-3"]) {
      sql("CREATE TABLE more (id TEXT)")(index);
      const store = temporaryStore({ directory, clock, ids: countingIds(name) });
      store.list();
      expect(store.notices()).toEqual([expect.stringContaining(`kept as ${name} `)]);
      store.close();
      const kept = new DatabaseSync(path.join(directory, name), { readOnly: true });
      expect(kept.prepare("SELECT count(*) AS count FROM heads").get()).toEqual({ count: 2 });
      kept.close();
    }
  });

  it("changed while it is open: no append fails, and nothing is thrown", () => {
    const directory = temporaryDirectory();
    const clock = manualClock();
    const store = temporaryStore({ directory, clock });
    const log = must(store.create(sessionCreated));
    sql(`DROP TABLE heads; ${endless("n AS id, n AS seq, n AS hash")}`)(path.join(directory, "index.db"));
    clock.advance(5_000);
    must(log.append(wholeCall("a", "inv_1")));
    log.close();
    expect(store.list().map(({ events }) => events)).toEqual([7]);
    expect(store.notices()).toHaveLength(1);
    // Whoever made the session has said how far it came.
    expect(must(store.archive.verify())).toMatchObject([{ ok: true, events: 7 }]);
  });
});
