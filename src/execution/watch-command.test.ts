import { expect, test } from "vitest";
import { fail, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Connection } from "../contract/network.ts";
import { createJournal } from "./journal.ts";
import { watchConnections } from "./watch-command.ts";

const connection = (host: string, more: Partial<Connection> = {}): Connection => ({
  host,
  port: 443,
  outcome: "connected",
  bytesUp: 1,
  bytesDown: 2,
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:01.000Z",
  ...more,
});

function watch({ stores = true } = {}) {
  const journal = createJournal();
  const recorded: EventDraft[] = [];
  const watching = watchConnections({
    journal,
    invocationId: "inv_1",
    askHost: async () => ({ answer: "refuse", why: "no" }),
    record: (drafts) => {
      recorded.push(...drafts);
      return stores ? ok(undefined) : fail("log_unavailable", "the disk is full");
    },
  });
  return { journal, recorded, ...watching };
}

test("every connection is recorded, each host is seen once", () => {
  const { journal, recorded, connections, unreached } = watch();
  const refused = { outcome: "refused", reason: "no rule allows it" } as const;
  const all = [
    connection("a.test"),
    connection("a.test"),
    connection("b.test", refused),
    connection("b.test", refused),
  ];
  expect(all.map((one) => connections.record(one))).toEqual([true, true, true, true]);
  expect(recorded).toEqual(all.map((one) => ({ type: "connection.made", data: { invocationId: "inv_1", ...one } })));
  expect(journal.seen).toEqual([
    { op: "connect", target: "a.test:443", note: "connected, 2 times" },
    { op: "connect", target: "b.test:443", note: "refused, 2 times" },
  ]);
  expect(unreached()).toEqual(["b.test:443 refused: no rule allows it"]);
});

test("what it remembers is bounded, what it records is not", () => {
  const { journal, recorded, connections, unreached } = watch();
  for (let n = 0; n < 500; n += 1) connections.record(connection(`h${n}.test`, { outcome: "failed", reason: "x" }));
  expect([journal.seen.length, unreached().length, recorded.length]).toEqual([100, 20, 500]);
});

test("a call that has ended is told nothing more, the log is", () => {
  const { journal, recorded, connections } = watch();
  journal.over = true;
  connections.record(connection("late.test"));
  expect([journal.seen, recorded.length]).toEqual([[], 1]);
});

test("a log that stores nothing is reported", () => {
  expect(watch({ stores: false }).connections.record(connection("a.test"))).toBe(false);
});
