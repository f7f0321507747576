import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  answered,
  draft,
  observed,
  proposed,
  requested,
  sessionCreated,
  started,
  wholeCall,
} from "../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../test/replay/must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "../../test/replay/temporary-store.ts";
import { chainHash, chainStart } from "./envelope.ts";
import { openStore } from "./open-store.ts";
import { storedEvents } from "./store/session-rows.ts";
import { createUpcaster, knownUpcasts } from "./upcast.ts";

describe("a session", () => {
  it("chains what it stores, over the stored bytes", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append(wholeCall("a", "inv_1")));
    const rows = rowsOf(store.directory, log.id);
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    let prev = chainStart;
    for (const { body, hash, seq, type } of rows) {
      const { data, ...envelope } = JSON.parse(body);
      expect(envelope).toEqual({
        at: "2026-01-01T00:00:00.000Z",
        id: envelope.id,
        prev,
        seq,
        session: log.id,
        type,
        v: createUpcaster(knownUpcasts).version(type),
      });
      expect(data).toBeTypeOf("object");
      expect(hash).toBe(chainHash(prev, body));
      prev = hash;
    }
    expect(log.state.head).toBe(prev);
  });

  it("gives the events back as they were stored, also under the ids that were chosen for them", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const events = must(log.append(wholeCall("a", "inv_1")));
    expect(events.at(-1)?.id).toBe("evt_a");
    expect([...log.events({ from: 2 })]).toEqual(events);
    const reader = must(store.read(log.id));
    expect([...reader.events({ from: 2 })]).toEqual(events);
    expect([...reader.events({ types: ["tool.observed"] })]).toEqual([events.at(-1)]);
    expect([...reader.events({ from: 3, limit: 2 })].map(({ seq }) => seq)).toEqual([3, 4]);
    reader.close();
  });

  it("stores all of an append or nothing, and refuses an intent id that was used", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append([proposed("a")]));
    const before = { ...log.state, counts: { ...log.state.counts } };
    expect(failureOf(log.append([proposed("b"), proposed("a")])).code).toBe("bad_request");
    expect(log.state).toEqual(before);
    expect([log.hasIntent("a"), log.hasIntent("b")]).toEqual([true, false]);
    must(log.append([proposed("b")]));
    expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true, events: 3 }]);
  });

  it("never changes or removes a row", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const database = new DatabaseSync(join(store.directory, "sessions", `${log.id}.db`));
    expect(() => database.exec("UPDATE events SET body = '{}'")).toThrow("events are never changed");
    expect(() => database.exec("DELETE FROM events")).toThrow("events are never removed");
    database.close();
  });

  it("keeps a question, an open call and a grant over a restart", () => {
    const directory = temporaryDirectory();
    const first = temporaryStore({ directory });
    const log = must(first.create(sessionCreated));
    must(
      log.append([
        proposed("a"),
        requested("req_1", "a"),
        answered("req_1", "a", "Bash(npm test)"),
        proposed("b"),
        requested("req_2", "b"),
        draft("session.status_changed", {
          from: "idle",
          to: "requires_action",
          reason: "asks",
          blockingEventIds: ["x"],
        }),
        started("inv_1", "a"),
        draft("job.started", { jobId: "job_1", invocationId: "inv_1", command: "sleep", startedAt: "now" }),
      ]),
    );
    const live = structuredClone(log.state);
    first.close();
    const again = must(temporaryStore({ directory, ids: countingIds("x") }).open(log.id));
    expect(again.state).toEqual(live);
    expect([...again.state.pending.keys()]).toEqual(["req_2"]);
    expect(again.state.grants).toEqual([{ rule: "Bash(npm test)", request: "req_1" }]);
    expect(again.state.status).toBe("requires_action");
    expect(again.state.openJobs.get("job_1")?.invocationId).toBe("inv_1");
  });

  it("records data that is nested too deeply as a refusal of the append", () => {
    const log = must(temporaryStore().create(sessionCreated));
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    expect(failureOf(log.append([proposed("a", deep)])).code).toBe("bad_request");
  });
});

