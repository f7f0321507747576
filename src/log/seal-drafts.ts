import type { ArtifactStore } from "../contract/artifact.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { Event, EventDraft } from "../contract/events/index.ts";
import type { Ids, SessionId } from "../contract/ids.ts";
import { encodeData, openEvent, type StoredEvent, sealEvent } from "./envelope.ts";
import type { Redactor } from "./redact.ts";
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
  /** Read back from the stored bytes, so that nobody can know more than the log does. */
  readonly event: Event;
}

/** Redacts, then chains. Nothing of the session is stored yet, except originals that had to be redacted. */
export function sealDrafts(
  drafts: readonly EventDraft[],
  after: { readonly seq: number; readonly head: string },
  at: string,
  sealing: Sealing,
): Outcome<readonly SealedEvent[]> {
  const sealed: SealedEvent[] = [];
  let { seq, head: prev } = after;
  for (const draft of drafts) {
    const data = redactedData(draft, sealing);
    if (!data.ok) return data;
    seq += 1;
    const facts = {
      seq,
      id: draft.id ?? sealing.ids.next("evt"),
      session: sealing.session,
      at,
      v: sealing.upcaster.version(draft.type),
      prev,
    };
    const stored = sealEvent(draft.type, data.value, facts);
    prev = stored.hash;
    sealed.push({ stored, event: openEvent(stored, sealing.upcaster) });
  }
  return ok(sealed);
}

/** The data as JSON. Most events hold no secret, and a look at their text is enough to know that. */
function redactedData(draft: EventDraft, sealing: Sealing): Outcome<string> {
  const plain = encode(draft.data);
  if (!plain.ok || !sealing.redactor.suspects(plain.value)) return plain;
  const { value, changed } = sealing.redactor.redactValue(draft.data);
  if (!changed) return plain;
  if (draft.type !== "tool_intent.proposed" || !("input" in value) || value.input === draft.data.input) {
    return encode(value);
  }
  const original = sealing.artifacts.put("tool_input", JSON.stringify(draft.data.input));
  return original.ok ? encode({ ...value, original: original.value.id }) : original;
}

function encode(data: unknown): Outcome<string> {
  try {
    return ok(encodeData(data));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail("bad_request", "The data is nested too deeply to be recorded.");
  }
}
