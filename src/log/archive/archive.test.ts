import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  draft,
  fileChanged,
  observation,
  observed,
  proposed,
  sessionCreated,
  started,
  wholeCall,
} from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import type { EventDraft } from "../../contract/events/index.ts";

describe("replay", () => {
  it("gives state, messages and observations from the events alone", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append(wholeCall("a", "inv_1")));
    must(log.append([proposed("b", { any: ["shape", { that: "no schema knows" }] }, "gone_tool")]));
    const replay = must(store.archive.replay(log.id));
    expect(replay).toEqual({
      state: log.state,
      messages: [
        { role: "intent", intentId: "a", tool: "read", input: { path: "a.ts" } },
        {
          role: "observation",
          intentId: "a",
          tool: "read",
          ok: true,
          summary: "Read 3 lines of a.ts.",
          content: [{ trust: "tool_output_untrusted", format: "text", text: "1\tconst a = 1;" }],
        },
        { role: "intent", intentId: "b", tool: "gone_tool", input: { any: ["shape", { that: "no schema knows" }] } },
      ],
      observations: [observation("a", { invocationId: "inv_1" })],
      events: 8,
    });
    expect(must(store.archive.replay(log.id))).toEqual(replay);
  });

  it("loses nothing with what can be made again", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    must(log.append([...wholeCall("a", "inv_1"), proposed("b")]));
    const before = must(store.archive.replay(log.id));
    store.close();
    rmSync(join(directory, "index.db"));
    const database = new DatabaseSync(join(directory, "sessions", `${log.id}.db`));
    database.exec("DELETE FROM checkpoint");
    database.close();
    const again = temporaryStore({ directory, ids: countingIds("b") });
    expect(must(again.archive.replay(log.id))).toEqual(before);
    expect(must(again.open(log.id)).state).toEqual(before.state);
    expect(again.list()).toMatchObject([{ id: log.id, events: before.events, head: before.state.head }]);
  });

  it("writes nothing", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append(wholeCall("a", "inv_1")));
    log.close();
    const before = snapshot(store.directory);
    must(store.archive.replay(log.id));
    expect([...must(store.archive.events(log.id))]).toHaveLength(7);
    expect(snapshot(store.directory)).toEqual(before);
  });
});

