import type { Archive } from "../../contract/app/archive.ts";
import { ok } from "../../contract/codes.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { createReader, openReadable, withSession } from "../sqlite/session-reader.ts";
import { listSessions, surveySession } from "../sqlite/survey-sessions.ts";
import { explainCall } from "./explain-call.ts";
import { exportSession } from "./export-session.ts";
import { findCall } from "./find-call.ts";
import { forkSession } from "./fork-session.ts";
import { importSession } from "./import-session.ts";
import { outputArtifacts, readOutputArtifact } from "./output-artifacts.ts";
import { pruneStore } from "./prune-store.ts";
import { readModelInput } from "./read-model-input.ts";
import { replaySession } from "./replay-session.ts";
import { verifySessions } from "./verify-sessions.ts";

export function createArchive(parts: StoreParts): Archive {
  return {
    list: () => listSessions(parts),
    events: (id, range) => {
      // All of it once before the first is handed out: a damaged file is a failure, not half an answer.
      const sound = withSession(parts.layout, id, "read the events", (session) => {
        for (const _event of createReader(session, parts.upcaster).events(range));
        return ok(undefined);
      });
      if (!sound.ok) return sound;
      const session = openReadable(parts.layout, id);
      if (!session.ok) return session;
      const reader = createReader(session.value, parts.upcaster);
      return ok(closingAfter(reader.events(range), () => reader.close()));
    },
    replay: (id) => replaySession(parts, id),
    modelInput: (id, turnId) => readModelInput(parts, id, turnId),
    artifacts: (id) => outputArtifacts(parts, id),
    artifact: (id, artifact, range) => readOutputArtifact(parts, id, artifact, range),
    fork: (id, at) => {
      const forked = forkSession(parts, id, at);
      // The index learns the head at once, so that a tail cut off later shows.
      if (forked.ok) surveySession(parts, forked.value.session, { firsthand: true });
      return forked;
    },
    export: (id) => exportSession(parts, id),
    import: (lines) => {
      const imported = importSession(parts, lines);
      // The index learns the head at once, so that a tail cut off later shows.
      if (imported.ok) surveySession(parts, imported.value, { firsthand: true });
      return imported;
    },
    prune: (options) => pruneStore(parts, options),
    verify: (id) => verifySessions(parts, id),
    why: (reference) => {
      const call = findCall(parts, reference);
      return call.ok ? explainCall(call.value, parts.artifacts) : call;
    },
  };
}

function* closingAfter<Item>(items: Iterable<Item>, close: () => void): Generator<Item> {
  try {
    yield* items;
  } finally {
    close();
  }
}
