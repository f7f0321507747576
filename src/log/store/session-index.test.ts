import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { observed, proposed, sessionCreated, wholeCall } from "../../../test/replay/event-drafts.ts";
import { must } from "../../../test/replay/must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";

describe("the list of sessions", () => {
  it("tells the same from the index, from the files and while someone writes", () => {
    const directory = temporaryDirectory();
    const clock = manualClock();
    const store = temporaryStore({ directory, clock });
    const log = must(store.create(sessionCreated));
    clock.advance(1_500);
    must(log.append(wholeCall("a", "inv_1")));
    const expected = {
      id: log.id,
      workspace: "/srv/app",
      task: "",
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:01.500Z",
      status: "idle",
      imported: false,
      events: 7,
      intents: 1,
      changed: 0,
      bytes: expect.any(Number),
      head: log.state.head,
    };
    expect(store.list()).toEqual([expected]);
    log.close();
    const listed = store.list();
    expect(listed).toEqual([expected]);
    expect(listed[0]?.bytes).toBeGreaterThan(4_096);
    store.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(directory, `index.db${suffix}`), { force: true });
    expect(temporaryStore({ directory, ids: countingIds("b") }).list()).toEqual(listed);
  });

  it("says what a session was about first, also where the index is of a version that did not", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    const model = { provider: "p", id: "m" };
    const run = (goal: string) =>
      ({ type: "run.started", data: { runId: "run_1", goal, model, chosen: "", limits: {} } }) as const;
    must(log.append([run("\n  Fix the tests \nand more"), run("Another thing")]));
    log.close();
    expect(store.list().map(({ task }) => task)).toEqual(["Fix the tests"]);
    store.close();
    const index = new DatabaseSync(join(directory, "index.db"));
    index.exec("UPDATE sessions SET summary = json_remove(summary, '$.task')");
    index.close();
    const later = temporaryStore({ directory, ids: countingIds("b") });
    expect(later.list().map(({ task }) => task)).toEqual(["Fix the tests"]);
  });

  it("is enough to know that nothing was left open: no session is opened for it", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    must(log.append(wholeCall("a", "inv_1")));
    log.close();
    // Reading leaves files beside it, of which an empty one changes nothing.
    expect([...must(store.archive.events(log.id))]).toHaveLength(7);
    store.close();
    const shared = join(directory, "sessions", `${log.id}.db-shm`);
    expect(existsSync(shared)).toBe(true);
    rmSync(shared);
    expect(temporaryStore({ directory, ids: countingIds("b") }).abandoned()).toEqual([]);
    expect(existsSync(shared)).toBe(false);
  });

  it("has the latest first", () => {
    const clock = manualClock();
    const store = temporaryStore({ clock });
    const logs = ["a", "b", "c"].map(() => {
      clock.advance(10);
      return must(store.create(sessionCreated));
    });
    clock.advance(10);
    must(logs[0]?.append([proposed("x")]) ?? { ok: true, value: [] });
    expect(store.list().map(({ id }) => id)).toEqual([logs[0]?.id, logs[2]?.id, logs[1]?.id]);
  });
});

describe("recorded heads", () => {
  it("show that a tail was removed, also after the list was read and the session went on", () => {
    const { directory, id } = storedSession();
    cutTail(directory, id, 3);
    const store = temporaryStore({ directory, ids: countingIds("b") });
    store.list();
    const problem = { seq: 3, problem: expect.stringContaining("its tail was removed or lost") };
    expect(must(store.archive.verify(id))).toMatchObject([{ ok: false, events: 3, problems: [problem] }]);
    const log = must(store.open(id));
    must(log.append([proposed("new"), observed("new"), proposed("newer"), observed("newer")]));
    log.close();
    store.list();
    const rewritten = { seq: 5, problem: expect.stringContaining("rewritten") };
    expect(must(store.archive.verify(id))).toMatchObject([{ ok: false, events: 7, problems: [rewritten] }]);
  });

  it("show that a whole session is gone", () => {
    const { directory, id } = storedSession();
    rmSync(join(directory, "sessions", `${id}.db`));
    const store = temporaryStore({ directory, ids: countingIds("b") });
    const report = {
      session: id,
      ok: false,
      problems: [{ seq: 0, problem: expect.stringContaining("file is missing") }],
    };
    expect(must(store.archive.verify())).toMatchObject([report]);
    expect(must(store.archive.verify(id))).toMatchObject([report]);
  });

  it.each<[string, (index: string) => void]>([
    ["missing", (index) => rmSync(index)],
    ["no database", (index) => writeFileSync(index, "x".repeat(9_000))],
    [
      "a pipe",
      (index) => {
        rmSync(index);
        execFileSync("mkfifo", [index]);
      },
    ],
  ])("that are lost are missed, also after the list was read and the session went on: %s", (_name, lose) => {
    const { directory, id } = storedSession();
    lose(join(directory, "index.db"));
    const store = temporaryStore({ directory, ids: countingIds("b") });
    const noticed = { ok: true, notice: expect.stringContaining("index.db was missing") };
    expect(must(store.archive.verify())).toMatchObject([{ session: id, ...noticed }]);
    store.list();
    const log = must(store.open(id));
    must(log.append([proposed("new")]));
    log.close();
    expect(must(store.archive.verify(id))).toMatchObject([noticed]);

    const fresh = must(store.create(sessionCreated));
    const forked = must(store.archive.fork(id)).session;
    const late = must(store.archive.verify()).map(({ session, notice }) => [session, notice !== undefined]);
    expect(new Map(late.map(([session, missed]) => [String(session), missed]))).toEqual(
      new Map([
        [id, true],
        [fresh.id, false],
        [forked, false],
      ]),
    );
  });

  it("are only a cache: a locked index holds nothing up", () => {
    const directory = temporaryDirectory();
    const clock = manualClock();
    const store = temporaryStore({ directory, clock });
    const log = must(store.create(sessionCreated));
    const blocker = new DatabaseSync(join(directory, "index.db"));
    blocker.exec("BEGIN EXCLUSIVE");
    clock.advance(5_000);
    must(log.append([proposed("a")]));
    log.close();
    expect(store.list().map(({ events }) => events)).toEqual([2]);
    expect(must(store.open(log.id)).hasIntent("a")).toBe(true);
    blocker.exec("ROLLBACK");
    blocker.close();
  });
});

function storedSession() {
  const directory = temporaryDirectory();
  const store = temporaryStore({ directory });
  const log = must(store.create(sessionCreated));
  must(log.append([proposed("a"), observed("a"), proposed("b"), observed("b")]));
  store.close();
  return { directory, id: log.id };
}

/** As someone would who can write the file: the triggers go first. */
function cutTail(directory: string, id: string, last: number): void {
  const database = new DatabaseSync(join(directory, "sessions", `${id}.db`));
  database.exec("DROP TRIGGER events_are_never_removed");
  database.exec(`DELETE FROM events WHERE seq > ${last}; DELETE FROM names WHERE seq > ${last}`);
  database.close();
}
