import path from "node:path";
import type { Clock, Ids } from "../contract/ids.ts";
import type { GitObjects, HostFiles, Metadata } from "../contract/ports.ts";
import type { SessionLog } from "../contract/store.ts";
import type { Scan } from "../host/files/scan.ts";
import { removeAbandonedScratch } from "../host/files/scratch.ts";
import type { LogStore } from "../log/open-store.ts";
import type { KnownValues } from "../log/redact/known-values.ts";
import { removeAbandoned } from "../sandbox/run/placeholders.ts";
import { recoverSession } from "./recover.ts";

/** What does not change between sessions. */
export interface Machine {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gitObjects: GitObjects;
  readonly metadata: Metadata;
  readonly scan: Scan;
  readonly files: HostFiles;
  /** Where runtimes record which file names they keep free. */
  readonly claims: string;
  readonly known: KnownValues;
  readonly version: string;
}

/** Sessions whose process died are closed before anything new starts; nothing of them is run again. */
export async function recoverAbandoned(store: LogStore, machine: Machine): Promise<void> {
  removeAbandoned(machine.claims);
  removeAbandonedScratch(path.join(path.dirname(machine.claims), "scratch"));
  for (const id of store.abandoned()) {
    const log = store.open(id);
    if (!log.ok) continue;
    await recoverSession(recoveryParts(store, machine, log.value));
    log.value.close();
  }
}

export function recoveryParts(store: LogStore, machine: Machine, log: SessionLog) {
  return {
    ...machine,
    log,
    artifacts: store.artifacts,
    redact: (text: string) => store.redactor.redactText(text),
    sandbox: { backend: "none", enforces: false } as const,
  };
}
