import { Buffer } from "node:buffer";
import { groupedNumber } from "../../base/text.ts";
import type { ArtifactRef } from "../../contract/artifact.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { PipedData } from "../../contract/events/run.ts";
import type { ModelProfile } from "../../contract/model.ts";
import { createSpool } from "../../execution/spool.ts";
import { boundContent } from "../../observation/bound-content.ts";
import { createCleaner } from "../../observation/shown-text.ts";
import type { SessionParts } from "../../session/parts.ts";
import { privatePaths } from "../../session/paths.ts";
import { delimited } from "./delimit.ts";
import { bytesOf, roomFor } from "./estimate-tokens.ts";

export interface TakenPiped {
  readonly shown: PipedData;
  readonly artifact: ArtifactRef;
}

/** More would leave no room for the work. */
const shareOfRoom = 0.5;

/**
 * All of what was piped in is kept. What fits well into the model's context is shown whole; of more the model gets
 * excerpts and the name of the rest, like of the output of a command.
 */
export async function takePiped(
  { settings, places, storage: { artifacts, redact } }: Pick<SessionParts, "settings" | "places" | "storage">,
  text: string,
  profile: Pick<ModelProfile, "contextTokens" | "maxOutputTokens">,
): Promise<Outcome<TakenPiped>> {
  const spool = createSpool({ artifacts, keepBytes: bytesOf(roomFor(profile) * shareOfRoom) });
  await spool.write(Buffer.from(text));
  const stream = await spool.finish();
  if (!stream.ok) return stream;
  const kept = stream.value.artifact === undefined ? artifacts.put("command_output", text) : ok(stream.value.artifact);
  if (!kept.ok) return kept;
  const artifact = kept.value;
  const bounded = boundContent([{ format: "stream", label, stream: { ...stream.value, artifact } }], {
    limits: { maxChars: settings.limits.turnChars, maxLines: Number.POSITIVE_INFINITY },
    cleaner: createCleaner({ redact, privatePaths: privatePaths(places.stateDirectory) }),
    artifacts,
    pages: false,
  });
  const { bytes, lines } = stream.value;
  const shown = bounded.blocks.map((block) => block.text).join("\n");
  return ok({
    shown: { text: shown, bytes, lines, omittedBytes: bounded.omittedBytes, artifact: artifact.id },
    artifact,
  });
}

const label = "standard input";

export function presentPiped({ text, bytes, lines, omittedBytes, artifact }: PipedData): string {
  const size = `${groupedNumber(bytes)} bytes in ${groupedNumber(lines)} ${lines === 1 ? "line" : "lines"}`;
  return [
    `Piped in with the message: ${size}.`,
    delimited("untrusted-output", text, { label: omittedBytes > 0 ? `${label}, excerpts` : label }),
    ...(omittedBytes > 0
      ? [`truncated: ${omittedBytes} bytes are not shown`, `next: read_artifact ${JSON.stringify({ id: artifact })}`]
      : []),
  ].join("\n");
}
