import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { Outcome } from "./codes.ts";
import type { ArtifactId } from "./ids.ts";

const artifactKinds = [
  "command_output",
  "tool_output",
  "diff",
  "before",
  "after",
  "changes",
  "tool_input",
  "model_input",
  "menu",
  "provider_debug",
] as const;

export const artifactRef = lazy(() => z.object({ kind: z.enum(artifactKinds), id: z.string(), bytes: z.number() }));
export type ArtifactRef = z.infer<ReturnType<typeof artifactRef>>;
export type ArtifactKind = ArtifactRef["kind"];

export interface ArtifactWriter {
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<Outcome<ArtifactRef>>;
  discard(): Promise<void>;
}

export interface ArtifactStore {
  put(kind: ArtifactKind, content: Uint8Array | string): Outcome<ArtifactRef>;
  writer(kind: ArtifactKind): Outcome<ArtifactWriter>;
  /** `undefined` when there is no such artifact. */
  size(id: ArtifactId): number | undefined;
  read(id: ArtifactId, range?: { readonly offset: number; readonly length: number }): Outcome<Uint8Array>;
}

export interface OutputStream {
  readonly bytes: number;
  readonly lines: number;
  readonly complete?: string;
  readonly head: string;
  readonly tail: string;
  readonly notable: readonly Excerpt[];
  readonly binary: boolean;
  readonly artifact?: ArtifactRef;
}

export interface Excerpt {
  /** 1-based line number of the first line of `text`. */
  readonly line: number;
  readonly offset: number;
  readonly text: string;
}
