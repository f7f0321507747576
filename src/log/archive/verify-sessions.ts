import type { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { VerifyReport } from "../../contract/app/archive.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { type Event, eventSchemas } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import { artifactProblem } from "../artifacts/artifact-file.ts";
import { chainHash, chainStart, openEvent, type StoredEvent } from "../envelope.ts";
import { artifactsKeptFor, artifactsOf, carries, type EventName, namesOf } from "../event-names.ts";
import { sessionIds } from "../layout.ts";
import { DamagedRow, isOutsideFailure, logFailure } from "../log-failure.ts";
import { initialState, reduce } from "../reduce.ts";
import { readCheckpoint } from "../store/checkpoint.ts";
import type { StoreParts } from "../store/open-session.ts";
import type { KnownHead, RecordedHead } from "../store/session-index.ts";
import { findSession, openReadable, type ReadableSession } from "../store/session-reader.ts";
import {
  artifactIds,
  eventAt,
  firstLooseRow,
  hashAt,
  keepsArtifact,
  nameCount,
  rowBeforeEvents,
  seqOf,
  sessionsNamed,
  storedEvents,
} from "../store/session-rows.ts";
import { isImported } from "../store/session-schema.ts";

type Problem = VerifyReport["problems"][number];

/** Every check that needs only the store. Damage is reported, never thrown. */
export function verifySessions(parts: StoreParts, id?: SessionId): Outcome<readonly VerifyReport[]> {
  // Read before the files: a session that grows meanwhile is then longer than its recorded head, never shorter.
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

const noEvent: RecordedHead = { seq: 0, hash: chainStart };

/** Per session: a crafted file can be made to take any time. */
const longestMs = 5 * 60 * 1000;

const unwatched =
  "the index does not know the session from its start (index.db was missing, damaged or unreadable): removed events at the end cannot be detected";

function verifySession(parts: StoreParts, id: SessionId, recorded: KnownHead | undefined): VerifyReport {
  const opened = openReadable(parts.layout, id);
  if (!opened.ok) return report(id, noEvent, [{ seq: 0, problem: opened.failure.message }]);
  const check = new SessionCheck(parts, opened.value);
  check.run(recorded);
  const found = report(id, check.last, check.problems);
  return { ...found, imported: check.imported, ...(recorded?.late === false ? {} : { notice: unwatched }) };
}

function vanished(id: SessionId, recorded: RecordedHead | undefined): VerifyReport {
  const problem = `the index recorded event ${recorded?.seq ?? 0}, but the session's file is missing`;
  return report(id, noEvent, [{ seq: 0, problem }]);
}

function report(session: SessionId, { seq, hash }: RecordedHead, found: readonly Problem[]): VerifyReport {
  const problems = found.toSorted((a, b) => a.seq - b.seq);
  return { session, imported: false, ok: problems.length === 0, events: seq, head: hash, problems };
}

class TimeOver extends Error {}

class SessionCheck {
  readonly problems: Problem[] = [];
  last: RecordedHead = noEvent;
  imported = false;
  readonly #parts: StoreParts;
  readonly #session: ReadableSession;
  readonly #startedAt: number;
  /** Each with the first event that refers to it. */
  readonly #artifacts = new Map<string, number>();
  readonly #keptArtifacts = new Set<string>();
  #names = 0;
  /** Has events of unknown types from a later version, which may have names that this version cannot check. */
  #isNewer = false;

  constructor(parts: StoreParts, session: ReadableSession) {
    this.#parts = parts;
    this.#session = session;
    this.#startedAt = parts.clock.now();
  }

  run(recorded: RecordedHead | undefined): void {
    const { database } = this.#session;
    this.#attempt(() => {
      if (database === undefined) this.#checkHead(undefined, recorded);
      else this.#checkFile(database, recorded);
    });
    database?.close();
    this.#attempt(() => this.#checkArtifacts());
  }

  /** No file may prevent the check of the others. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      const { seq } = this.last;
      const { path } = this.#session;
      const doing = `read beyond event ${seq}`;
      if (error instanceof TimeOver) this.#report(seq, `the check was stopped after ${longestMs / 1000} s`);
      else if (isOutsideFailure(error)) this.#report(seq, logFailure(error, doing, path).failure.message);
      else this.#report(seq, `Could not ${doing}: ${path} contains an invalid event (${String(error)}).`);
    }
  }

  #report(seq: number, problem: string): void {
    this.problems.push({ seq, problem });
  }

  #requireTime(): void {
    if (this.#parts.clock.now() - this.#startedAt > longestMs) throw new TimeOver();
  }

  #checkFile(database: DatabaseSync, recorded: RecordedHead | undefined): void {
    // A snapshot of the whole file: another process may be writing.
    database.exec("BEGIN");
    this.imported = isImported(database);
    const { quick_check: pages } = database.prepare("PRAGMA quick_check(1)").get() ?? {};
    if (pages !== "ok") throw new DamagedRow(String(pages));
    for (const stored of storedEvents(database)) {
      this.#requireTime();
      this.#checkEvent(database, stored);
    }
    if (this.problems.length === 0) this.#checkCheckpoint(database);
    this.#checkHead(database, recorded);
    if (this.problems.length === 0) this.#checkRest(database);
  }

  /** Continues from the actual value, so that one break is reported once. */
  #checkEvent(database: DatabaseSync, stored: StoredEvent): void {
    const { seq } = stored;
    const event = this.#opened(stored);
    if (event !== undefined) {
      for (const problem of chainProblems(stored, event, this.last, this.#session.id)) this.#report(seq, problem);
      const schemas = eventSchemas();
      const isKnown = Object.hasOwn(schemas, event.type);
      if (!isKnown) this.#isNewer = true;
      if (isKnown && !schemas[event.type].safeParse(event.data).success)
        this.#report(seq, `its data is invalid for ${event.type}`);
      else this.#checkNames(database, stored, event);
    }
    this.last = stored;
  }

  #opened(stored: StoredEvent): Event | undefined {
    try {
      return openEvent(stored, this.#parts.upcaster);
    } catch (error) {
      if (!(error instanceof DamagedRow)) throw error;
      this.#report(stored.seq, "its bytes are not an event");
      return undefined;
    }
  }

  /** The names that lead to the event, and the artifacts that it protects from pruning. */
  #checkNames(database: DatabaseSync, stored: StoredEvent, event: Event): void {
    const { seq } = stored;
    for (const name of namesOf(event)) {
      const known = seqOf(database, name);
      const what = subjects[name.role];
      if (known === seq) this.#names += 1;
      else if (known === undefined) {
        if (!this.#isOlderInput(stored, name)) this.#report(seq, `${what} cannot be found by its id`);
      } else if (name.role === "intent" || known > seq || !this.#isCarried(database, name, known))
        this.#report(seq, `${what} is indexed at event ${known}, which is another event`);
    }
    for (const id of artifactsKeptFor(event)) {
      if (!this.#keptArtifacts.has(id) && !keepsArtifact(database, id))
        this.#report(seq, `artifact ${id} is not protected from pruning`);
      this.#keptArtifacts.add(id);
    }
    for (const id of artifactsOf(event)) if (!this.#artifacts.has(id)) this.#artifacts.set(id, seq);
  }

  #isCarried(database: DatabaseSync, name: EventName, seq: number): boolean {
    try {
      const stored = eventAt(database, seq);
      return stored !== undefined && carries(openEvent(stored, this.#parts.upcaster), name);
    } catch (error) {
      if (!isOutsideFailure(error)) throw error;
      return false;
    }
  }

  /** Inputs had no name of their own in the first version of their event. */
  #isOlderInput({ body, type }: StoredEvent, { role }: EventName): boolean {
    return role === "input" && !body.endsWith(`"v":${this.#parts.upcaster.version(type)}}`);
  }

  /** The next opening relies on the checkpoint, so it must equal the state of the events. */
  #checkCheckpoint(database: DatabaseSync): void {
    const { upcaster } = this.#parts;
    const checkpoint = readCheckpoint(database, upcaster);
    if (checkpoint === undefined) return;
    const state = initialState(this.#session.id);
    for (const stored of storedEvents(database, { limit: checkpoint.seq })) {
      this.#requireTime();
      reduce(state, openEvent(stored, upcaster));
    }
    if (!isDeepStrictEqual(state, checkpoint))
      this.#report(checkpoint.seq, "the stored state differs from the state of the events");
  }

  #checkHead(database: DatabaseSync | undefined, recorded: RecordedHead | undefined): void {
    const { seq } = this.last;
    if (recorded === undefined) return;
    if (recorded.seq > seq) {
      const problem = `the index recorded event ${recorded.seq}, but the session ends at ${seq}: its tail was removed or lost`;
      this.#report(seq, problem);
    } else if (database !== undefined && hashAt(database, recorded.seq) !== recorded.hash) {
      const problem = "the index recorded another event here: the session was rewritten from this event or earlier";
      this.#report(recorded.seq, problem);
    }
  }

  /** A file with a valid chain must not contain anything else. */
  #checkRest(database: DatabaseSync): void {
    const { seq } = this.last;
    const before = rowBeforeEvents(database);
    if (before !== undefined) this.#report(before, "it comes before event 1, the first of the session");
    const loose = firstLooseRow(database, seq);
    if (loose !== undefined) this.#report(loose, "its row names another previous event than its body");
    const named = sessionsNamed(database) ?? [this.#session.id];
    if (!isDeepStrictEqual(named, [this.#session.id]))
      this.#report(seq, `the file says that it is ${named.join(", ")}`);
    if (this.#isNewer) return;
    const names = nameCount(database) - this.#names;
    if (names !== 0) this.#report(seq, `${names} of the names lead to events without that name`);
    const artifacts = [...artifactIds(database)].filter((id) => !this.#keptArtifacts.has(id)).length;
    if (artifacts !== 0) this.#report(seq, `${artifacts} of the protected artifacts belong to no event`);
  }

  #checkArtifacts(): void {
    for (const [id, seq] of this.#artifacts) {
      this.#requireTime();
      const problem = artifactProblem(this.#parts.layout.artifacts, id);
      if (problem !== undefined) this.#report(seq, `artifact ${id} is ${problem}`);
    }
  }
}

function* chainProblems(stored: StoredEvent, event: Event, last: RecordedHead, session: SessionId): Generator<string> {
  const due = last.seq + 1;
  if (stored.seq !== due) {
    yield stored.seq === due + 1 ? `event ${due} is missing` : `events ${due} to ${stored.seq - 1} are missing`;
  } else if (event.prev !== last.hash) {
    yield "it does not continue the event before it: one of the two was replaced";
  }
  if (stored.hash !== chainHash(event.prev, stored.body)) yield "its bytes do not match its hash: it was modified";
  if (event.seq !== stored.seq) yield `its body says event ${event.seq}`;
  if (event.type !== stored.type) yield `its row says ${stored.type}, its body says ${event.type}`;
  if (event.session !== session) yield `it belongs to session ${event.session}`;
}

const subjects: Readonly<Record<EventName["role"], string>> = {
  intent: "the intent",
  invocation: "the invocation",
  request: "the request",
  job: "the job",
  job_end: "the end of the job",
  audit: "the observation",
  menu: "the menu",
  turn: "the turn",
  input: "the model's input",
};
