import type { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { VerifyReport } from "../../contract/app/archive.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { type Event, eventSchemas } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import { artifactProblem } from "../artifacts/hash-artifact.ts";
import { chainHash, chainStart, openEvent, type StoredEvent } from "../envelope.ts";
import { artifactsOf } from "../event-names.ts";
import { sessionIds } from "../layout.ts";
import { DamagedRow, isOutsideFailure, logFailure } from "../log-failure.ts";
import { initialState, reduce } from "../reduce.ts";
import { readCheckpoint } from "../sqlite/checkpoint.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import type { KnownHead, RecordedHead } from "../sqlite/session-index.ts";
import { findSession, openReadable } from "../sqlite/session-reader.ts";
import { firstLooseRow, hashAt, rowBeforeEvents, sessionsNamed, storedEvents } from "../sqlite/session-rows.ts";
import { isImported } from "../sqlite/session-schema.ts";
import { checkNames, type NamesCheck } from "./check-names.ts";

type VerifyParts = Pick<StoreParts, "layout" | "index" | "upcaster">;
type Problem = VerifyReport["problems"][number];

/** Every check that needs nothing but the store. Damage is reported, never thrown. */
export function verifySessions(parts: VerifyParts, id?: SessionId): Outcome<readonly VerifyReport[]> {
  // Before the files: a session that grows meanwhile is then longer than its recorded head, never shorter.
  const heads = parts.index.heads();
  if (id !== undefined) {
    const found = findSession(parts.layout, id);
    if (!found.ok && !heads.has(id)) return found;
    return ok([found.ok ? verifySession(parts, id, heads.get(id)) : vanished(id, heads.get(id))]);
  }
  try {
    const present = sessionIds(parts.layout);
    const gone = [...heads.keys()].filter((known) => !present.includes(known)).sort();
    return ok([
      ...present.map((session) => verifySession(parts, session, heads.get(session))),
      ...gone.map((session) => vanished(session, heads.get(session))),
    ]);
  } catch (error) {
    return logFailure(error, "list the sessions", parts.layout.sessions);
  }
}

function verifySession(parts: VerifyParts, id: SessionId, recorded: KnownHead | undefined): VerifyReport {
  const opened = openReadable(parts.layout, id);
  if (!opened.ok) return report(id, { seq: 0, hash: chainStart }, [{ seq: 0, problem: opened.failure.message }]);
  const { database, path } = opened.value;
  const check: Check = {
    id,
    upcaster: parts.upcaster,
    problems: [],
    last: { seq: 0, hash: chainStart },
    artifacts: new Map(),
    isNewer: false,
    imported: false,
  };
  try {
    if (database !== undefined) checkFile(database, check, recorded);
    else checkHead(undefined, check, recorded);
  } catch (error) {
    check.problems.push({ seq: check.last.seq, problem: whatStopped(error, check.last.seq, path) });
  } finally {
    database?.close();
  }
  checkArtifacts(parts.layout.artifacts, check);
  const found = report(id, check.last, check.problems, recorded?.late === false ? undefined : unwatched);
  return { ...found, imported: check.imported };
}

/** What a file makes this program do is said of the file, so that the other ones are still checked. */
function whatStopped(error: unknown, seq: number, path: string): string {
  const doing = `read beyond event ${seq}`;
  if (isOutsideFailure(error)) return logFailure(error, doing, path).failure.message;
  return `Could not ${doing}: ${path} holds what no event does (${String(error)}).`;
}

function checkFile(database: DatabaseSync, check: Check, recorded: RecordedHead | undefined): void {
  // All of it as it is at one moment: someone may be writing.
  database.exec("BEGIN");
  check.imported = isImported(database);
  const names = checkNames(database, check.upcaster);
  checkEvents(database, check, names);
  if (check.problems.length === 0) checkState(database, check);
  checkHead(database, check, recorded);
  if (check.problems.length === 0) checkBeyondEvents(database, check, names);
}

interface Check {
  readonly id: SessionId;
  readonly upcaster: StoreParts["upcaster"];
  readonly problems: Problem[];
  /** Each with the first event that vouches for it. */
  readonly artifacts: Map<string, number>;
  last: RecordedHead;
  /** Holds events of types that a later version knows, and may know names of. */
  isNewer: boolean;
  imported: boolean;
}

function checkEvents(database: DatabaseSync, check: Check, names: NamesCheck): void {
  for (const stored of storedEvents(database)) {
    const event = openOrReport(stored, check);
    check.last = stored;
    if (event === undefined) continue;
    if (!Object.hasOwn(eventSchemas(), event.type)) check.isNewer = true;
    for (const problem of names.problemsOf(stored, event)) check.problems.push({ seq: stored.seq, problem });
    for (const id of artifactsOf(event)) if (!check.artifacts.has(id)) check.artifacts.set(id, stored.seq);
  }
}

/** The check goes on from what is there, so that one break is reported once. */
function openOrReport(stored: StoredEvent, check: Check): Event | undefined {
  const report = (problem: string) => check.problems.push({ seq: stored.seq, problem });
  try {
    const event = openEvent(stored, check.upcaster);
    for (const problem of eventProblems(stored, event, check)) report(problem);
    if (hasKnownShape(event)) return event;
    report(`its data is not that of ${event.type}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof DamagedRow)) throw error;
    report("its bytes are not an event");
    return undefined;
  }
}

function* eventProblems(stored: StoredEvent, event: Event, check: Check): Generator<string> {
  const due = check.last.seq + 1;
  if (stored.seq !== due) {
    yield stored.seq === due + 1 ? `event ${due} is missing` : `events ${due} to ${stored.seq - 1} are missing`;
  } else if (event.prev !== check.last.hash) {
    yield "it does not continue the event before it: one of the two was replaced";
  }
  if (stored.hash !== chainHash(event.prev, stored.body)) yield "its bytes do not match its hash: it was changed";
  if (event.seq !== stored.seq) yield `it calls itself event ${event.seq}`;
  if (event.type !== stored.type) yield `it is filed as ${stored.type} but is ${event.type}`;
  if (event.session !== check.id) yield `it belongs to session ${event.session}`;
}

/** Types of a later version are taken as they are. */
function hasKnownShape({ type, data }: Event): boolean {
  const schemas = eventSchemas();
  return !Object.hasOwn(schemas, type) || schemas[type].safeParse(data).success;
}

/** The checkpoint is what the next opening believes, so it has to be what the events say. */
function checkState(database: DatabaseSync, check: Check): void {
  const checkpoint = readCheckpoint(database, check.upcaster);
  if (checkpoint === undefined) return;
  const state = initialState(check.id);
  for (const stored of storedEvents(database, { limit: checkpoint.seq }))
    reduce(state, openEvent(stored, check.upcaster));
  if (isDeepStrictEqual(state, checkpoint)) return;
  check.problems.push({ seq: checkpoint.seq, problem: "the stored state differs from what the events give" });
}

/** A file whose events hold together has room for nothing else. */
function checkBeyondEvents(database: DatabaseSync, check: Check, names: NamesCheck): void {
  const report = (seq: number, problem: string) => check.problems.push({ seq, problem });
  const before = rowBeforeEvents(database);
  if (before !== undefined) report(before, "it is no event of the session, whose first one is 1");
  const loose = firstLooseRow(database, check.last.seq);
  if (loose !== undefined) report(loose, "it is filed behind another event than the one that it continues");
  const named = sessionsNamed(database) ?? [check.id];
  if (!isDeepStrictEqual(named, [check.id])) report(check.last.seq, `the file says that it is ${named.join(", ")}`);
  if (check.isNewer) return;
  for (const problem of names.problemsBeyond()) report(check.last.seq, problem);
}

function checkHead(database: DatabaseSync | undefined, check: Check, recorded: RecordedHead | undefined): void {
  if (recorded === undefined) return;
  if (recorded.seq > check.last.seq) {
    const problem = `the index has seen event ${recorded.seq}, but the session ends at ${check.last.seq}: its tail was removed or lost`;
    check.problems.push({ seq: check.last.seq, problem });
  } else if (database !== undefined && hashOf(database, recorded.seq) !== recorded.hash) {
    const problem = "the index has seen another event here: the session was rewritten from this event or earlier";
    check.problems.push({ seq: recorded.seq, problem });
  }
}

function hashOf(database: DatabaseSync, seq: number): string | undefined {
  try {
    return hashAt(database, seq);
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return undefined;
  }
}

function checkArtifacts(root: string, check: Check): void {
  for (const [id, seq] of check.artifacts) {
    const problem = artifactProblem(root, id);
    if (problem !== undefined) check.problems.push({ seq, problem: `artifact ${id} is ${problem}` });
  }
}

function vanished(id: SessionId, recorded: RecordedHead | undefined): VerifyReport {
  const problem = `the index has seen event ${recorded?.seq ?? 0}, but the session's file is gone`;
  return report(id, { seq: 0, hash: chainStart }, [{ seq: 0, problem }]);
}

const unwatched =
  "the index has not known the session from its start (index.db was missing, damaged or not readable): events that were removed from the end would not be noticed";

function report(session: SessionId, last: RecordedHead, problems: readonly Problem[], notice?: string): VerifyReport {
  const bySeq = [...problems].sort((a, b) => a.seq - b.seq);
  const holds = problems.length === 0;
  const facts = { session, imported: false, ok: holds, events: last.seq, head: last.hash, problems: bySeq };
  return notice === undefined ? facts : { ...facts, notice };
}
