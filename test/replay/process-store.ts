import { randomUUID } from "node:crypto";
import type { SessionLog } from "../../src/contract/store.ts";
import { type LogStore, openStore } from "../../src/log/open-store.ts";
import { sessionCreated } from "./event-drafts.ts";
import { must } from "./must.ts";

/** For the scripts that tests run as processes of their own. */
export function processStore(directory: string): LogStore {
  const ids = { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  return must(openStore({ directory, sync: "normal", clock: { now: () => Date.now() }, ids }));
}

export function newSession(store: LogStore): SessionLog {
  return must(store.create(sessionCreated));
}
