import type { Archive } from "../contract/app/archive.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type { Store } from "../contract/store.ts";
import { createArchive } from "./archive/archive.ts";
import type { Belongings } from "./archive/belongings.ts";
import { createArtifactStore } from "./artifacts/artifact-store.ts";
import { removeLeftovers } from "./artifacts/temporary-file.ts";
import type { KnownValues } from "./known-values.ts";
import { layoutIn } from "./layout.ts";
import { previewNew, previewOf } from "./preview-log.ts";
import { makePrivateDirectory, privateKey } from "./private-directory.ts";
import { thisProcess } from "./process-identity.ts";
import { createRedactor, type Redactor } from "./redact.ts";
import type { Sync } from "./sqlite/database.ts";
import { createSession, openSession, type StoreParts } from "./sqlite/open-session.ts";
import { SessionIndex } from "./sqlite/session-index.ts";
import { createReader, openReadable } from "./sqlite/session-reader.ts";
import { abandonedSessions, listSessions } from "./sqlite/survey-sessions.ts";
import { createUpcaster, knownUpcasts, type UpcastTable } from "./upcast.ts";

export interface StoreOptions {
  /** The state directory. Made when it is not there. */
  readonly directory: string;
  readonly sync: Sync;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How payloads of older versions are read. */
  readonly upcasts?: UpcastTable;
  /** What lies beside the log for each workspace, and goes with its last session. */
  readonly belongings?: Belongings;
  /** Values that are redacted wherever they are found. */
  readonly known?: KnownValues;
}

export interface LogStore extends Store {
  readonly archive: Archive;
  /** The same one that every append goes through, for text that is shown before it is stored. */
  readonly redactor: Redactor;
  /** What a person should know about the store, beyond what was asked of it; empty as a rule. */
  notices(): readonly string[];
}

/** SQLite, one file a session, shared by any number of processes. */
export function openStore(options: StoreOptions): Outcome<LogStore> {
  const layout = layoutIn(options.directory);
  for (const directory of [layout.directory, layout.sessions, layout.artifacts]) {
    const made = makePrivateDirectory(directory);
    if (!made.ok) return made;
  }
  const key = privateKey(layout.directory);
  if (!key.ok) return key;

  const { sync, clock, ids, upcasts = knownUpcasts, belongings = { directories: [], of: () => [] } } = options;
  const process = thisProcess();
  const parts: StoreParts = {
    layout,
    sync,
    clock,
    ids,
    process,
    index: new SessionIndex(layout.index),
    openLogs: new Set(),
    artifacts: createArtifactStore({ root: layout.artifacts, writer: process, flush: sync === "full" }),
    redactor: createRedactor(key.value, options.known),
    upcaster: createUpcaster(upcasts),
    belongings,
  };
  for (const directory of [layout.artifacts, layout.sessions]) removeLeftovers(directory, process, clock.now());
  return ok(createStore(parts));
}

function createStore(parts: StoreParts): LogStore {
  return {
    artifacts: parts.artifacts,
    archive: createArchive(parts),
    redactor: parts.redactor,
    create: (draft) => createSession(parts, draft),
    preview: (draft) => previewNew(parts.ids.next("ses"), draft),
    previewOf,
    open: (id) => openSession(parts, id),
    read: (id) => {
      const session = openReadable(parts.layout, id);
      return session.ok ? ok(createReader(session.value, parts.upcaster)) : session;
    },
    list: () => listSessions(parts),
    abandoned: () => abandonedSessions(parts),
    notices: () => parts.index.notices(),
    close: () => {
      for (const log of [...parts.openLogs]) log.close();
      parts.index.close();
    },
  };
}
