import type { ProjectedMessage, Replay } from "../../contract/app/archive.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { Observation } from "../../contract/observation.ts";
import { initialState } from "../reduce.ts";
import { foldOnto } from "../sqlite/checkpoint.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { withSession } from "../sqlite/session-reader.ts";
import { projectMessage } from "./project-message.ts";

/**
 * Rebuilds state, messages and observations from the events alone. Calls nothing and validates no input, so
 * that sessions of tools that have changed or gone replay as they were.
 */
export function replaySession(parts: Pick<StoreParts, "layout" | "upcaster">, id: SessionId): Outcome<Replay> {
  return withSession(parts.layout, id, "replay the session", ({ database }) => {
    const messages: ProjectedMessage[] = [];
    const observations: Observation[] = [];
    if (database === undefined) return ok({ state: initialState(id), messages, observations, events: 0 });
    const state = foldOnto(initialState(id), database, parts.upcaster, (event) => {
      const message = projectMessage(event);
      if (message !== undefined) messages.push(message);
      if (event.type === "tool.observed") observations.push(event.data.observation);
    });
    return state.ok ? ok({ state: state.value, messages, observations, events: state.value.seq }) : state;
  });
}
