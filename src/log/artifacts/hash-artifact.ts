import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { ArtifactId } from "../../contract/ids.ts";
import { isMissing, isOutsideFailure, TamperedFile } from "../log-failure.ts";
import { artifactId, artifactPath, isArtifactId } from "./artifact-path.ts";

const chunkBytes = 3 << 20;

/** `undefined` when the content is what the id says. */
export function artifactProblem(root: string, id: ArtifactId): "missing" | "altered" | "unreadable" | undefined {
  if (!isArtifactId(id)) return "missing";
  const hash = createHash("sha256");
  try {
    for (const chunk of artifactChunks(root, id)) hash.update(chunk);
  } catch (error) {
    if (isMissing(error)) return "missing";
    if (!isOutsideFailure(error)) throw error;
    return "unreadable";
  }
  return artifactId(hash.digest("hex")) === id ? undefined : "altered";
}

/** Does not wait for whoever would write into a pipe of that name. */
export function openArtifact(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new TamperedFile("it is not a regular file");
}

/** At least one, also of an empty file. Each is only good until the next is asked for. */
export function* artifactChunks(root: string, id: ArtifactId): Generator<Uint8Array> {
  const descriptor = openArtifact(artifactPath(root, id));
  try {
    const chunk = new Uint8Array(chunkBytes);
    for (let isFirst = true; ; isFirst = false) {
      let filled = 0;
      while (filled < chunkBytes) {
        const read = readSync(descriptor, chunk, filled, chunkBytes - filled, null);
        if (read === 0) break;
        filled += read;
      }
      if (filled > 0 || isFirst) yield chunk.subarray(0, filled);
      if (filled < chunkBytes) return;
    }
  } finally {
    closeSync(descriptor);
  }
}