describe("what others may see", () => {
  it("keeps directories and files to their owner", () => {
    const store = temporaryStore({ directory: join(temporaryDirectory(), "state") });
    const log = must(store.create(sessionCreated));
    const { id } = must(store.artifacts.put("diff", "x"));
    const modes = Object.fromEntries(
      [
        ".",
        "sessions",
        "artifacts",
        `artifacts/${id.slice(7, 9)}`,
        "redaction.key",
        "index.db",
        `sessions/${log.id}.db`,
      ]
        .concat([`sessions/${log.id}.db-wal`, `artifacts/${id.slice(7, 9)}/${id}`])
        .map((path) => [path.replace(id, "ARTIFACT"), statSync(join(store.directory, path)).mode & 0o777]),
    );
    expect([...new Set(Object.values(modes))].sort()).toEqual([0o600, 0o700].sort());
    expect(modes["redaction.key"]).toBe(0o600);
    expect(modes.sessions).toBe(0o700);
  });

  it("redacts before it hashes and keeps the original input in an artifact", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const input = { command: `curl -H "Authorization: Bearer ${secret}" https://example.com` };
    const [event] = must(log.append([proposed("a", input), observed("a", { summary: `used ${secret}` })]));
    expect(JSON.stringify([...log.events()])).not.toContain(secret);
    expect(readFileSync(join(store.directory, "sessions", `${log.id}.db-wal`)).includes(secret)).toBe(false);
    if (event?.type !== "tool_intent.proposed") throw new Error("unexpected");
    expect(event.data.input).toEqual({ command: expect.stringMatching(/\[redacted:github-token:[0-9a-f]{8}\]/) });
    const original = must(store.artifacts.read(event.data.original ?? ""));
    expect(JSON.parse(Buffer.from(original).toString("utf8"))).toEqual(input);
    expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true }]);
  });

  it("records a long text by its beginning, length and hash, and keeps the whole in an artifact", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const input = { path: "a.txt", content: "line\n".repeat(10_000), edits: [{ old_string: "short" }] };
    const [event] = must(log.append([proposed("a", input)]));
    if (event?.type !== "tool_intent.proposed") throw new Error("unexpected");
    expect(event.data.input).toEqual({
      ...input,
      content: expect.stringMatching(/^(line\n){40}… \[abridged: 50000 characters, sha256 [0-9a-f]{64}\]$/),
    });
    const original = must(store.artifacts.read(event.data.original ?? ""));
    expect(JSON.parse(Buffer.from(original).toString("utf8"))).toEqual(input);
  });

  it("finds an intent again whose id was itself a secret", () => {
    const log = must(temporaryStore().create(sessionCreated));
    const id = `ghp_${"a1B2".repeat(9)}`;
    must(log.append([proposed(id)]));
    expect(log.hasIntent(id)).toBe(true);
    expect([...log.state.openIntents.keys()]).not.toContain(id);
  });

  it("uses one key for the marks, whichever process made it", () => {
    const directory = temporaryDirectory();
    const [one, two] = [temporaryStore({ directory }), temporaryStore({ directory })];
    const text = "password = 'hunter2hunter2'";
    expect(one.redactor.redactText(text)).toBe(two.redactor.redactText(text));
    expect(one.redactor.redactText(text)).not.toBe(temporaryStore().redactor.redactText(text));
  });
});

describe("what cannot be stored", () => {
  const options = { sync: "normal", clock: manualClock(), ids: countingIds() } as const;

  it("says which path is in the way", () => {
    const directory = join(temporaryDirectory(), "state");
    writeFileSync(directory, "not a directory");
    expect(failureOf(openStore({ ...options, directory }))).toMatchObject({
      code: "log_unavailable",
      message: expect.stringContaining(directory),
      recovery: expect.stringContaining("GAUNTLET_HOME"),
    });
  });

  it("calls a damaged session damaged, and still lists and checks the others", () => {
    const store = temporaryStore();
    const sound = must(store.create(sessionCreated)).id;
    writeFileSync(join(store.directory, "sessions", "ses_bad.db"), "this is not a database at all".repeat(100));
    for (const outcome of [store.open("ses_bad"), store.read("ses_bad"), store.archive.replay("ses_bad")]) {
      expect(failureOf(outcome)).toMatchObject({
        code: "log_unavailable",
        message: expect.stringMatching(/ses_bad\.db is damaged/),
      });
    }
    expect(store.list().map(({ id, status }) => [id, status])).toEqual(
      expect.arrayContaining([
        ["ses_bad", "damaged"],
        [sound, "idle"],
      ]),
    );
    const reports = must(store.archive.verify());
    expect(reports.map(({ session, ok }) => [session, ok])).toEqual([
      [sound, true],
      ["ses_bad", false],
    ]);
    expect(store.abandoned()).toEqual([]);
  });

  it("names a session that is not there, and one that could be a path", () => {
    const store = temporaryStore();
    for (const id of ["ses_none", "../../etc/passwd", ""]) expect(failureOf(store.open(id)).code).toBe("bad_request");
  });

  it("never takes over a file that is already there", () => {
    const store = temporaryStore();
    const path = join(store.directory, "sessions", "ses_000001.db");
    writeFileSync(path, "someone else's");
    expect(failureOf(store.create(sessionCreated)).code).toBe("log_unavailable");
    expect(readFileSync(path, "utf8")).toBe("someone else's");
    expect(must(store.create(sessionCreated)).state.seq).toBe(1);
  });

  it("does not append after closing", () => {
    const log = must(temporaryStore().create(sessionCreated));
    log.close();
    expect(failureOf(log.append([proposed("a")])).code).toBe("log_unavailable");
  });

  it("works without its index", () => {
    const directory = temporaryDirectory();
    const first = temporaryStore({ directory });
    const { id } = must(first.create(sessionCreated));
    first.close();
    writeFileSync(join(directory, "index.db"), "x".repeat(5_000));
    const store = temporaryStore({ directory, ids: countingIds("x") });
    expect(store.list().map((session) => session.id)).toEqual([id]);
    expect(must(store.open(id)).state.seq).toBe(1);
    expect(readdirSync(directory)).toContain("index.db.damaged");
  });
});

function rowsOf(directory: string, id: string) {
  const database = new DatabaseSync(join(directory, "sessions", `${id}.db`), { readOnly: true });
  try {
    return [...storedEvents(database)];
  } finally {
    database.close();
  }
}
