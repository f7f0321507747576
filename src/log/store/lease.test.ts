import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { draft, observed, proposed, sessionCreated, started } from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import { thisProcess } from "../process-identity.ts";
import { leaseTermMs } from "./lease.ts";

const self = thisProcess();
const deadPid = spawnSync("true").pid;

describe("the lease of a session", () => {
  const holders = [
    { who: "a live process", holder: self, age: 0, taken: false },
    { who: "a live process that stopped renewing", holder: self, age: leaseTermMs, taken: true },
    { who: "a process that is gone", holder: { ...self, pid: deadPid }, age: 0, taken: true },
    { who: "a later process with the same number", holder: { ...self, started: "1" }, age: 0, taken: true },
    { who: "a process of another machine", holder: { ...self, pid: deadPid, machine: "other" }, age: 0, taken: false },
    {
      who: "a process of another machine, long ago",
      holder: { ...self, pid: deadPid, machine: "other" },
      age: leaseTermMs,
      taken: true,
    },
  ];
  it.each(holders)("held by $who: taken $taken", ({ holder, age, taken }) => {
    const { store, clock, id } = sessionHeldBy(holder);
    clock.advance(age);
    const opened = store.open(id);
    expect(opened.ok).toBe(taken);
    if (taken) return;
    expect(failureOf(opened)).toMatchObject({
      code: "log_unavailable",
      message: expect.stringContaining(`process ${holder.pid}`),
    });
  });

  it("is free again once the session is closed", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    expect(store.open(log.id).ok).toBe(false);
    log.close();
    expect(must(store.open(log.id)).state.seq).toBe(1);
  });

  it("fences a writer that lost it, also when it goes on later", () => {
    const directory = temporaryDirectory();
    const clock = manualClock();
    const first = must(temporaryStore({ directory, clock }).create(sessionCreated));
    clock.advance(leaseTermMs);
    const second = must(temporaryStore({ directory, clock, ids: countingIds("b") }).open(first.id));
    expect(failureOf(first.append([proposed("a")]))).toMatchObject({
      code: "log_unavailable",
      message: expect.stringContaining("taken over"),
    });
    must(second.append([proposed("b")]));
    expect(first.append([proposed("c")]).ok).toBe(false);
    first.close();
    must(second.append([proposed("d")]));
    expect([...second.events()].map(({ type }) => type)).toEqual([
      "session.created",
      "tool_intent.proposed",
      "tool_intent.proposed",
    ]);
  });

  it("lost, leaves to the next holder what is said of the session, also when that died and this one closes later", () => {
    const directory = temporaryDirectory();
    const clock = manualClock();
    const first = must(temporaryStore({ directory, clock }).create(sessionCreated));
    must(first.append([proposed("a"), observed("a")]));
    clock.advance(leaseTermMs);
    const second = must(temporaryStore({ directory, clock, ids: countingIds("b") }).open(first.id));
    clock.advance(2_000);
    must(second.append([proposed("b"), started("inv_b", "b")]));
    const file = new DatabaseSync(join(directory, "sessions", `${first.id}.db`));
    file.exec(`UPDATE lease SET pid = ${deadPid}`);
    file.close();
    first.close();
    const later = temporaryStore({ directory, clock, ids: countingIds("c") });
    expect(later.abandoned()).toEqual([first.id]);
    expect(must(later.open(first.id)).state.openInvocations.size).toBe(1);
  });

  it("is renewed while the session only waits", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const directory = temporaryDirectory();
    const clock = manualClock();
    const log = must(temporaryStore({ directory, clock }).create(sessionCreated));
    const other = temporaryStore({ directory, clock, ids: countingIds("b") });
    for (let passed = 0; passed < 4 * leaseTermMs; passed += leaseTermMs / 3) {
      clock.advance(leaseTermMs / 3);
      vi.advanceTimersByTime(leaseTermMs / 3);
    }
    expect(other.open(log.id).ok).toBe(false);
    must(log.append([proposed("a")]));
    log.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(other.open(log.id).ok).toBe(true);
  });

  it("is renewed by appending", () => {
    const directory = temporaryDirectory();
    const clock = manualClock();
    const log = must(temporaryStore({ directory, clock }).create(sessionCreated));
    const other = temporaryStore({ directory, clock, ids: countingIds("b") });
    for (const id of ["a", "b", "c", "d"]) {
      clock.advance(leaseTermMs / 2);
      must(log.append([proposed(id)]));
    }
    expect(other.open(log.id).ok).toBe(false);
    expect(log.append([proposed("e")]).ok).toBe(true);
  });
});

describe("abandoned sessions", () => {
  const gone = { ...self, pid: deadPid };
  const cases = [
    { name: "an open intent", drafts: [proposed("a")], abandoned: true },
    { name: "an open invocation", drafts: [started("inv_1", "a")], abandoned: true },
    {
      name: "an open job",
      drafts: [draft("job.started", { jobId: "j", invocationId: "i", command: "x", startedAt: "t" })],
      abandoned: true,
    },
    { name: "nothing open", drafts: [proposed("a"), observed("a")], abandoned: false },
  ];
  it.each(cases)("a dead writer with $name: $abandoned", ({ drafts, abandoned }) => {
    const { store, id } = sessionHeldBy(gone, drafts);
    expect(store.abandoned()).toEqual(abandoned ? [id] : []);
    must(store.open(id)).close();
    expect(store.abandoned()).toEqual([]);
  });

  it("are not those that someone writes, or that were closed in good order", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append([proposed("a")]));
    expect(store.abandoned()).toEqual([]);
    log.close();
    expect(store.abandoned()).toEqual([]);
  });
});

/** A session whose lease row says that `holder` has it, as a process that died leaves it. */
function sessionHeldBy(holder: typeof self, drafts: Parameters<ReturnType<typeof writer>["append"]>[0] = []) {
  const directory = temporaryDirectory();
  const clock = manualClock();
  const store = temporaryStore({ directory, clock });
  const log = writer(store);
  must(log.append(drafts));
  log.close();
  const database = new DatabaseSync(join(directory, "sessions", `${log.id}.db`));
  const { pid, started: start, machine } = holder;
  const update = "UPDATE lease SET pid = ?, started = ?, machine = ?, expires = ?, released = 0";
  database.prepare(update).run(pid, start, machine, clock.now() + leaseTermMs);
  database.close();
  const index = new DatabaseSync(join(directory, "index.db"));
  index.exec("UPDATE sessions SET stamp = ''");
  index.close();
  return { store, clock, id: log.id };
}

function writer(store: ReturnType<typeof temporaryStore>) {
  return must(store.create(sessionCreated));
}
