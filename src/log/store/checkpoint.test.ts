import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { fileRead, sessionCreated, wholeCall } from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import { initialState } from "../reduce.ts";
import { createUpcaster, knownUpcasts } from "../upcast.ts";
import { currentState, encodeState, readCheckpoint } from "./checkpoint.ts";
import { openForReading } from "./database.ts";

const upcaster = createUpcaster(knownUpcasts);

describe("checkpoints", () => {
  it.each([
    ["a set", { baselines: new Set() }],
    ["a map inside a member", { baselines: new Map([["a", new Map()]]) }],
  ])("do not hold %s, which would be read back as something else", (_, member) => {
    expect(() => encodeState({ ...initialState("ses_1"), ...member } as never, upcaster)).toThrow(TypeError);
  });

  it("are written every thousand events and when the session closes", () => {
    const { directory, store, log } = longSession(400);
    const { checkpoint = 0, seq } = readBack(directory, log.id);
    expect(seq).toBe(log.state.seq);
    expect(checkpoint).toBeGreaterThan(seq - 1_000);
    expect(checkpoint).toBeLessThan(seq);
    store.close();
    expect(readBack(directory, log.id)).toEqual({ checkpoint: log.state.seq, seq: log.state.seq });
  });

  it("are dropped when they are not about the event at their place", () => {
    const { directory, store, log } = longSession(2);
    store.close();
    tamper(directory, log.id, "UPDATE checkpoint SET hash = 'x'");
    expect(readBack(directory, log.id)).toEqual({ checkpoint: undefined, seq: log.state.seq });
    const again = temporaryStore({ directory, ids: countingIds("b") });
    expect(must(again.open(log.id)).state).toEqual(log.state);
  });

  it.each([
    `json_set(state, '$.state.baselines', 5)`,
    `json_set(state, '$.state.pending', json('[1]'))`,
    `json_remove(state, '$.state.counts')`,
    `json_set(state, '$.state', 'x')`,
    `'null'`,
  ])("that are no state are dropped: %s", (state) => {
    const { directory, store, log } = longSession(2);
    store.close();
    tamper(directory, log.id, `UPDATE checkpoint SET state = ${state}`);
    expect(readBack(directory, log.id)).toEqual({ checkpoint: undefined, seq: log.state.seq });
    const again = temporaryStore({ directory, ids: countingIds("b") });
    expect(must(again.open(log.id)).state).toEqual(log.state);
  });

  it("that say something else than the events are found by verify", () => {
    const { directory, store, log } = longSession(2);
    store.close();
    tamper(
      directory,
      log.id,
      `UPDATE checkpoint SET state = replace(state, '"grants":[]', '"grants":[{"rule":"Bash(*)"}]')`,
    );
    const again = temporaryStore({ directory, ids: countingIds("b") });
    expect(must(again.archive.verify(log.id))).toMatchObject([
      { ok: false, problems: [{ problem: "the stored state differs from the state of the events" }] },
    ]);
  });

  it("do not hide a broken tail: the session is not continued", () => {
    const { directory, store, log } = longSession(2);
    tamper(
      directory,
      log.id,
      "DROP TRIGGER events_are_never_changed; UPDATE events SET body = replace(body, '/srv/app/a.ts', '/srv/app/b.ts') WHERE type = 'file.read'; DELETE FROM checkpoint",
    );
    const broken = { code: "log_unavailable", message: expect.stringContaining("does not continue the chain") };
    store.close();
    tamper(directory, log.id, "DELETE FROM checkpoint");
    const again = temporaryStore({ directory, ids: countingIds("b") });
    expect(failureOf(again.open(log.id))).toMatchObject(broken);
    expect(failureOf(again.archive.replay(log.id))).toMatchObject(broken);
    expect([...must(again.archive.export(log.id))].length).toBeGreaterThan(1);
  });
});

function longSession(calls: number) {
  const directory = temporaryDirectory();
  const store = temporaryStore({ directory });
  const log = must(store.create(sessionCreated));
  must(log.append([fileRead("/srv/app/a.ts")]));
  for (let call = 0; call < calls; call += 1) must(log.append(wholeCall(`i${call}`, `inv_${call}`)));
  return { directory, store, log };
}

function readBack(directory: string, id: string) {
  const database = openForReading(join(directory, "sessions", `${id}.db`));
  try {
    const state = must(currentState(database, id, upcaster));
    return { checkpoint: readCheckpoint(database, upcaster)?.seq, seq: state.seq };
  } finally {
    database.close();
  }
}

function tamper(directory: string, id: string, statements: string): void {
  const database = new DatabaseSync(join(directory, "sessions", `${id}.db`));
  database.exec(statements);
  database.close();
}