describe("export and import", () => {
  const exported = () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const diff = must(store.artifacts.put("diff", "- a\n+ b"));
    const empty = must(store.artifacts.put("tool_output", ""));
    const large = must(store.artifacts.put("command_output", Buffer.alloc(7 << 20, "0123456789")));
    must(log.append([...wholeCall("a", "inv_1"), fileChanged("/srv/app/a.ts", [diff, empty, large])]));
    must(log.append([proposed("s", { password: "hunter2hunter2" })]));
    return { store, log, lines: [...must(store.archive.export(log.id))] };
  };

  it("starts with a header, has every event as it is, and every artifact in pieces", () => {
    const { log, lines } = exported();
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      format: "gauntlet-session",
      version: 1,
      session: log.id,
      events: 9,
      head: log.state.head,
    });
    expect(lines.slice(1, 10).map((line) => JSON.parse(line))).toEqual([...log.events()]);
    const pieces = lines.slice(10).map((line) => JSON.parse(line));
    expect(pieces.map(({ artifact }) => artifact)).toHaveLength(1 + 1 + 3 + 1);
  });

  it("arrives whole: same state, same events, same artifacts, same export", () => {
    const { store, log, lines } = exported();
    const elsewhere = temporaryStore();
    expect(must(elsewhere.archive.import(lines))).toBe(log.id);
    const verified = must(store.archive.verify()).map((report) => ({ ...report, imported: true }));
    expect(must(elsewhere.archive.verify())).toEqual(verified);
    expect(must(elsewhere.archive.verify(log.id))).toMatchObject([{ ok: true, events: 9, head: log.state.head }]);
    expect([...must(elsewhere.archive.export(log.id))]).toEqual(lines);
    expect(must(elsewhere.archive.replay(log.id)).state).toEqual(log.state);
  });

  it("says wherever it is told of that somebody else wrote it, also without the index", () => {
    const { store, log, lines } = exported();
    const elsewhere = temporaryStore({ ids: countingIds("b") });
    must(elsewhere.archive.import(lines));
    const own = must(elsewhere.create(sessionCreated));
    const origins = () => new Map(elsewhere.list().map(({ id, imported }) => [id, imported]));
    const expected = new Map([
      [log.id, true],
      [own.id, false],
    ]);
    expect(origins()).toEqual(expected);
    expect(origins()).toEqual(expected);
    rmSync(join(elsewhere.directory, "index.db"));
    expect(origins()).toEqual(expected);
    expect(must(elsewhere.archive.verify(log.id))).toMatchObject([{ ok: true, imported: true }]);
    expect(must(elsewhere.archive.why(`${log.id}/a`))).toMatchObject({ session: log.id, imported: true, alsoIn: [] });
    expect(must(store.archive.why(`${log.id}/a`))).toMatchObject({ imported: false, alsoIn: [] });
  });

  it("is never continued: what an export claims is nobody's agreement here", () => {
    const { log, lines } = exported();
    const elsewhere = temporaryStore();
    must(elsewhere.archive.import(lines));
    expect(failureOf(elsewhere.open(log.id))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("was imported"),
    });
    expect(elsewhere.abandoned()).toEqual([]);
  });

  it("says so when an artifact was lost before", () => {
    const { store, log, lines } = exported();
    const id = `${JSON.parse(lines.at(-1) ?? "").artifact}`;
    rmSync(join(store.directory, "artifacts", id.slice(7, 9), id));
    const partial = [...must(store.archive.export(log.id))];
    expect(partial).toContain(JSON.stringify({ artifact: id, problem: "missing" }));
    const elsewhere = temporaryStore();
    must(elsewhere.archive.import(partial));
    expect(must(elsewhere.archive.verify(log.id))).toMatchObject([
      { ok: false, problems: [{ problem: `artifact ${id} is missing` }] },
    ]);
  });

  const damages: readonly [string, (lines: string[]) => readonly string[], string][] = [
    ["no header", (lines) => lines.slice(1), "Line 1 is not the header"],
    ["nothing at all", () => [], "Line 1 is not the header"],
    ["a newer format", ([first = "", ...rest]) => [first.replace('"version":1', '"version":2'), ...rest], "Line 1"],
    [
      "an id that is a path",
      ([first = "", ...rest]) => [first.replace(/ses_\w+/, "../../x"), ...rest],
      "not a session id",
    ],
    ["a missing event", (lines) => lines.toSpliced(3, 1), "Line 4: it is event 4"],
    ["a swapped pair", ([a = "", b = "", c = "", d = "", ...rest]) => [a, b, d, c, ...rest], "Line 3: it is event 3"],
    [
      "a changed event",
      (lines) => lines.map((line) => line.replace("/srv/app", "/srv/apq")),
      "does not match its bytes",
    ],
    ["a missing end", (lines) => lines.slice(0, 6), "9 events"],
    ["text between", (lines) => lines.toSpliced(2, 0, "hello"), "Line 3: it is not an event"],
    ["a changed artifact", (lines) => [...lines.slice(0, -1), change(lines.at(-1))], "does not match its id"],
    ["a missing artifact", (lines) => lines.slice(0, -1), "missing from the export"],
    ["a missing piece", (lines) => lines.toSpliced(largest(lines), 1), "A piece of artifact"],
  ];
  it.each(damages)("with %s is refused and leaves nothing", (_name, damage, message) => {
    const { lines } = exported();
    const elsewhere = temporaryStore();
    const before = snapshot(elsewhere.directory);
    expect(failureOf(elsewhere.archive.import(damage([...lines])))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(message),
    });
    expect(snapshot(elsewhere.directory)).toEqual(before);
    expect(elsewhere.list()).toEqual([]);
  });

  it("never replaces a session", () => {
    const { store, lines } = exported();
    expect(failureOf(store.archive.import(lines))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("already in this store"),
    });
  });
});

describe("the input of a model", () => {
  it("that continues itself is not put together", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const projected = (turnId: string, hash: string, continues: string) =>
      draft("context.projected", {
        turnId,
        menuHash: "m1",
        modelInput: { hash, added: "x", bytes: 1, total: 2, continues },
      });
    must(
      log.append([projected("turn_1", "h1", "h2"), projected("turn_2", "h2", "h1"), projected("turn_3", "h3", "h3")]),
    );
    for (const turn of ["turn_1", "turn_2", "turn_3"])
      expect(failureOf(store.archive.modelInput(log.id, turn)).message).toContain("not recorded before it");
  });
});

