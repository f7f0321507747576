import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { observed, proposed, sessionCreated, wholeCall } from "./event-drafts.ts";
import { must } from "./must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "./temporary-store.ts";

const headerBytes = 32;
const frameBytes = 24 + 4_096;

it("a log that was cut at any byte opens to a verified prefix", () => {
  const directory = temporaryDirectory();
  const log = must(temporaryStore({ directory }).create(sessionCreated));
  for (let call = 0; call < 10; call += 1) must(log.append(wholeCall(`i${call}`, `inv_${call}`)));
  must(log.append([proposed("large", "x".repeat(7_000)), observed("large")]));
  const events = [...log.events()];
  const hashes = ["", ...events.map(({ hash }) => hash)];

  // The writer still holds the file: nothing of the write-ahead log has been folded back.
  const path = join(directory, "sessions", `${log.id}.db`);
  const wal = readFileSync(`${path}-wal`);
  const lengths = new Set<number>();
  for (const cut of cuts(wal.length)) {
    const copy = join(directory, `copy-${cut}`);
    mkdirSync(join(copy, "sessions"), { recursive: true });
    const target = join(copy, "sessions", `${log.id}.db`);
    copyFileSync(path, target);
    writeFileSync(`${target}-wal`, wal.subarray(0, cut));

    const clock = manualClock();
    clock.advance(60 * 60 * 1000);
    const store = temporaryStore({ directory: copy, clock, ids: countingIds("b") });
    const [report] = must(store.archive.verify(log.id));
    expect(report).toMatchObject({ ok: true, problems: [] });
    const length = report?.events ?? -1;
    lengths.add(length);
    expect([...must(store.archive.events(log.id))]).toEqual(events.slice(0, length));
    expect(must(store.archive.replay(log.id)).state.seq).toBe(length);
    expect(store.list()).toHaveLength(1);

    const opened = store.open(log.id);
    expect(opened.ok).toBe(length > 0);
    if (opened.ok) {
      expect(opened.value.state.head).toBe(hashes[length]);
      must(opened.value.append([proposed("after the cut")]));
      expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true, events: length + 1 }]);
    }
    store.close();
  }
  expect(Math.max(...lengths)).toBe(events.length);
  expect(lengths.size).toBeGreaterThan(5);
});

/** Every edge of a frame and its neighbours, and a sample of what lies between, where a frame is never whole. */
function cuts(bytes: number): readonly number[] {
  const edges = [0, 1, headerBytes - 1, headerBytes, bytes - 1, bytes];
  for (let edge = headerBytes; edge <= bytes; edge += frameBytes) edges.push(edge - 1, edge, edge + 1, edge + 24);
  for (let sample = 0; sample < 30; sample += 1) edges.push(Math.floor((sample * bytes) / 30));
  return [...new Set(edges)].filter((cut) => cut >= 0 && cut <= bytes).sort((a, b) => a - b);
}
