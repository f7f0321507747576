import type { Archive, ProjectedMessage, Replay } from "../../contract/app/archive.ts";
import type { ArtifactKind, ArtifactRef } from "../../contract/artifact.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventData } from "../../contract/events/index.ts";
import type { ArtifactId, SessionId } from "../../contract/ids.ts";
import type { Observation } from "../../contract/observation.ts";
import type { EventRange, SessionReader } from "../../contract/store.ts";
import type { EventName } from "../event-names.ts";
import { initialState } from "../reduce.ts";
import { foldOnto } from "../store/checkpoint.ts";
import { listSessions, surveySession } from "../store/list-sessions.ts";
import type { StoreParts } from "../store/open-session.ts";
import { createReader, openReadable, withSession } from "../store/session-reader.ts";
import { eventNamed } from "../store/session-rows.ts";
import { explainCall } from "./audit-questions.ts";
import { findCall } from "./find-call.ts";
import { forkSession } from "./fork-session.ts";
import { importSession } from "./import-session.ts";
import { pruneStore } from "./prune-store.ts";
import { exportSession } from "./transfer-format.ts";
import { verifySessions } from "./verify-sessions.ts";

export function createArchive(parts: StoreParts): Archive {
  /** The index learns the head at once, so that a tail that is cut off later shows. */
  const recorded = <Made>(made: Outcome<Made>, idOf: (made: Made) => SessionId): Outcome<Made> => {
    if (made.ok) surveySession(parts, idOf(made.value), { firsthand: true });
    return made;
  };
  return {
    list: () => listSessions(parts),
    events: (id, range) => {
      // Everything is read once before the first event is returned: a damaged file is a failure, not half an answer.
      const sound = withSession(parts.layout, id, "read the events", (session) => {
        for (const _event of createReader(session, parts.upcaster).events(range));
        return ok(undefined);
      });
      if (!sound.ok) return sound;
      const session = openReadable(parts.layout, id);
      return session.ok ? ok(eventsThenClose(createReader(session.value, parts.upcaster), range)) : session;
    },
    replay: (id) => replaySession(parts, id),
    modelInput: (id, turnId) => readModelInput(parts, id, turnId),
    artifacts: (id) => outputArtifacts(parts, id),
    artifact: (id, artifact, range) => readOutputArtifact(parts, id, artifact, range),
    fork: (id, at) => recorded(forkSession(parts, id, at), ({ session }) => session),
    export: (id) => exportSession(parts, id),
    import: (lines) => recorded(importSession(parts, lines), (session) => session),
    prune: (options) => pruneStore(parts, options),
    verify: (id) => verifySessions(parts, id),
    why: (reference) => {
      const call = findCall(parts, reference);
      return call.ok ? explainCall(call.value, parts.artifacts) : call;
    },
  };
}

function* eventsThenClose(reader: SessionReader, range: EventRange | undefined): Generator<Event> {
  try {
    yield* reader.events(range);
  } finally {
    reader.close();
  }
}

/**
 * From the events alone: calls nothing and validates no input, so that sessions of changed tools replay as they were.
 */
function replaySession(parts: StoreParts, id: SessionId): Outcome<Replay> {
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

function projectMessage(event: Event): ProjectedMessage | undefined {
  if (event.type === "tool_intent.proposed") {
    const { intentId, tool, input } = event.data;
    return { role: "intent", intentId, tool, input };
  }
  if (event.type !== "tool.observed") return undefined;
  const { intentId, tool, ok, summary, model } = event.data.observation;
  return { role: "observation", intentId, tool, ok, summary, content: model.content };
}

type ModelInput = NonNullable<EventData<"context.projected">["modelInput"]>;

/** The exact bytes that were sent to a model in one turn, joined from the parts that each turn added. */
function readModelInput(parts: StoreParts, session: SessionId, turnId: string): Outcome<string> {
  return withSession(parts.layout, session, "read the model's input", ({ database }) => {
    let reached = Number.POSITIVE_INFINITY;
    // Each must come before the one that continues it, or the loop would not end.
    const inputNamed = (name: EventName): ModelInput | undefined => {
      const event = database && eventNamed(database, name, parts.upcaster);
      if (event?.type !== "context.projected" || event.seq >= reached) return undefined;
      reached = event.seq;
      return event.data.modelInput;
    };
    const pieces: Uint8Array[] = [];
    let input = inputNamed({ role: "turn", name: turnId });
    if (input === undefined) return fail("bad_request", `No model input is recorded for ${JSON.stringify(turnId)}.`);
    while (input !== undefined) {
      const { added, artifact = "", continues }: ModelInput = input;
      const piece = added === undefined ? parts.artifacts.read(artifact) : ok(Buffer.from(added));
      if (!piece.ok) return piece;
      pieces.unshift(piece.value);
      if (continues === undefined) return ok(Buffer.concat(pieces).toString("utf8"));
      input = inputNamed({ role: "input", name: continues });
    }
    return fail("bad_request", `The input of ${turnId} continues one that is not recorded before it.`);
  });
}

/** Output of tools. Inputs, model inputs and images of files are evidence for auditors only. */
const outputKinds: ReadonlySet<ArtifactKind> = new Set(["command_output", "tool_output", "diff", "changes"]);

function outputArtifacts(parts: StoreParts, id: SessionId): Outcome<readonly ArtifactRef[]> {
  return withSession(parts.layout, id, "look up stored output", (session) => {
    const found = new Map<ArtifactId, ArtifactRef>();
    for (const event of createReader(session, parts.upcaster).events({ types: ["artifact.stored"] })) {
      if (event.type !== "artifact.stored" || !outputKinds.has(event.data.artifact.kind)) continue;
      found.set(event.data.artifact.id, event.data.artifact);
    }
    return ok([...found.values()]);
  });
}

function readOutputArtifact(
  parts: StoreParts,
  id: SessionId,
  artifact: ArtifactId,
  range: { readonly offset: number; readonly length: number },
): Outcome<{ readonly ref: ArtifactRef; readonly content: Uint8Array }> {
  const known = outputArtifacts(parts, id);
  if (!known.ok) return known;
  const ref = known.value.find((kept) => kept.id === artifact);
  if (ref === undefined) return fail("bad_request", `The session has no output ${artifact}.`);
  const content = parts.artifacts.read(artifact, range);
  return content.ok ? ok({ ref, content: content.value }) : content;
}