describe("prune", () => {
  const threeSessions = () => {
    const clock = manualClock();
    const store = temporaryStore({ clock });
    const shared = must(store.artifacts.put("diff", "shared"));
    const ids = ["old", "middle", "new"].map((name) => {
      const log = must(store.create(sessionCreated));
      const own = must(store.artifacts.put("tool_output", `only of ${name}`));
      must(log.append([fileChanged(`/srv/app/${name}`, [shared, own])]));
      log.close();
      clock.advance(1_000);
      return { id: log.id, own: own.id };
    });
    return { store, clock, shared: shared.id, ids };
  };

  it("by age removes sessions and what only they referred to", () => {
    const { store, shared, ids } = threeSessions();
    const [old, middle, recent] = ids;
    const dry = must(store.archive.prune({ olderThanMs: 1_500, dryRun: true }));
    expect(store.list()).toHaveLength(3);
    const report = must(store.archive.prune({ olderThanMs: 1_500, dryRun: false }));
    expect(report).toEqual(dry);
    expect(report.removed).toEqual([old?.id, middle?.id]);
    expect(store.list().map(({ id }) => id)).toEqual([recent?.id]);
    const sizes = [old, middle, recent].map((one) => store.artifacts.size(one?.own ?? ""));
    expect(sizes).toEqual([undefined, undefined, "only of new".length]);
    expect(store.artifacts.size(shared)).toBe(6);
    expect(must(store.archive.verify())).toMatchObject([{ session: recent?.id, ok: true }]);
    expect(report.freedBytes).toBeGreaterThan(0);
  });

  it("goes by when an imported session came, not by what it says of itself", () => {
    const store = temporaryStore();
    const imported = [Date.UTC(1970), Date.UTC(2099)].map((start, index) => {
      const elsewhere = temporaryStore({ clock: manualClock(start), ids: countingIds(String(index)) });
      const { id } = must(elsewhere.create(sessionCreated));
      must(store.archive.import(must(elsewhere.archive.export(id))));
      return id;
    });
    utimesSync(join(store.directory, "sessions", `${imported[1]}.db`), 1, 1);
    expect(must(store.archive.prune({ olderThanMs: 1_500, dryRun: true })).removed).toEqual([imported[1]]);
  });

  it("removes what lies there for workspaces that have no session any more", () => {
    const directory = temporaryDirectory();
    const workspaceData = {
      directories: ["snapshots", "menus", "absent"],
      of: (workspace: string) => [`snapshots/${basename(workspace)}.db`, `menus/${basename(workspace)}`],
    };
    const clock = manualClock();
    const store = temporaryStore({ directory, clock, workspaceData });
    for (const workspace of ["/srv/old", "/srv/new"]) {
      must(store.create({ ...sessionCreated, data: { ...sessionCreated.data, workspace } })).close();
      clock.advance(1_000);
    }
    const put = (name: string, text: string) => {
      mkdirSync(join(directory, dirname(name)), { recursive: true });
      writeFileSync(join(directory, name), text);
      utimesSync(join(directory, name), 1, 1);
    };
    for (const name of ["old", "new", "nobody"]) {
      put(`snapshots/${name}.db`, "12345");
      put(`snapshots/${name}.db-wal`, "123");
      put(`menus/${name}/managed-tools.json`, "12");
    }
    const left = () => [...readdirSync(join(directory, "snapshots")), ...readdirSync(join(directory, "menus"))].sort();
    const before = must(store.archive.prune({ dryRun: true }));
    expect(before.freedBytes).toBe(10);
    const dry = must(store.archive.prune({ olderThanMs: 1_500, dryRun: true }));
    expect([dry.removed.length, left().length]).toEqual([1, 9]);
    expect(must(store.archive.prune({ olderThanMs: 1_500, dryRun: false }))).toEqual(dry);
    expect(left()).toEqual(["new", "new.db", "new.db-wal"]);
    expect(must(store.archive.prune({ dryRun: false })).freedBytes).toBe(0);
  });

  it("by quota removes the oldest until the rest fits", () => {
    const { store, ids } = threeSessions();
    const { keptBytes } = must(store.archive.prune({ dryRun: true }));
    const report = must(store.archive.prune({ maxBytes: keptBytes - 1, dryRun: false }));
    expect(report.removed).toEqual([ids[0]?.id]);
    expect(report.keptBytes).toBeLessThan(keptBytes);
    expect(must(store.archive.prune({ maxBytes: 0, dryRun: false })).removed).toEqual([ids[1]?.id, ids[2]?.id]);
    expect(must(store.archive.prune({ dryRun: true }))).toEqual({
      removed: [],
      freedBytes: 0,
      keptBytes: 0,
      spared: { live: 0, unreadable: 0, workspaceDataBytes: 0, recentBytes: 0 },
    });
  });

  it("keeps what the recovery of a remaining session could need", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const before = must(store.artifacts.put("before", "as it was"));
    const absent = "0".repeat(64);
    const changes = [
      { path: "/srv/app/a", before: before.id.slice(7), after: absent },
      { path: "/srv/app/b", before: absent, after: absent },
    ];
    must(log.append([draft("file.change_planned", { invocationId: "inv_1", changes })]));
    log.close();
    must(store.archive.prune({ dryRun: false }));
    expect(store.artifacts.size(before.id)).toBe(before.bytes);
    expect(must(store.archive.verify())).toMatchObject([{ ok: true }]);
    const lines = [...must(store.archive.export(log.id))];
    expect(lines.at(-2)).toBe(JSON.stringify({ artifact: `sha256-${absent}`, problem: "missing" }));
    expect(must(temporaryStore().archive.import(lines))).toBe(log.id);
  });

  it("never removes a session that is being written, nor what it may be about to refer to", () => {
    const { store, ids } = threeSessions();
    const log = must(store.open(ids[0]?.id ?? ""));
    const fresh = must(store.artifacts.put("diff", "not yet referred to"));
    const report = must(store.archive.prune({ olderThanMs: 0, maxBytes: 0, dryRun: false }));
    expect(report).toMatchObject({ removed: [ids[1]?.id, ids[2]?.id], spared: { live: 1, unreadable: 0 } });
    expect(report.spared.recentBytes).toBeGreaterThanOrEqual(fresh.bytes);
    expect(store.artifacts.size(fresh.id)).toBe(fresh.bytes);
    must(log.append([proposed("a")]));
  });

  it("keeps every artifact while a session cannot be read", () => {
    const { store, ids } = threeSessions();
    writeFileSync(join(store.directory, "sessions", "ses_bad.db"), "not a database".repeat(200));
    const report = must(store.archive.prune({ olderThanMs: 0, dryRun: false }));
    expect(report.removed).toHaveLength(3);
    expect(report.spared).toMatchObject({ live: 0, unreadable: 1 });
    expect(store.artifacts.size(ids[0]?.own ?? "")).toBeDefined();
    expect(store.list().map(({ id }) => id)).toEqual(["ses_bad"]);
  });
});

