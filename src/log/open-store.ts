import type { Archive } from "../contract/app/archive.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, Ids, SessionId } from "../contract/ids.ts";
import type { SessionState } from "../contract/state.ts";
import type { SessionLog, Store } from "../contract/store.ts";
import { createArchive } from "./archive/archive.ts";
import { removeLeftovers } from "./artifacts/artifact-file.ts";
import { createArtifactStore } from "./artifacts/artifact-store.ts";
import { chainStart } from "./envelope.ts";
import { layoutIn, makePrivateDirectory, privateKey } from "./layout.ts";
import { thisProcess } from "./process-identity.ts";
import type { KnownValues } from "./redact/known-values.ts";
import { createRedactor, type Redactor } from "./redact/redact.ts";
import { initialState, reduce } from "./reduce.ts";
import type { Sync } from "./store/database.ts";
import { abandonedSessions, listSessions } from "./store/list-sessions.ts";
import { createSession, openSession, type StoreParts, type WorkspaceData } from "./store/open-session.ts";
import { SessionIndex } from "./store/session-index.ts";
import { createReader, openReadable } from "./store/session-reader.ts";
import { createUpcaster, knownUpcasts, type UpcastTable } from "./upcast.ts";

export interface StoreOptions {
  readonly directory: string;
  readonly sync: Sync;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly upcasts?: UpcastTable;
  readonly workspaceData?: WorkspaceData;
  readonly known?: KnownValues;
}

export interface LogStore extends Store {
  readonly archive: Archive;
  /** For text that is shown before it is stored. */
  readonly redactor: Redactor;
  notices(): readonly string[];
}

/** SQLite, one file per session, shared by any number of processes. */
export function openStore(options: StoreOptions): Outcome<LogStore> {
  const layout = layoutIn(options.directory);
  for (const directory of [layout.directory, layout.sessions, layout.artifacts]) {
    const made = makePrivateDirectory(directory);
    if (!made.ok) return made;
  }
  const key = privateKey(layout.directory);
  if (!key.ok) return key;

  const { sync, clock, ids, upcasts = knownUpcasts, workspaceData = { directories: [], of: () => [] } } = options;
  const process = thisProcess();
  const parts: StoreParts = {
    ...{ layout, sync, clock, ids, process, workspaceData },
    index: new SessionIndex(layout.index),
    openLogs: new Set(),
    artifacts: createArtifactStore({ root: layout.artifacts, writer: process, flush: sync === "full" }),
    redactor: createRedactor(key.value, options.known),
    upcaster: createUpcaster(upcasts),
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

/** The preview of a new session. It stores nothing, so nothing can run in it. */
function previewNew(id: SessionId, draft: Extract<EventDraft, { type: "session.created" }>): SessionLog {
  const state = initialState(id);
  reduce(state, { ...draft, seq: 0, id: "", session: id, at: "", v: 1, prev: chainStart, hash: chainStart });
  return previewOf(state);
}

function previewOf(state: SessionState): SessionLog {
  const refuse = () => fail("log_unavailable", "This session is a preview: nothing is recorded, so nothing runs.");
  return {
    id: state.id,
    state,
    append: refuse,
    hasIntent: () => false,
    events: () => [],
    close() {},
  };
}
