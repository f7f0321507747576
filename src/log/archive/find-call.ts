import type { DatabaseSync } from "node:sqlite";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event } from "../../contract/events/index.ts";
import type { IntentId, SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { openEvent } from "../envelope.ts";
import { listSessions } from "../store/list-sessions.ts";
import type { StoreParts } from "../store/open-session.ts";
import { withSession } from "../store/session-reader.ts";
import { eventNamed, seqOf, storedEvents } from "../store/session-rows.ts";
import { isImported } from "../store/session-schema.ts";
import type { Upcaster } from "../upcast.ts";

interface Holder {
  readonly session: SessionId;
  readonly imported: boolean;
}

export interface RecordedCall {
  readonly session: SessionId;
  readonly imported: boolean;
  readonly alsoIn: readonly Holder[];
  readonly intentId: IntentId;
  readonly events: readonly Event[];
}

/** By `session/intent`, or by audit, invocation, request, job or intent id in any session. */
export function findCall(parts: StoreParts, reference: string): Outcome<RecordedCall> {
  const name = parts.redactor.redactText(reference);
  const slash = name.indexOf("/");
  if (slash > 0) return callIn(parts, name.slice(0, slash), name.slice(slash + 1));
  let unsearched: Failure | undefined;
  const holders: (Holder & { readonly intentId: IntentId })[] = [];
  for (const { id: session, imported } of listSessions(parts).toSorted(byOrigin)) {
    const found = withSession(parts.layout, session, `look for ${JSON.stringify(reference)}`, ({ database }) =>
      ok(database === undefined ? undefined : intentNamed(database, name, parts.upcaster)),
    );
    if (found.ok && found.value !== undefined) holders.push({ session, imported, intentId: found.value });
    if (!found.ok) unsearched ??= found.failure;
  }
  const [first, ...others] = holders;
  const alsoIn = others.map(({ session, imported }) => ({ session, imported }));
  if (first !== undefined) return callIn(parts, first.session, first.intentId, alsoIn);
  return unsearched === undefined ? unknownCall(reference) : { ok: false, failure: unsearched };
}

/**
 * Imported sessions come last, because their names and times are claims. Then the oldest first: a fork repeats events.
 */
function byOrigin(a: SessionSummary, b: SessionSummary): number {
  if (a.imported !== b.imported) return a.imported ? 1 : -1;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function callIn(
  parts: StoreParts,
  session: SessionId,
  intentId: IntentId,
  alsoIn: readonly Holder[] = [],
): Outcome<RecordedCall> {
  return withSession(parts.layout, session, "read the call", ({ database }) => {
    const intent = { role: "intent", name: intentId } as const;
    const proposed = database === undefined ? undefined : eventNamed(database, intent, parts.upcaster);
    if (database === undefined || proposed === undefined) return unknownCall(`${session}/${intentId}`);
    const call = callEvents(database, { intentId, from: proposed.seq }, parts.upcaster);
    const events = [...shownBefore(database, call, parts.upcaster), ...call];
    return ok({ session, imported: isImported(database), alsoIn, intentId, events });
  });
}

/** Other ids are chosen by programs and may repeat in every session. */
const ownIntentId = /^int_[0-9a-f]{32}$/;

function intentNamed(database: DatabaseSync, name: string, upcaster: Upcaster): IntentId | undefined {
  if (ownIntentId.test(name)) return seqOf(database, { role: "intent", name }) === undefined ? undefined : name;
  for (const role of ["audit", "invocation", "request", "job"] as const) {
    const event = eventNamed(database, { role, name }, upcaster);
    if (event === undefined) continue;
    if ("intentId" in event.data && event.data.intentId !== undefined) return event.data.intentId;
    if (event.type !== "job.started") continue;
    const started = eventNamed(database, { role: "invocation", name: event.data.invocationId }, upcaster);
    return started?.type === "tool_invocation.started" ? started.data.intentId : undefined;
  }
  return undefined;
}

/** From the proposal to the observation, or to the end of the background job that the call started. */
function callEvents(
  database: DatabaseSync,
  call: { readonly intentId: IntentId; readonly from: number },
  upcaster: Upcaster,
): readonly Event[] {
  const names = new Set<string>([call.intentId]);
  const running = new Set<string>();
  const events: Event[] = [];
  let observed = false;
  for (const stored of storedEvents(database, { from: call.from })) {
    const event = openEvent(stored, upcaster);
    if (!speaksOf(event, names)) continue;
    events.push(event);
    if (event.type === "tool_invocation.started") names.add(event.data.invocationId);
    if (event.type === "job.started") names.add(event.data.jobId);
    if (event.type === "job.started") running.add(event.data.jobId);
    if (event.type === "job.ended") running.delete(event.data.jobId);
    observed ||= event.type === "tool.observed";
    if (observed && running.size === 0) break;
  }
  return events;
}

function speaksOf({ data }: Event, names: ReadonlySet<string>): boolean {
  if ("intentId" in data && data.intentId !== undefined) return names.has(data.intentId);
  if ("invocationId" in data && data.invocationId !== undefined) return names.has(data.invocationId);
  return "jobId" in data && names.has(data.jobId);
}

function shownBefore(database: DatabaseSync, call: readonly Event[], upcaster: Upcaster): readonly Event[] {
  const proposed = call[0];
  if (proposed?.type !== "tool_intent.proposed") return [];
  const { turnId } = proposed.data.origin;
  const ofTurn = turnId === undefined ? undefined : eventNamed(database, { role: "turn", name: turnId }, upcaster);
  const ofMenu = eventNamed(database, { role: "menu", name: proposed.data.menuHash }, upcaster);
  const projected = ofMenu?.seq === ofTurn?.seq ? [ofMenu] : [ofMenu, ofTurn];
  return projected.filter((event) => event !== undefined);
}

function unknownCall(reference: string): Outcome<never> {
  return fail("bad_request", `No call has the id ${JSON.stringify(reference)}.`, {
    recovery: "Pass the evt_… id printed after `audit`, an id of the call (inv_… or int_…), or `session/intent`.",
  });
}
