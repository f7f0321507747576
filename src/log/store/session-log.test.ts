import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { proposed, sessionCreated } from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import type { EventDraft } from "../../contract/events/index.ts";

const said = (text: string): EventDraft => ({ type: "user.message", data: { text, by: "person" } });
const started = () => {
  const directory = temporaryDirectory();
  const store = temporaryStore({ directory });
  const log = must(store.create(sessionCreated));
  /** What another process would find. */
  const inFile = () => {
    const reader = must(store.read(log.id));
    const types = [...reader.events()].map(({ type, data }) => ("text" in data ? data.text : type));
    reader.close();
    return types;
  };
  return { directory, store, log, inFile };
};
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("what is noted", () => {
  it("is in the state at once and stored in front of the next append, in one chain", () => {
    const { store, log, inFile } = started();
    must(log.note([said("first")]));
    must(log.note([said("second")]));
    expect([log.state.seq, inFile()]).toEqual([3, ["session.created"]]);
    must(log.append([said("third")]));
    expect(inFile()).toEqual(["session.created", "first", "second", "third"]);
    expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true, events: 4 }]);
  });

  it("is stored by itself as soon as nothing else is to be done", async () => {
    const { log, inFile } = started();
    must(log.note([said("alone")]));
    await nextTurn();
    await nextTurn();
    expect(inFile()).toEqual(["session.created", "alone"]);
  });

  it("is seen by whoever reads through the log, and stored when it is closed", () => {
    const { store, log, inFile } = started();
    must(log.note([said("read")]));
    expect([...log.events()]).toHaveLength(2);
    must(log.note([said("closed")]));
    log.close();
    expect(inFile()).toEqual(["session.created", "read", "closed"]);
    expect(failureOf(log.note([said("late")])).code).toBe("log_unavailable");
    expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true, events: 3 }]);
  });

  it("takes an intent's id, and refuses one that was taken", () => {
    const { log } = started();
    const intent = proposed("a");
    expect(failureOf(log.note([intent, intent])).code).toBe("bad_request");
    must(log.note([intent]));
    expect(log.hasIntent("a")).toBe(true);
    expect(failureOf(log.note([intent])).code).toBe("bad_request");
    must(log.append([said("stored")]));
    expect([log.hasIntent("a"), failureOf(log.note([intent])).code]).toEqual([true, "bad_request"]);
  });

  it("stays out, with all that follows, where another process has taken over; and nobody is told that it was there", () => {
    const { directory, store, log, inFile } = started();
    must(log.note([said("lost")]));
    const database = new DatabaseSync(join(directory, "sessions", `${log.id}.db`));
    database.exec("UPDATE lease SET token = token + 1");
    database.close();
    expect(failureOf(log.append([said("after")])).code).toBe("log_unavailable");
    log.close();
    expect(inFile()).toEqual(["session.created"]);
    expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true, events: 1 }]);
  });
});

describe("what is appended together", () => {
  it("is stored when the promise is kept, each in its place, after what was noted", async () => {
    const { log, inFile } = started();
    must(log.note([said("noted")]));
    const both = [log.appendTogether([said("a1"), said("a2")]), log.appendTogether([said("b")])];
    expect(inFile()).toEqual(["session.created"]);
    const events = (await Promise.all(both)).map((stored) => must(stored).map(({ seq }) => seq));
    expect([events, inFile()]).toEqual([
      [[3, 4], [5]],
      ["session.created", "noted", "a1", "a2", "b"],
    ]);
  });

  it("does not keep others out when one of it cannot be stored", async () => {
    const { log, inFile } = started();
    const intent = proposed("a");
    must(log.append([intent]));
    const [bad, good] = await Promise.all([log.appendTogether([intent]), log.appendTogether([said("good")])]);
    expect([failureOf(bad).code, must(good).length]).toEqual(["bad_request", 1]);
    expect(inFile()).toEqual(["session.created", "tool_intent.proposed", "good"]);
  });

  it("is not lost when the log is closed first", async () => {
    const { log, inFile } = started();
    const stored = log.appendTogether([said("last")]);
    log.close();
    expect([must(await stored).length, inFile()]).toEqual([1, ["session.created", "last"]]);
  });
});
