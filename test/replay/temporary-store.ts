import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock, IdPrefix, Ids } from "../../src/contract/ids.ts";
import { type LogStore, openStore, type StoreOptions } from "../../src/log/open-store.ts";
import { must } from "./must.ts";

/** A clock that only moves when it is told to. */
export function manualClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

export function countingIds(label = ""): Ids {
  let count = 0;
  return {
    next: (prefix: IdPrefix) => {
      count += 1;
      return `${prefix}_${label}${String(count).padStart(6, "0")}`;
    },
  };
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "gauntlet-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function temporaryStore(options: Partial<StoreOptions> = {}): LogStore & { readonly directory: string } {
  const directory = options.directory ?? temporaryDirectory();
  const store = must(openStore({ directory, sync: "normal", clock: manualClock(), ids: countingIds(), ...options }));
  onTestFinished(() => store.close());
  return { ...store, directory };
}
