import process from "node:process";
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
import { lastName } from "./session-rows.ts";

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

interface Together {
  readonly drafts: readonly EventDraft[];
  readonly resolve: (stored: Outcome<readonly Event[]>) => void;
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
  /** Chained and folded, but not stored yet. */
  #noted: SealedEvent[] = [];
  readonly #notedIntents = new Set<string>();
  /** The highest recorded intent id: a higher one is new. */
  #lastIntent: string;
  #storing: NodeJS.Immediate | undefined;
  readonly #together: Together[] = [];

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
    this.#lastIntent = state.counts.intents === 0 ? "" : lastName(database, "intent");
    this.#renewAt = clock.now() + leaseTermMs / 3;
    this.#checkpointed = state.seq;
    this.#heartbeat = setInterval(() => this.#keepLease(), leaseTermMs / 3).unref();
  }

  append(drafts: readonly EventDraft[]): Outcome<readonly Event[]> {
    if (drafts.length === 0 && this.#open) return ok([]);
    const now = this.#parts.clock.now();
    const sealed = this.#seal(drafts, now);
    if (!sealed.ok) return sealed;
    const stored = this.#store(sealed.value, now);
    if (!stored.ok) return stored;
    const events = this.#fold(sealed.value);
    this.#progressed(now);
    return ok(events);
  }

  appendTogether(drafts: readonly EventDraft[]): Promise<Outcome<readonly Event[]>> {
    return new Promise((resolve) => {
      // By then, all callers of this turn of the event loop have joined.
      if (this.#together.length === 0) process.nextTick(() => this.#appendAll(this.#together.splice(0)));
      this.#together.push({ drafts, resolve });
    });
  }

  note(drafts: readonly EventDraft[]): Outcome<readonly Event[]> {
    const sealed = this.#seal(drafts, this.#parts.clock.now());
    if (!sealed.ok) return sealed;
    const intents = sealed.value.flatMap(({ event }) =>
      event.type === "tool_intent.proposed" ? [event.data.intentId] : [],
    );
    const used = intents.find((id, index) => this.hasIntent(id) || intents.indexOf(id) !== index);
    if (used !== undefined) {
      return fail("bad_request", `The intent id ${used} was already used in this session.`, {
        recovery: "Give every intent an id of its own, or none.",
      });
    }
    this.#noted.push(...sealed.value);
    for (const id of intents) this.#notedIntents.add(id);
    this.#storing ??= setImmediate(() => void this.#storeNoted());
    return ok(this.#fold(sealed.value));
  }

  hasIntent(id: IntentId): boolean {
    const name = this.#parts.sealing.redactor.redactText(id);
    if (name > this.#lastIntent) return false;
    return this.#notedIntents.has(name) || this.#intent.get(name) !== undefined;
  }

  *events(range?: EventRange): Generator<Event> {
    this.#storeNoted();
    const { database, path, sealing } = this.#parts;
    yield* readEvents(database, { path, upcaster: sealing.upcaster }, range);
  }

  close(): void {
    if (!this.#open) return;
    this.#appendAll(this.#together.splice(0));
    const whole = this.#storeNoted();
    this.#open = false;
    clearInterval(this.#heartbeat);
    const { database, recorder, onClosed } = this.#parts;
    const last = whole && this.#leave();
    quietly(() => database.close());
    if (last) recorder.closed(this.state);
    onClosed(this);
  }

  /** `false` where another process has taken the lease: the file and the index are its own now. */
  #leave(): boolean {
    const { database, token } = this.#parts;
    let held = false;
    quietly(() => {
      held = transact(database, () => {
        if (!releaseLease(database, token)) return false;
        if (this.state.seq !== this.#checkpointed) this.#writeCheckpoint();
        return true;
      });
    });
    return held;
  }

  #seal(drafts: readonly EventDraft[], now: number): Outcome<readonly SealedEvent[]> {
    if (!this.#open) return fail("log_unavailable", `The log of session ${this.id} is closed.`);
    return sealDrafts(drafts, this.state, new Date(now).toISOString(), this.#parts.sealing);
  }

  #fold(sealed: readonly SealedEvent[]): readonly Event[] {
    const events = sealed.map(({ event }) => event);
    for (const event of events) {
      reduce(this.state, event);
      if (event.type !== "tool_intent.proposed") continue;
      const { intentId } = event.data;
      if (intentId > this.#lastIntent) this.#lastIntent = intentId;
    }
    return events;
  }

  #progressed(now: number): void {
    if (this.state.seq - this.#checkpointed >= checkpointEvery) this.#writeCheckpoint();
    this.#parts.recorder.progressed(this.state, now);
  }

  /** When storing all fails, each is stored by itself, so that one does not keep the others out. */
  #appendAll(together: readonly Together[]): void {
    const all = together.length > 1 ? this.append(together.flatMap(({ drafts }) => drafts)) : undefined;
    let from = 0;
    for (const { drafts, resolve } of together) {
      resolve(all?.ok === true ? ok(all.value.slice(from, from + drafts.length)) : this.append(drafts));
      from += drafts.length;
    }
  }

  /** `false` when they are still not stored: the state is ahead of the file then, and must not be recorded. */
  #storeNoted(): boolean {
    if (this.#noted.length === 0) return true;
    const now = this.#parts.clock.now();
    if (!this.#open || !this.#store([], now).ok) return false;
    this.#progressed(now);
    return true;
  }

  /** One transaction with the check of the lease inside, so that nobody can take it before the commit. */
  #store(sealed: readonly SealedEvent[], now: number): Outcome<void> {
    const { database, path } = this.#parts;
    clearImmediate(this.#storing);
    this.#storing = undefined;
    try {
      this.#begin.run();
      for (const { stored, event } of [...this.#noted, ...sealed]) {
        if (this.#insert(stored, event)) continue;
        rollBack(database);
        return fail("log_unavailable", `Another process has taken over session ${this.id}; nothing was stored.`, {
          recovery: "Open the session again to continue.",
        });
      }
      if (now >= this.#renewAt) this.#renewLease(now);
      this.#commit.run();
      this.#noted = [];
      this.#notedIntents.clear();
      return ok(undefined);
    } catch (error) {
      quietly(() => rollBack(database));
      if (isDuplicate(error)) return fail("bad_request", `An intent id was used before in session ${this.id}.`);
      return logFailure(error, "append to the log", path);
    }
  }

  /** `false` where another process has taken it. */
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
    if (held && this.#storeNoted()) this.#parts.recorder.idle(this.state, now);
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
