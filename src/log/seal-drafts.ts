import type { ArtifactStore } from "../contract/artifact.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { Event, EventDraft } from "../contract/events/index.ts";
import type { Ids, SessionId } from "../contract/ids.ts";
import { abridge } from "./abridge.ts";
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
    const data = unlessTooDeep(() => redactedData(draft, sealing));
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

/** The data as JSON. The input of an intent that is not stored as it was given is kept as an artifact. */
function redactedData(draft: EventDraft, sealing: Sealing): Outcome<string> {
  if (draft.type !== "tool_intent.proposed" && draft.type !== "tool_intent.revised") {
    return ok(redacted(draft.data, sealing).text);
  }
  const { input } = draft.data;
  const { data, text } = redacted({ ...draft.data, input: abridge(input) }, sealing);
  if (data.input === input) return ok(text);
  const original = sealing.artifacts.put("tool_input", JSON.stringify(input));
  return original.ok ? ok(encodeData({ ...data, original: original.value.id })) : original;
}

/** Most events hold no secret, and a look at their text is enough to know that. */
function redacted<Data>(data: Data, { redactor }: Sealing): { readonly data: Data; readonly text: string } {
  const text = encodeData(data);
  if (!redactor.suspects(text)) return { data, text };
  const { value, changed } = redactor.redactValue(data);
  return changed ? { data: value, text: encodeData(value) } : { data, text };
}

function unlessTooDeep<Value>(work: () => Outcome<Value>): Outcome<Value> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail("bad_request", "The data is nested too deeply to be recorded.");
  }
}
