import type { ArtifactKind, ArtifactRef } from "../../contract/artifact.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId, SessionId } from "../../contract/ids.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { createReader, withSession } from "../sqlite/session-reader.ts";

/** What a tool gave out. Inputs, model inputs and images of files are evidence for auditors only. */
const outputKinds: ReadonlySet<ArtifactKind> = new Set(["command_output", "tool_output", "diff", "changes"]);

export function outputArtifacts(parts: StoreParts, id: SessionId): Outcome<readonly ArtifactRef[]> {
  return withSession(parts.layout, id, "read which output was kept", (session) => {
    const found = new Map<ArtifactId, ArtifactRef>();
    for (const event of createReader(session, parts.upcaster).events({ types: ["artifact.stored"] })) {
      if (event.type !== "artifact.stored" || !outputKinds.has(event.data.artifact.kind)) continue;
      found.set(event.data.artifact.id, event.data.artifact);
    }
    return ok([...found.values()]);
  });
}

export function readOutputArtifact(
  parts: StoreParts,
  id: SessionId,
  artifact: ArtifactId,
  range: { readonly offset: number; readonly length: number },
): Outcome<{ readonly ref: ArtifactRef; readonly content: Uint8Array }> {
  const known = outputArtifacts(parts, id);
  if (!known.ok) return known;
  const ref = known.value.find((kept) => kept.id === artifact);
  if (ref === undefined) return fail("bad_request", `The session kept no output as ${artifact}.`);
  const content = parts.artifacts.read(artifact, range);
  return content.ok ? ok({ ref, content: content.value }) : content;
}
