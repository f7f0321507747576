import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { fileChanged, sessionCreated, wholeCall } from "./event-drafts.ts";
import { failureOf, must } from "./must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "./temporary-store.ts";

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

const sql = (statements: string) => (file: string) => {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
};

/** A table whose root page is that of another one. */
function sharePages(file: string): void {
  const database = new DatabaseSync(file);
  const pages = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name IN ('names', 'artifacts')").all();
  database.close();
  const [from = 0, to = 0] = pages.map(({ rootpage }) => (Number(rootpage) - 1) * 4_096);
  const bytes = readFileSync(file);
  bytes.copy(bytes, to, from, from + 4_096);
  writeFileSync(file, bytes);
}

describe("a session file that something else changed", () => {
  it.each<[string, (file: string) => void]>([
    ["another table", sql("CREATE TABLE more (id TEXT)")],
    ["a trigger", sql("CREATE TRIGGER more AFTER INSERT ON names BEGIN DELETE FROM names; END")],
    ["a view in place of a table", sql("DROP TABLE names; CREATE VIEW names AS SELECT 1 AS role, 2 AS name, 3 AS seq")],
  ])("%s: it is neither read nor continued, and the other session is", (_name, change) => {
    const { directory, file, crafted, sound } = filledStore();
    change(file);
    const store = temporaryStore({ directory, ids: countingIds("b") });
    const changed = { message: expect.stringContaining(".db was modified by another program") };
    expect(failureOf(store.archive.events(crafted))).toMatchObject(changed);
    expect(failureOf(store.archive.export(crafted))).toMatchObject(changed);
    expect(failureOf(store.archive.replay(crafted))).toMatchObject(changed);
    expect(failureOf(store.archive.fork(crafted))).toMatchObject(changed);
    expect(failureOf(store.open(crafted))).toMatchObject(changed);
    expect(must(store.archive.verify())).toMatchObject([
      { session: crafted, ok: false },
      { session: sound, ok: true },
    ]);
  });

  it("pages that two tables share: verify says so", () => {
    const { directory, file, crafted, sound } = filledStore();
    sharePages(file);
    const store = temporaryStore({ directory, ids: countingIds("b") });
    expect(must(store.archive.verify())).toMatchObject([
      { session: crafted, ok: false, problems: [{ problem: expect.stringContaining("is damaged") }] },
      { session: sound, ok: true },
    ]);
  });

  it("a check that takes too long ends, and the next session is checked", () => {
    const { directory, crafted, sound } = filledStore();
    let now = 0;
    const clock = { now: () => (now += 2_000) };
    const store = temporaryStore({ directory, clock, ids: countingIds("b") });
    expect(must(store.archive.verify())).toMatchObject([
      { session: crafted, ok: false, problems: [{ problem: "the check was stopped after 300 s" }] },
      { session: sound, ok: true },
    ]);
  });
});

describe("an index that is not as it was written", () => {
  const endless = (columns: string) =>
    `CREATE VIEW heads AS WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT ${columns} FROM more`;
  const unknown = { problems: [], notice: expect.stringContaining("index.db was missing") };

  it.each<[string, (index: string) => void]>([
    ["a view without an end", sql(`DROP TABLE heads; ${endless("n AS id, n AS seq, n AS hash")}`)],
    ["another table", sql("CREATE TABLE more (id TEXT)")],
    ["another column", sql("ALTER TABLE sessions ADD COLUMN more TEXT")],
    ["a trigger", sql("CREATE TRIGGER more AFTER INSERT ON heads BEGIN DELETE FROM heads; END")],
    ["a head that no number holds", sql(`UPDATE heads SET seq = ${2n ** 60n}`)],
  ])("%s: it is renamed and made again, and what it knew is not known", (_name, craft) => {
    const filled = filledStore();
    craft(filled.index);
    const store = temporaryStore({ directory: filled.directory, ids: countingIds("b") });
    expect(store.list().map(({ id }) => id)).toEqual(expect.arrayContaining([filled.crafted, filled.sound]));
    expect(must(store.archive.verify())).toMatchObject([unknown, unknown]);
    expect(store.notices()).toEqual([expect.stringContaining("It is kept as index.db.damaged")]);
    expect(existsSync(`${filled.index}.damaged`)).toBe(true);
    store.close();
    const again = temporaryStore({ directory: filled.directory, ids: countingIds("c") });
    again.list();
    expect(again.notices()).toEqual([]);
  });

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
      expect(store.notices()).toEqual([expect.stringContaining(`kept as ${name},`)]);
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
