import type { DatabaseSync, StatementSync } from "node:sqlite";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { Clock, IntentId, SessionId } from "../../contract/ids.ts";
import type { SessionState } from "../../contract/state.ts";
import type { EventRange, SessionLog } from "../../contract/store.ts";
import { isDuplicate, isOutsideFailure, logFailure } from "../log-failure.ts";
import { reduce } from "../reduce.ts";
import { type SealedEvent, type Sealing, sealDrafts } from "../seal-drafts.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { rollBack, transact } from "./database.ts";
import { type InsertEvent, prepareInsert } from "./event-row.ts";
import { leaseTermMs, releaseLease } from "./lease.ts";
import { readEvents } from "./session-reader.ts";
import type { SessionRecorder } from "./session-recorder.ts";

const checkpointEvery = 1_000;

export interface SessionLogParts {
  readonly database: DatabaseSync;
  readonly path: string;
  readonly state: SessionState;
  readonly token: number;
  readonly clock: Clock;
  readonly sealing: Sealing;
  readonly recorder: SessionRecorder;
  readonly onClosed: (log: SessionLog) => void;
}

/** The only writer of a session file. Owns its connection, its lease and the folded state. */
export class SqliteSessionLog implements SessionLog {
  readonly id: SessionId;
  readonly state: SessionState;
  readonly #parts: SessionLogParts;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #renew: StatementSync;
  readonly #intent: StatementSync;
  readonly #insert: InsertEvent;
  readonly #heartbeat: NodeJS.Timeout;
  #renewAt: number;
  #checkpointed: number;
  #open = true;

  constructor(parts: SessionLogParts) {
    const { database, state, clock } = parts;
    this.id = state.id;
    this.state = state;
    this.#parts = parts;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#renew = database.prepare("UPDATE lease SET expires = ? WHERE token = ?");
    this.#intent = database.prepare("SELECT seq FROM names WHERE role = 'intent' AND name = ?");
    this.#insert = prepareInsert(database, parts.token);
    this.#renewAt = clock.now() + leaseTermMs / 3;
    this.#checkpointed = state.seq;
    this.#heartbeat = setInterval(() => this.#keepLease(), leaseTermMs / 3).unref();
  }

  append(drafts: readonly EventDraft[]): Outcome<readonly Event[]> {
    if (drafts.length === 0 && this.#open) return ok([]);
    if (!this.#open) return fail("log_unavailable", `The log of session ${this.id} is closed.`);
    const { clock, sealing, recorder } = this.#parts;
    const now = clock.now();
    const sealed = sealDrafts(drafts, this.state, new Date(now).toISOString(), sealing);
    if (!sealed.ok) return sealed;
    const stored = this.#store(sealed.value, now);
    if (!stored.ok) return stored;
    const events = sealed.value.map(({ event }) => event);
    for (const event of events) reduce(this.state, event);
    if (this.state.seq - this.#checkpointed >= checkpointEvery) this.#writeCheckpoint();
    recorder.progressed(this.state, now);
    return ok(events);
  }

  hasIntent(id: IntentId): boolean {
    return this.#intent.get(this.#parts.sealing.redactor.redactText(id)) !== undefined;
  }

  *events(range?: EventRange): Generator<Event> {
    const { database, path, sealing } = this.#parts;
    yield* readEvents(database, { path, upcaster: sealing.upcaster }, range);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#heartbeat);
    const { database, recorder, onClosed, token } = this.#parts;
    let held = false;
    quietly(() => {
      held = transact(database, () => {
        // If another process has the lease, the file and the index belong to it.
        if (!releaseLease(database, token)) return false;
        if (this.state.seq !== this.#checkpointed) this.#writeCheckpoint();
        return true;
      });
    });
    quietly(() => database.close());
    if (held) recorder.closed(this.state);
    onClosed(this);
  }

  /** One transaction with the check of the lease inside, so that no process can take it before the commit. */
  #store(sealed: readonly SealedEvent[], now: number): Outcome<void> {
    const { database, path } = this.#parts;
    try {
      this.#begin.run();
      for (const { stored, event } of sealed) {
        if (this.#insert(stored, event)) continue;
        rollBack(database);
        return fail("log_unavailable", `Another process has taken over session ${this.id}; nothing was stored.`, {
          recovery: "Open the session again to continue.",
        });
      }
      if (now >= this.#renewAt) this.#renewLease(now);
      this.#commit.run();
      return ok(undefined);
    } catch (error) {
      quietly(() => rollBack(database));
      if (isDuplicate(error)) return fail("bad_request", `An intent id was used before in session ${this.id}.`);
      return logFailure(error, "append to the log", path);
    }
  }

  #renewLease(now: number): boolean {
    this.#renewAt = now + leaseTermMs / 3;
    return this.#renew.run(now + leaseTermMs, this.#parts.token).changes === 1;
  }

  #keepLease(): void {
    const now = this.#parts.clock.now();
    let held = false;
    quietly(() => {
      held = this.#renewLease(now);
    });
    if (held) this.#parts.recorder.idle(this.state, now);
  }

  #writeCheckpoint(): void {
    this.#checkpointed = this.state.seq;
    quietly(() => writeCheckpoint(this.#parts.database, this.state, this.#parts.sealing.upcaster));
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
  }
}
