import type { DatabaseSync } from "node:sqlite";
import type { ArtifactStore } from "../../contract/artifact.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Clock, Ids, SessionId } from "../../contract/ids.ts";
import type { SessionLog } from "../../contract/store.ts";
import { type Layout, sessionFiles, sessionPath } from "../layout.ts";
import { logFailure, removeFile } from "../log-failure.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import type { Redactor } from "../redact/redact.ts";
import { initialState } from "../reduce.ts";
import type { Upcaster } from "../upcast.ts";
import { currentState } from "./checkpoint.ts";
import { createPrivateFile, openForWriting, type Sync } from "./database.ts";
import { releaseLease, takeLease } from "./lease.ts";
import type { SessionIndex } from "./session-index.ts";
import { type SessionLogParts, SqliteSessionLog } from "./session-log.ts";
import { findSession, newerLayout } from "./session-reader.ts";
import { createRecorder, sessionFacts } from "./session-recorder.ts";
import { createTables, isImported, layoutOf, requireOwnSchema } from "./session-schema.ts";

const busyMs = 5_000;

/** Directories for workspaces in the state directory, which are removed with the last session of their workspace. */
export interface WorkspaceData {
  /** Below the state directory. They hold nothing else. */
  readonly directories: readonly string[];
  /** The entries of one workspace, as `directory/name`. */
  of(workspace: string): readonly string[];
}

export interface StoreParts {
  readonly layout: Layout;
  readonly sync: Sync;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly process: ProcessIdentity;
  readonly index: SessionIndex;
  readonly openLogs: Set<SessionLog>;
  readonly artifacts: ArtifactStore;
  readonly redactor: Redactor;
  readonly upcaster: Upcaster;
  readonly workspaceData: WorkspaceData;
}

/** A session exists once its first event is stored; a failure before that leaves no file. */
export function createSession(
  parts: StoreParts,
  draft: Extract<EventDraft, { type: "session.created" }>,
): Outcome<SessionLog> {
  const id = parts.ids.next("ses");
  const path = sessionPath(parts.layout, id);
  let database: DatabaseSync | undefined;
  const giveUp = <Failed>(failed: Failed): Failed => {
    database?.close();
    for (const file of sessionFiles(parts.layout, id)) removeFile(file);
    return failed;
  };
  // Outside the clean-up: a file that already exists must stay.
  try {
    createPrivateFile(path);
  } catch (error) {
    return logFailure(error, "create a session", path);
  }
  try {
    database = openForWriting(path, { sync: parts.sync, busyMs });
    createTables(database, id);
    const token = takeLease(database, parts);
    if (!token.ok) return giveUp(token);
    const log = writerOf(parts, { database, path, token: token.value, state: initialState(id) });
    const stored = log.append([draft]);
    if (stored.ok) return ok(log);
    log.close();
    return giveUp(stored);
  } catch (error) {
    return giveUp(logFailure(error, "create a session", path));
  }
}

export function openSession(parts: StoreParts, id: SessionId): Outcome<SessionLog> {
  const found = findSession(parts.layout, id);
  if (!found.ok) return found;
  const path = found.value;
  let database: DatabaseSync | undefined;
  try {
    database = openForWriting(path, { sync: parts.sync, busyMs });
    const opened = continueSession(parts, id, path, database);
    if (!opened.ok) database.close();
    return opened;
  } catch (error) {
    database?.close();
    return logFailure(error, "open the session", path);
  }
}

/** Takes the lease first, so that the state it then reads is the last one. */
function continueSession(parts: StoreParts, id: SessionId, path: string, database: DatabaseSync): Outcome<SessionLog> {
  const shape = layoutOf(database);
  if (shape === "newer") return newerLayout(path);
  if (shape === "empty") return nothingLeft(id, path);
  requireOwnSchema(database);
  if (isImported(database)) return importedSession(id);
  const token = takeLease(database, parts);
  if (!token.ok) return token;
  const state = currentState(database, id, parts.upcaster);
  if (state.ok && state.value.seq > 0) {
    return ok(writerOf(parts, { database, path, token: token.value, state: state.value }));
  }
  releaseLease(database, token.value);
  return state.ok ? nothingLeft(id, path) : state;
}

function writerOf(
  parts: StoreParts,
  opened: Pick<SessionLogParts, "database" | "path" | "token" | "state">,
): SessionLog {
  const { database, state } = opened;
  const { clock } = parts;
  const now = new Date(clock.now()).toISOString();
  const isNew = state.seq === 0;
  const facts = isNew ? { createdAt: now, updatedAt: now, headHolds: true } : sessionFacts(database, state, parts);
  const recorder = createRecorder(parts, { ...facts, firsthand: isNew });
  const onClosed = (closed: SessionLog) => void parts.openLogs.delete(closed);
  const log = new SqliteSessionLog({ ...opened, clock, sealing: { ...parts, session: state.id }, recorder, onClosed });
  parts.openLogs.add(log);
  // From now on the index must not list the session as closed, or a crash would go unnoticed.
  if (!isNew) recorder.idle(state, clock.now());
  return log;
}

/** Its grants, open calls and planned changes are claims of its author. */
export function importedSession(id: SessionId): Outcome<never> {
  return fail("bad_request", `Session ${id} was imported: it can be read and checked, but not continued or forked.`, {
    recovery: "Start a new session.",
  });
}

function nothingLeft(id: SessionId, path: string): Outcome<never> {
  return fail("log_unavailable", `Session ${id} holds no events: ${path} was cut before the first one.`, {
    recovery: "Start a new session; move the file aside if you want to inspect it.",
  });
}
