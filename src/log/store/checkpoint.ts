import type { DatabaseSync } from "node:sqlite";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionState } from "../../contract/state.ts";
import { chainHash, openEvent } from "../envelope.ts";
import { DamagedRow } from "../log-failure.ts";
import { initialState, reduce, reducerVersion } from "../reduce.ts";
import type { Upcaster } from "../upcast.ts";
import { hashAt, storedEvents } from "./session-rows.ts";

/** The cached state at one event, so that opening a session reads only later events. */
export function writeCheckpoint(database: DatabaseSync, state: SessionState, upcaster: Upcaster): void {
  database
    .prepare("INSERT OR REPLACE INTO checkpoint (one, seq, hash, state) VALUES (1, ?, ?, ?)")
    .run(state.seq, state.head, encodeState(state, upcaster));
}

/** `undefined` if there is none, or if it does not match the event at its position. */
export function readCheckpoint(database: DatabaseSync, upcaster: Upcaster): SessionState | undefined {
  const row = database.prepare("SELECT seq, hash, state FROM checkpoint").get();
  if (row === undefined || hashAt(database, Number(row.seq)) !== row.hash) return undefined;
  const state = decodeState(String(row.state), upcaster);
  return state?.seq === row.seq && state?.head === row.hash ? state : undefined;
}

export function currentState(database: DatabaseSync, id: string, upcaster: Upcaster): Outcome<SessionState> {
  return foldOnto(readCheckpoint(database, upcaster) ?? initialState(id), database, upcaster);
}

/** Folds everything after `state`, and checks the chain: a broken one is never continued. */
export function foldOnto(
  state: SessionState,
  database: DatabaseSync,
  upcaster: Upcaster,
  visit: (event: Event) => void = () => {},
): Outcome<SessionState> {
  for (const stored of storedEvents(database, { from: state.seq + 1 })) {
    const sound = stored.seq === state.seq + 1 && stored.hash === chainHash(state.head, stored.body);
    const event = sound ? openEvent(stored, upcaster) : undefined;
    if (event?.prev !== state.head || event.session !== state.id) return brokenChain(stored.seq, state.id);
    try {
      reduce(state, event);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new DamagedRow(`event ${stored.seq} has invalid data for ${stored.type}`);
    }
    visit(event);
  }
  return ok(state);
}

export function brokenChain(seq: number, session: SessionId): Outcome<never> {
  return fail("log_unavailable", `Event ${seq} of session ${session} does not continue the chain before it.`, {
    recovery: `Run \`gauntlet audit verify ${session}\`; \`gauntlet sessions export ${session}\` still exports its rows.`,
  });
}

export function encodeState(state: SessionState, upcaster: Upcaster): string {
  const members = Object.entries(state).map(([key, value]) => [key, value instanceof Map ? [...value] : value]);
  return JSON.stringify({ foldedBy: foldedBy(upcaster), state: Object.fromEntries(members) }, storable);
}

/** What would be read back as something else is a bug. */
function storable(key: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set)
    throw new TypeError(`A checkpoint cannot hold ${key}: only a member of the state may be a Map.`);
  return value;
}

/** `undefined` if another version wrote it, or if it is unreadable. */
export function decodeState(text: string, upcaster: Upcaster): SessionState | undefined {
  const read = parseJson(text);
  if (!isRecord(read) || read.foldedBy !== foldedBy(upcaster) || !isRecord(read.state)) return undefined;
  const { state } = read;
  const members = Object.entries(initialState(""));
  if (!members.every(([key, fresh]) => isLike(fresh, state[key]))) return undefined;
  const maps = members.filter(([, fresh]) => fresh instanceof Map);
  const decoded = maps.map(([key]) => [key, new Map(state[key] as [unknown, unknown][])]);
  return { ...state, ...Object.fromEntries(decoded) } as unknown as SessionState;
}

function foldedBy(upcaster: Upcaster): string {
  return `reducer@${reducerVersion} ${upcaster.signature}`;
}

function isLike(fresh: unknown, value: unknown): boolean {
  if (fresh instanceof Map) return Array.isArray(value) && value.every(Array.isArray);
  if (Array.isArray(fresh)) return Array.isArray(value);
  if (fresh === null) return value !== undefined;
  return value !== null && typeof value === typeof fresh;
}
