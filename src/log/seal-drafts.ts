import { canonicalCopy, sha256 } from "../base/digest.ts";
import type { ArtifactStore } from "../contract/artifact.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { Event, EventDraft } from "../contract/events/index.ts";
import type { Ids, SessionId } from "../contract/ids.ts";
import { isTooLong, type StoredEvent, sealEvent } from "./envelope.ts";
import type { Redactor } from "./redact/redact.ts";
import type { Upcaster } from "./upcast.ts";

export interface Sealing {
  readonly session: SessionId;
  readonly ids: Ids;
  readonly redactor: Redactor;
  readonly artifacts: ArtifactStore;
  readonly upcaster: Upcaster;
}

export interface SealedEvent {
  readonly stored: StoredEvent;
  /** The event as it will be read back. */
  readonly event: Event;
}

/** Redacts, then chains. Stores nothing but original inputs that had to be redacted or abridged. */
export function sealDrafts(
  drafts: readonly EventDraft[],
  after: { readonly seq: number; readonly head: string },
  at: string,
  sealing: Sealing,
): Outcome<readonly SealedEvent[]> {
  const sealed: SealedEvent[] = [];
  let { seq, head: prev } = after;
  for (const draft of drafts) {
    const payload = unlessTooDeep(() => redactedPayload(draft, sealing));
    if (!payload.ok) return payload;
    const { data, text } = payload.value;
    seq += 1;
    const facts = {
      seq,
      id: draft.id ?? sealing.ids.next("evt"),
      session: sealing.session,
      at,
      v: sealing.upcaster.version(draft.type),
      prev,
    };
    const stored = sealEvent(draft.type, text, facts);
    if (isTooLong(stored.body)) return fail("bad_request", `The data of ${draft.type} is too long to be recorded.`);
    prev = stored.hash;
    sealed.push({ stored, event: { ...facts, type: draft.type, data, hash: stored.hash } as Event });
  }
  return ok(sealed);
}

interface Payload<Data> {
  readonly data: Data;
  readonly text: string;
}

function redactedPayload(draft: EventDraft, sealing: Sealing): Outcome<Payload<EventDraft["data"]>> {
  if (draft.type !== "tool_intent.proposed" && draft.type !== "tool_intent.revised") {
    return ok(redacted(payloadOf(draft.data), sealing));
  }
  const { input } = draft.data;
  const abridged = abridge(input);
  const plain = payloadOf({ ...draft.data, input: abridged });
  const payload = redacted(plain, sealing);
  if (abridged === input && payload.data.input === plain.data.input) return ok(payload);
  const original = sealing.artifacts.put("tool_input", JSON.stringify(input));
  return original.ok ? ok(payloadOf({ ...payload.data, original: original.value.id })) : original;
}

/** Most events contain no secret; a quick search of their text shows that. */
function redacted<Data>(plain: Payload<Data>, { redactor }: Sealing): Payload<Data> {
  if (!redactor.suspects(plain.text)) return plain;
  const { value, changed } = redactor.redactValue(plain.data);
  return changed ? payloadOf(value) : plain;
}

function payloadOf<Data>(given: Data): Payload<Data> {
  const data = canonicalCopy(given);
  return { data: data as Data, text: JSON.stringify(data) };
}

function unlessTooDeep<Value>(work: () => Outcome<Value>): Outcome<Value> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail("bad_request", "The data is nested too deeply to be recorded.");
  }
}

const longestText = 8 * 1024;
const kept = 200;

function abridge(value: unknown): unknown {
  if (typeof value === "string") return value.length > longestText ? abridgeText(value) : value;
  if (Array.isArray(value)) return changedOr(value, value.map(abridge));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, abridge(inner)]);
  const same = entries.every(([key, inner]) => Reflect.get(value, key) === inner);
  return same ? value : Object.fromEntries(entries);
}

function abridgeText(text: string): string {
  return `${text.slice(0, kept).toWellFormed()}… [abridged: ${text.length} characters, sha256 ${sha256(text)}]`;
}

function changedOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}
