import { fail } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { SessionId } from "../contract/ids.ts";
import type { SessionState } from "../contract/state.ts";
import type { SessionLog } from "../contract/store.ts";
import { chainStart } from "./envelope.ts";
import { initialState, reduce } from "./reduce.ts";

/** A session as it would begin. It stores nothing, and because nothing can be stored, nothing can run in it. */
export function previewNew(id: SessionId, draft: Extract<EventDraft, { type: "session.created" }>): SessionLog {
  const state = initialState(id);
  reduce(state, { ...draft, seq: 0, id: "", session: id, at: "", v: 1, prev: chainStart, hash: chainStart });
  return previewOf(state);
}

/** The same of a session that exists: its file is not touched. */
export function previewOf(state: SessionState): SessionLog {
  const refuse = () => fail("log_unavailable", "This session is a preview: nothing is recorded, so nothing runs.");
  return {
    id: state.id,
    state,
    append: refuse,
    appendTogether: async () => refuse(),
    note: refuse,
    hasIntent: () => false,
    events: () => [],
    close() {},
  };
}
