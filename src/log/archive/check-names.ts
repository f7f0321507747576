import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import { openEvent, type StoredEvent } from "../envelope.ts";
import { artifactsKeptFor, carries, type EventName, namesOf } from "../event-names.ts";
import { isOutsideFailure } from "../log-failure.ts";
import { artifactIds, eventAt, keepsArtifact, nameCount, seqOf } from "../sqlite/session-rows.ts";
import type { Upcaster } from "../upcast.ts";

/** Holds what events are found by, and what must not be pruned because of them, against the events themselves. */
export interface NamesCheck {
  /** What is wrong with how this event is found. Every event comes here, in order. */
  problemsOf(stored: StoredEvent, event: Event): Generator<string>;
  /** What is there beyond that. */
  problemsBeyond(): Generator<string>;
}

export function checkNames(database: DatabaseSync, upcaster: Upcaster): NamesCheck {
  let named = 0;
  const kept = new Set<string>();

  function* nameProblems(stored: StoredEvent, name: EventName): Generator<string> {
    const known = seqOf(database, name);
    const what = subjects[name.role];
    if (known === stored.seq) named += 1;
    else if (known === undefined) {
      if (!isOlderInput(stored, name, upcaster)) yield `${what} cannot be found by its id`;
    } else if (name.role === "intent" || known > stored.seq || !isCarried(name, known))
      yield `${what} is looked for at event ${known}, which is another`;
  }

  const isCarried = (name: EventName, seq: number): boolean => {
    try {
      const stored = eventAt(database, seq);
      return stored !== undefined && carries(openEvent(stored, upcaster), name);
    } catch (error) {
      if (!isOutsideFailure(error)) throw error;
      return false;
    }
  };

  return {
    *problemsOf(stored, event) {
      for (const name of namesOf(event)) yield* nameProblems(stored, name);
      for (const id of artifactsKeptFor(event)) {
        if (!kept.has(id) && !keepsArtifact(database, id))
          yield `artifact ${id} is not among those that are kept for it`;
        kept.add(id);
      }
    },
    *problemsBeyond() {
      const names = nameCount(database, named + mostCounted) - named;
      const amount = names < mostCounted ? names : `${names} or more`;
      if (names !== 0) yield `${amount} of the names lead to events that do not carry them`;
      let artifacts = 0;
      for (const id of artifactIds(database)) if (!kept.has(id)) artifacts += 1;
      if (artifacts !== 0) yield `${artifacts} of the artifacts that are kept belong to no event`;
    },
  };
}

const mostCounted = 1_000;

const subjects: Readonly<Record<EventName["role"], string>> = {
  intent: "the intent",
  invocation: "the invocation",
  request: "the request",
  job: "the job",
  job_end: "the end of the job",
  audit: "the observation",
  menu: "the menu",
  turn: "the turn",
  input: "the model's input",
};

/** Inputs had no name of their own in the first version of their event. */
function isOlderInput({ body, type }: StoredEvent, { role }: EventName, upcaster: Upcaster): boolean {
  return role === "input" && !body.endsWith(`"v":${upcaster.version(type)}}`);
}
