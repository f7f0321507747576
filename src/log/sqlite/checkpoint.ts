import type { DatabaseSync } from "node:sqlite";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionState } from "../../contract/state.ts";
import { chainHash, openEvent } from "../envelope.ts";
import { DamagedRow } from "../log-failure.ts";
import { initialState, reduce } from "../reduce.ts";
import { decodeState, encodeState } from "../state-codec.ts";
import type { Upcaster } from "../upcast.ts";
import { hashAt, storedEvents } from "./session-rows.ts";

/** The state at one event, so that opening a session reads only what came after. Never a truth of its own. */
export function writeCheckpoint(database: DatabaseSync, state: SessionState, upcaster: Upcaster): void {
  database
    .prepare("INSERT OR REPLACE INTO checkpoint (one, seq, hash, state) VALUES (1, ?, ?, ?)")
    .run(state.seq, state.head, encodeState(state, upcaster));
}

/** `undefined` when there is none, or when it is not about the event that stands at its place. */
export function readCheckpoint(database: DatabaseSync, upcaster: Upcaster): SessionState | undefined {
  const row = database.prepare("SELECT seq, hash, state FROM checkpoint").get();
  if (row === undefined || hashAt(database, Number(row.seq)) !== row.hash) return undefined;
  const state = decodeState(String(row.state), upcaster);
  return state?.seq === row.seq && state?.head === row.hash ? state : undefined;
}

/** Checkpoint and tail. */
export function currentState(database: DatabaseSync, id: string, upcaster: Upcaster): Outcome<SessionState> {
  return foldOnto(readCheckpoint(database, upcaster) ?? initialState(id), database, upcaster);
}

/** Folds everything that came after `state`. The chain is checked on the way: nobody continues a broken one. */
export function foldOnto(
  state: SessionState,
  database: DatabaseSync,
  upcaster: Upcaster,
  visit: (event: Event) => void = () => {},
): Outcome<SessionState> {
  for (const stored of storedEvents(database, { from: state.seq + 1 })) {
    const sound = stored.seq === state.seq + 1 && stored.hash === chainHash(state.head, stored.body);
    if (!sound) return brokenAt(state.id, stored.seq);
    const event = openEvent(stored, upcaster);
    if (event.prev !== state.head || event.session !== state.id) return brokenAt(state.id, stored.seq);
    try {
      reduce(state, event);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new DamagedRow(`event ${stored.seq} has not the data of ${stored.type}`);
    }
    visit(event);
  }
  return ok(state);
}

function brokenAt(id: string, seq: number): Outcome<SessionState> {
  return fail("log_unavailable", `Event ${seq} of session ${id} does not continue the chain before it.`, {
    recovery: `Run \`gauntlet audit verify ${id}\`; \`gauntlet sessions export ${id}\` still gives its rows.`,
  });
}
