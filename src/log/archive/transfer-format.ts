import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { StoredEvent } from "../envelope.ts";

/**
 * JSON lines: a header, then every event, then the artifacts in pieces. An event's line is the event itself:
 * its stored bytes with the hash as the last key, so that the bytes can be had back exactly.
 */
export const transferHeader = lazy(() =>
  z.strictObject({
    format: z.literal("gauntlet-session"),
    version: z.literal(1),
    session: z.string(),
    events: z.number().int().positive(),
    head: z.string(),
  }),
);
export type TransferHeader = z.infer<ReturnType<typeof transferHeader>>;

export const artifactLine = lazy(() =>
  z.union([
    z.strictObject({
      artifact: z.string(),
      offset: z.number().int().nonnegative(),
      base64: z.string(),
    }),
    /** Already gone or altered where it came from. */
    z.strictObject({ artifact: z.string(), problem: z.string() }),
  ]),
);
export type ArtifactLine = z.infer<ReturnType<typeof artifactLine>>;

export function eventLine({ body, hash }: StoredEvent): string {
  return `${body.slice(0, -1)},"hash":"${hash}"}`;
}

export function readEventLine(line: string): { readonly body: string; readonly hash: string } | undefined {
  const [, start, hash] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line) ?? [];
  return start === undefined || hash === undefined ? undefined : { body: `${start}}`, hash };
}
