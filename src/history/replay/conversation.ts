import type {
  Archive,
  ReplayCall,
  ReplayEntry,
  ReplayOptions,
  ReplaySpan,
  SaidMessage,
} from "../../contract/app/archive.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventData, EventType } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";

type OpenCall = ReplaySpan & ReplayCall;

/** Messages and calls in the order in which they ended. Holds only the open calls of a session. */
export function* conversation(events: Iterable<Event>): Generator<ReplayEntry> {
  const open = new Map<string, OpenCall>();
  const byInvocation = new Map<string, string>();
  let last = 0;
  for (const event of events) {
    last = event.seq;
    if (event.type === "tool_intent.proposed") open.set(event.data.intentId, proposedCall(event, event.data));
    else if (event.type === "tool_invocation.started") byInvocation.set(event.data.invocationId, event.data.intentId);
    else if (event.type === "tool.observed") {
      const { intentId, invocationId = "", observation } = event.data;
      const call = open.get(intentId);
      open.delete(intentId);
      byInvocation.delete(invocationId);
      if (call !== undefined) yield { ...call, to: event.seq, ...endOf(observation) };
    } else if (isOfCall(event)) {
      const { data } = event;
      const call = open.get("intentId" in data ? data.intentId : (byInvocation.get(data.invocationId) ?? ""));
      if (call !== undefined) open.set(call.intentId, { ...call, ...learned(event, call) });
    } else {
      const entry = plainEntry(event);
      if (entry !== undefined) yield entry;
    }
  }
  for (const call of open.values()) yield { ...call, to: last };
}

function learned(event: EventOfCall, { proposed, changed }: ReplayCall): Partial<ReplayCall> {
  switch (event.type) {
    case "tool_intent.revised":
      return { input: event.data.input };
    case "permission.decided": {
      const { decision, source, reason } = event.data;
      return { decision: { decision, source, reason } };
    }
    case "permission.answered": {
      const { answer, by, message } = event.data;
      return { answered: { answer, by, message } };
    }
    case "transaction.captured": {
      const { created, modified, deleted } = event.data.counts;
      return { proposed: { created, modified, deleted } };
    }
    case "transaction.decided": {
      const { by, reason } = event.data;
      return proposed === undefined ? {} : { proposed: { ...proposed, by, reason } };
    }
    case "transaction.ended":
      return proposed === undefined ? {} : { proposed: { ...proposed, outcome: event.data.outcome } };
    case "file.changed":
      return { changed: [...changed, event.data.path] };
  }
}

function proposedCall(event: Event, { intentId, tool, input, origin }: EventData<"tool_intent.proposed">): OpenCall {
  const span = { ...spanOf(event), turnId: origin.turnId };
  const words = { status: "open", title: tool, summary: "Still running." } as const;
  return { ...span, kind: "call", intentId, tool, input, ...words, changed: [] };
}

function endOf({ ok, code, title, summary, auditId, status }: EventData<"tool.observed">["observation"]) {
  const end = ok ? "ok" : status === "denied" ? "denied" : "failed";
  return { status: end, code, title, summary, auditId } as const;
}

const ofCall = [
  "tool_intent.revised",
  "permission.decided",
  "permission.answered",
  "transaction.captured",
  "transaction.decided",
  "transaction.ended",
  "file.changed",
] as const satisfies readonly EventType[];

type EventOfCall = Extract<Event, { readonly type: (typeof ofCall)[number] }>;

function isOfCall(event: Event): event is EventOfCall {
  return ofCall.some((type) => type === event.type);
}

/** A new type of event does not compile until it is shown or named here. */
type NotShown = Extract<
  EventType,
  | `session.${"created" | "resumed" | "status_changed" | "cwd_changed" | "definition_changed"}`
  | `model.${"started" | "usage" | "finished"}`
  | `tool_intent.${"checked" | "refused"}`
  | `tool_invocation.${"queued" | "progressed" | "ended"}`
  | `permission.${"requested" | "rule_saved"}`
  | `file.${"read" | "change_planned" | "forgotten"}`
  | `artifact.${"read" | "stored"}`
  | `job.${"ended" | "started"}`
  | `server.${"changed" | "elicitation_answered" | "elicited" | "sampled" | "tool_changed"}`
  | "connection.made"
  | "hook.ran"
  | "skill.activated"
  | "context.projected"
  | "context.tools_loaded"
  | "undo.planned"