describe("old payloads", () => {
  const drafts: readonly EventDraft[] = [
    proposed("a"),
    started("inv_1", "a"),
    draft("session.cwd_changed", { from: "/", to: "/srv/app/old" }),
    observed("a", { invocationId: "inv_1" }),
  ];
  const written = () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append(drafts));
    store.close();
    return { directory: store.directory, id: log.id };
  };

  it("are brought up to date when read; their bytes and the chain stay", () => {
    const { directory, id } = written();
    const upcasts = {
      "session.cwd_changed": {
        1: (data: Readonly<Record<string, unknown>>) => ({ from: data.from, to: `${data.to}/second` }),
        2: (data: Readonly<Record<string, unknown>>) => ({ from: data.from, to: `${data.to}/third` }),
      },
    };
    const store = temporaryStore({ directory, upcasts, ids: { next: (prefix) => `${prefix}_z` } });
    const replay = must(store.archive.replay(id));
    expect(replay.state.cwd).toBe("/srv/app/old/second/third");
    expect(must(store.archive.verify(id))).toMatchObject([{ ok: true, events: 5, head: replay.state.head }]);
    const log = must(store.open(id));
    expect(log.state).toEqual(replay.state);
    const [event] = must(log.append([draft("session.cwd_changed", { from: "/", to: "/srv/app/new" })]));
    expect(event).toMatchObject({ v: 3, data: { to: "/srv/app/new" } });
    const versions = [...log.events({ types: ["session.cwd_changed"] })].map(({ v, data }) => ({ v, data }));
    expect(versions).toEqual([
      { v: 3, data: { from: "/", to: "/srv/app/old/second/third" } },
      { v: 3, data: { from: "/", to: "/srv/app/new" } },
    ]);
  });
});

function snapshot(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true })
    .map(String)
    .filter((name) => !/index\.db|-shm$|-wal$/.test(name))
    .sort();
}

function change(line = ""): string {
  const piece = JSON.parse(line);
  return JSON.stringify({ ...piece, base64: Buffer.from("something else").toString("base64") });
}

/** Index of the first piece of the artifact that has several. */
function largest(lines: readonly string[]): number {
  return lines.findIndex((line) => line.length > 1_000_000);
}
