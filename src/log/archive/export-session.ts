import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import { artifactChunks, artifactProblem } from "../artifacts/artifact-file.ts";
import { chainStart } from "../envelope.ts";
import type { StoreParts } from "../store/open-session.ts";
import { openReadable, type ReadableSession, withSession } from "../store/session-reader.ts";
import { artifactIds, storedEvents } from "../store/session-rows.ts";
import { type ArtifactLine, eventLine, type TransferHeader } from "./transfer-format.ts";

/** As far as the session had come when the export began. Read once before the first line: never half an export. */
export function exportSession(parts: Pick<StoreParts, "layout">, id: SessionId): Outcome<Iterable<string>> {
  const survey = withSession(parts.layout, id, "export the session", ({ database }) => {
    let last = { seq: 0, hash: chainStart };
    if (database !== undefined) {
      for (const stored of storedEvents(database)) last = stored;
      for (const _id of artifactIds(database));
    }
    return ok({ events: last.seq, head: last.hash });
  });
  if (!survey.ok) return survey;
  const session = openReadable(parts.layout, id);
  if (!session.ok) return session;
  const header: TransferHeader = { format: "gauntlet-session", version: 1, session: id, ...survey.value };
  return ok(exportLines(session.value, header, parts.layout.artifacts));
}

function* exportLines({ database }: ReadableSession, header: TransferHeader, artifacts: string): Generator<string> {
  try {
    yield JSON.stringify(header);
    if (database === undefined) return;
    for (const stored of storedEvents(database, { limit: header.events })) yield eventLine(stored);
    for (const id of artifactIds(database)) {
      for (const line of artifactLines(artifacts, id)) yield JSON.stringify(line);
    }
  } finally {
    database?.close();
  }
}

function* artifactLines(root: string, id: string): Generator<ArtifactLine> {
  const problem = artifactProblem(root, id);
  if (problem !== undefined) return yield { artifact: id, problem };
  let offset = 0;
  for (const chunk of artifactChunks(root, id)) {
    yield { artifact: id, offset, base64: Buffer.from(chunk).toString("base64") };
    offset += chunk.length;
  }
}
