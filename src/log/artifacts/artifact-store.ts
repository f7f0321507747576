import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import type { ArtifactKind, ArtifactRef, ArtifactStore } from "../../contract/artifact.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import { isMissing, isOutsideFailure, logFailure } from "../log-failure.ts";
import { removeFile } from "../remove-file.ts";
import { type ArtifactDirectory, artifactId, artifactPath, isArtifactId } from "./artifact-path.ts";
import { openArtifactWriter } from "./artifact-writer.ts";
import { openArtifact } from "./hash-artifact.ts";
import { isKept, keepArtifact } from "./keep-artifact.ts";
import { temporaryName } from "./temporary-file.ts";

/** Files named by their content, readable by their owner only. */
export function createArtifactStore(directory: ArtifactDirectory): ArtifactStore {
  return {
    put: (kind, content) => putArtifact(directory, kind, content),
    writer: (kind) => openArtifactWriter(directory, kind),
    size: (id) => sizeOf(directory.root, id),
    read: (id, range) => readArtifact(directory.root, id, range),
  };
}

function putArtifact(
  directory: ArtifactDirectory,
  kind: ArtifactKind,
  content: Uint8Array | string,
): Outcome<ArtifactRef> {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  const id = artifactId(sha256(bytes));
  const ref: ArtifactRef = { kind, id, bytes: bytes.length };
  const temporary = join(directory.root, temporaryName(directory.writer));
  try {
    if (isKept(directory.root, id, bytes.length)) return ok(ref);
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    } catch (error) {
      closeSync(descriptor);
      removeFile(temporary);
      throw error;
    }
    const kept = keepArtifact(directory, { id, temporary, descriptor, bytes: bytes.length });
    return kept.ok ? ok(ref) : kept;
  } catch (error) {
    return logFailure(error, "store an artifact", artifactPath(directory.root, id));
  }
}

function sizeOf(root: string, id: ArtifactId): number | undefined {
  if (!isArtifactId(id)) return undefined;
  try {
    return statSync(artifactPath(root, id)).size;
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return undefined;
  }
}

function readArtifact(
  root: string,
  id: ArtifactId,
  range?: { readonly offset: number; readonly length: number },
): Outcome<Uint8Array> {
  if (!isArtifactId(id)) return fail("bad_request", `${JSON.stringify(id)} is not an artifact id.`);
  const path = artifactPath(root, id);
  try {
    const descriptor = openArtifact(path);
    try {
      const { size } = fstatSync(descriptor);
      if (size <= checkedBytes && !isContentOf(readFully(descriptor, 0, size), id)) return altered(id, path);
      const offset = Math.min(Math.max(0, range?.offset ?? 0), size);
      const length = Math.min(Math.max(0, range?.length ?? size), size - offset);
      return ok(readFully(descriptor, offset, length));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isMissing(error)) return fail("file_not_found", `There is no artifact ${id}; it may have been pruned.`);
    return logFailure(error, "read an artifact", path);
  }
}

/** Above this, a range is read as it is: hashing the whole for every page would cost more than the page. */
const checkedBytes = 4 * 1024 * 1024;

function isContentOf(bytes: Uint8Array, id: ArtifactId): boolean {
  return id === `sha256-${sha256(bytes)}`;
}

function altered(id: ArtifactId, path: string): Outcome<never> {
  return fail("log_unavailable", `The content of ${id} is not what its name says: ${path} was changed.`, {
    happened: "nothing",
    recovery: "Run `gauntlet audit verify`; the evidence cannot be relied on.",
  });
}

function readFully(descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, offset + done);
    if (read === 0) return bytes.subarray(0, done);
    done += read;
  }
  return bytes;
}
