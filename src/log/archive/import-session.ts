import { linkSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionState } from "../../contract/state.ts";
import { temporaryName } from "../artifacts/temporary-file.ts";
import type { StoredEvent } from "../envelope.ts";
import { artifactsOf } from "../event-names.ts";
import { isSessionId, sessionPath, sessionSize } from "../layout.ts";
import { isAlreadyThere, isDuplicate, logFailure } from "../log-failure.ts";
import { initialState, reduce } from "../reduce.ts";
import { removeFile } from "../remove-file.ts";
import { writeCheckpoint } from "../sqlite/checkpoint.ts";
import { createPrivateFile, openForWriting, transact } from "../sqlite/database.ts";
import { prepareInsert } from "../sqlite/insert-event.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { createTables, markImported } from "../sqlite/session-schema.ts";
import { checkImportedEvent } from "./check-imported-event.ts";
import { StagedArtifacts } from "./staged-artifacts.ts";
import { artifactLine, type TransferHeader, transferHeader } from "./transfer-format.ts";

type ImportParts = Pick<StoreParts, "layout" | "process" | "sync" | "upcaster" | "artifacts">;

/**
 * Builds the session aside and gives it its name at the very end. Until then nothing of it can be seen, and a
 * line that does not fit ends it without a trace.
 */
export function importSession(parts: ImportParts, lines: Iterable<string>): Outcome<SessionId> {
  const temporary = join(parts.layout.sessions, temporaryName(parts.process));
  const staged = new StagedArtifacts({
    root: parts.layout.artifacts,
    writer: parts.process,
    flush: parts.sync === "full",
  });
  let database: DatabaseSync | undefined;
  try {
    createPrivateFile(temporary);
    database = openForWriting(temporary, { sync: parts.sync, busyMs: 1_000 });
    const received = receive(parts, numbered(lines), database, staged);
    database.close();
    if (!received.ok) return received;
    const kept = staged.keepAll();
    return kept.ok ? giveName(parts, temporary, received.value) : kept;
  } catch (error) {
    if (isDuplicate(error)) return fail("bad_request", "An intent id is used twice in this session.");
    return logFailure(error, "import a session", temporary);
  } finally {
    if (database?.isOpen) database.close();
    staged.discard();
    for (const suffix of ["", "-wal", "-shm"]) removeFile(temporary + suffix);
  }
}

interface Line {
  readonly number: number;
  readonly text: string;
}

function* numbered(lines: Iterable<string>): Generator<Line> {
  let number = 0;
  for (const line of lines) {
    number += 1;
    const text = line.trim();
    if (text !== "") yield { number, text };
  }
}

function receive(
  parts: ImportParts,
  lines: Generator<Line>,
  database: DatabaseSync,
  staged: StagedArtifacts,
): Outcome<SessionId> {
  const first = lines.next();
  const header = first.done ? undefined : transferHeader().safeParse(parseJson(first.value.text)).data;
  if (header === undefined) {
    return fail("bad_request", "Line 1 is not the header of an exported session, or of a version that is not known.");
  }
  const free = checkFree(parts, header.session);
  if (!free.ok) return free;
  createTables(database, header.session);
  markImported(database);
  const needed = new Set<string>();
  const excused = new Set<string>();
  const state = initialState(header.session);
  const insert = prepareInsert(database);
  const received = transact(database, (): Outcome<void> => {
    for (const { number, text } of lines) {
      const line = text.startsWith('{"artifact":')
        ? receiveArtifact(text, staged, excused)
        : receiveEvent(text, state, parts, (stored, event) => {
            insert(stored, event);
            for (const id of artifactsOf(event)) needed.add(id);
          });
      if (!line.ok) return atLine(number, line.failure.message);
    }
    writeCheckpoint(database, state, parts.upcaster);
    return staged.end();
  });
  if (!received.ok) return received;
  const complete = checkComplete(header, state);
  if (!complete.ok) return complete;
  const missing = [...needed].find(
    (id) => !staged.has(id) && !excused.has(id) && parts.artifacts.size(id) === undefined,
  );
  if (missing !== undefined) return fail("bad_request", `Artifact ${missing} is referred to but not in the export.`);
  return ok(header.session);
}

function receiveEvent(
  text: string,
  state: SessionState,
  parts: ImportParts,
  insert: (stored: StoredEvent, event: Event) => void,
): Outcome<void> {
  const checked = checkImportedEvent(text, { session: state.id, seq: state.seq, head: state.head }, parts.upcaster);
  if (!checked.ok) return checked;
  insert(checked.value.stored, checked.value.event);
  reduce(state, checked.value.event);
  return ok(undefined);
}

function receiveArtifact(text: string, staged: StagedArtifacts, excused: Set<string>): Outcome<void> {
  const line = artifactLine().safeParse(parseJson(text)).data;
  if (line === undefined) return fail("bad_request", "it is not a piece of an artifact");
  if ("base64" in line) return staged.add(line);
  excused.add(line.artifact);
  return ok(undefined);
}

function checkFree(parts: ImportParts, id: SessionId): Outcome<void> {
  if (!isSessionId(id)) return fail("bad_request", `${JSON.stringify(id)} is not a session id.`);
  return sessionSize(parts.layout, id) === undefined ? ok(undefined) : alreadyThere(id);
}

function alreadyThere(id: SessionId): Outcome<never> {
  return fail("bad_request", `Session ${id} is already in this store.`, {
    recovery: "Import it into another store; sessions are never merged or replaced.",
  });
}

function checkComplete(header: TransferHeader, state: SessionState): Outcome<void> {
  if (state.seq === header.events && state.head === header.head) return ok(undefined);
  return fail(
    "bad_request",
    `The export is not complete: its header promises ${header.events} events up to ${header.head.slice(0, 12)}, it holds ${state.seq}.`,
  );
}

function giveName(parts: ImportParts, temporary: string, id: SessionId): Outcome<SessionId> {
  try {
    linkSync(temporary, sessionPath(parts.layout, id));
    return ok(id);
  } catch (error) {
    if (isAlreadyThere(error)) return alreadyThere(id);
    throw error;
  }
}

function atLine(number: number, problem: string): Outcome<never> {
  return fail("bad_request", `Line ${number}: ${problem.replace(/\.$/, "")}. Nothing was imported.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
