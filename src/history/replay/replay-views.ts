import type { Archive, ReplayEntry, ReplayOptions } from "../../contract/app/archive.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import { conversation } from "./conversation.ts";

type Reads = Pick<Archive, "events" | "modelInput" | "why">;

/** A session step by step, read while it is walked through. Calls nothing and touches nothing. */
export function replayView(
  archive: Reads,
  session: SessionId,
  { view, turn }: ReplayOptions,
): Outcome<Iterable<Outcome<ReplayEntry>>> {
  const events = archive.events(session, view === "conversation" ? {} : { types: typesOf[view] });
  if (!events.ok) return events;
  const entries =
    view === "conversation"
      ? inConversation(events.value)
      : view === "input"
        ? inputs(archive, session, events.value)
        : audits(archive, session, events.value);
  return ok(turn === undefined ? entries : ofTurn(entries, turn));
}

const typesOf = { input: ["context.projected"], audit: ["tool_intent.proposed", "tool.observed"] } as const;

type Events = Extract<ReturnType<Reads["events"]>, { readonly ok: true }>["value"];

function* inConversation(events: Events): Generator<Outcome<ReplayEntry>> {
  for (const entry of conversation(events)) yield ok(entry);
}

function* inputs(archive: Reads, session: SessionId, events: Events): Generator<Outcome<ReplayEntry>> {
  for (const { type, data, seq, at } of events) {
    if (type !== "context.projected" || data.modelInput === undefined || data.turnId === undefined) continue;
    const text = archive.modelInput(session, data.turnId);
    const span = { from: seq, to: seq, at, turnId: data.turnId };
    yield text.ok ? ok({ ...span, kind: "input", text: text.value, bytes: data.modelInput.total }) : text;
  }
}

function* audits(archive: Reads, session: SessionId, events: Events): Generator<Outcome<ReplayEntry>> {
  const begun = new Map<string, { readonly from: number; readonly turnId?: string }>();
  for (const event of events) {
    if (event.type === "tool_intent.proposed") {
      const { turnId } = event.data.origin;
      begun.set(event.data.intentId, { from: event.seq, ...(turnId === undefined ? {} : { turnId }) });
    }
    if (event.type !== "tool.observed") continue;
    const { intentId } = event.data;
    const span = { from: event.seq, ...begun.get(intentId), to: event.seq, at: event.at };
    begun.delete(intentId);
    const answer = archive.why(`${session}/${intentId}`);
    yield answer.ok ? ok({ ...span, kind: "audit", answer: answer.value }) : answer;
  }
}

function* ofTurn(entries: Iterable<Outcome<ReplayEntry>>, turn: string): Generator<Outcome<ReplayEntry>> {
  let found = false;
  for (const entry of entries) {
    if (entry.ok && entry.value.turnId !== turn) continue;
    found = true;
    yield entry;
  }
  if (!found) yield fail("bad_request", `Nothing of this view belongs to the turn ${JSON.stringify(turn)}.`);
}