>;

type PlainEvent = Exclude<
  Event,
  EventOfCall | { readonly type: "tool_intent.proposed" | "tool_invocation.started" | "tool.observed" }
>;

function plainEntry(event: PlainEvent): ReplayEntry | undefined {
  const span = spanOf(event);
  const note = (about: string, text: string, bad?: true): ReplayEntry => ({ ...span, kind: "note", about, text, bad });
  switch (event.type) {
    case "user.message":
      return { ...span, ...said(event.data) };
    case "model.text":
      return { ...span, kind: "answer", text: event.data.text };
    case "model.reasoning":
      return { ...span, kind: "reasoning", text: event.data.text };
    case "verification.recorded":
      return { ...span, kind: "verification", verification: event.data };
    case "claim.checked":
      return { ...span, kind: "claim", claim: event.data };
    case "run.started":
      return note("run", `${event.data.model.provider}/${event.data.model.id} starts: ${event.data.goal}`);
    case "run.ended":
      return note("run", endText(event.data), event.data.stop === "done" ? undefined : true);
    case "context.compacted":
      return note("context", `events up to ${event.data.upTo} are replaced by a summary from here on`);
    case "provider.error":
      return note("model", `${event.data.kind}: ${event.data.message}`, true);
    case "provider.retry_scheduled":
      return note("model", `retry in ${Math.round(event.data.delayMs)} ms (attempt ${event.data.attempt})`);
    case "provider.fallback_selected":
      return note("model", `${event.data.to.provider}/${event.data.to.id} takes over: ${event.data.reason}`);
    case "user.interrupt":
      return note("interrupt", event.data.note ?? "interrupted by the user", true);
    case "session.mode_changed":
      return note("mode", `${event.data.from} → ${event.data.to}`);
    case "session.forked":
      return note("fork", `continues ${event.data.from} from event ${event.data.seq}`);
    case "undo.done":
      return note("undo", `${event.data.outcome}, ${event.data.extent}: ${event.data.calls.join(", ")}`);
    default:
      event.type satisfies NotShown;
      return undefined;
  }
}

function said({ by, text, piped }: EventData<"user.message">): SaidMessage {
  if (piped === undefined) return { kind: "message", by, text };
  const { text: _, ...facts } = piped;
  return { kind: "message", by, text, piped: facts };
}

function endText({ stop, turns, detail }: EventData<"run.ended">): string {
  return `${stop} after ${turns} ${turns === 1 ? "turn" : "turns"}${detail === undefined ? "" : `: ${detail}`}`;
}

function spanOf(event: Event): ReplaySpan {
  const turnId = "turnId" in event.data ? event.data.turnId : undefined;
  return { from: event.seq, to: event.seq, at: event.at, turnId };
}

type Reads = Pick<Archive, "events" | "modelInput" | "why">;

export function replayView(
  archive: Reads,
  session: SessionId,
  { view, turn }: ReplayOptions,
): Outcome<Iterable<Outcome<ReplayEntry>>> {
  const types = {
    conversation: undefined,
    input: ["context.projected"],
    audit: ["tool_intent.proposed", "tool.observed"],
  };
  const events = archive.events(session, { types: types[view] });
  if (!events.ok) return events;
  const views = {
    conversation: () => inConversation(events.value),
    input: () => inputs(archive, session, events.value),
    audit: () => audits(archive, session, events.value),
  };
  const entries: Iterable<Outcome<ReplayEntry>> = views[view]();
  return ok(turn === undefined ? entries : ofTurn(entries, turn));
}

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
      begun.set(event.data.intentId, { from: event.seq, turnId });
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
  if (!found) yield fail("bad_request", `This view has no entry of the turn ${JSON.stringify(turn)}.`);
}
