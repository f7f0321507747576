import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, statSync, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { sha256 } from "../../base/digest.ts";
import type { ArtifactKind, ArtifactRef, ArtifactStore, ArtifactWriter } from "../../contract/artifact.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import { isMissing, isOutsideFailure, logFailure, removeFile } from "../log-failure.ts";
import {
  type ArtifactDirectory,
  artifactId,
  artifactPath,
  isArtifactId,
  isKept,
  keepArtifact,
  openArtifact,
  readFully,
  temporaryName,
  writeFully,
} from "./artifact-file.ts";

/** Files named by their content, readable by their owner only. */
export function createArtifactStore(directory: ArtifactDirectory): ArtifactStore {
  return {
    put: (kind, content) => putArtifact(directory, kind, content),
    writer: (kind) => openWriter(directory, kind),
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
      writeFully(descriptor, bytes);
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

/** Above this, a range is read unchecked: hashing the whole for every page would cost more than the page. */
const checkedBytes = 4 * 1024 * 1024;

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
      if (size <= checkedBytes && artifactId(sha256(readFully(descriptor, 0, size))) !== id) {
        return fail("log_unavailable", `The content of ${id} is not what its name says: ${path} was changed.`, {
          happened: "nothing",
          recovery: "Run `gauntlet audit verify`; the evidence cannot be relied on.",
        });
      }
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

function openWriter(directory: ArtifactDirectory, kind: ArtifactKind): Outcome<ArtifactWriter> {
  const path = join(directory.root, temporaryName(directory.writer));
  try {
    return ok(new FileArtifactWriter(directory, kind, { path, descriptor: openSync(path, "wx", 0o600) }));
  } catch (error) {
    return logFailure(error, "store an artifact", path);
  }
}

const writeSome = promisify(write);

/** Chunks are written in order, also when the caller does not wait. A failure is kept for `finish`; nothing rejects. */
class FileArtifactWriter implements ArtifactWriter {
  readonly #directory: ArtifactDirectory;
  readonly #kind: ArtifactKind;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  #descriptor: number | undefined;
  #bytes = 0;
  #failure: Failure | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(directory: ArtifactDirectory, kind: ArtifactKind, file: { path: string; descriptor: number }) {
    this.#directory = directory;
    this.#kind = kind;
    this.#path = file.path;
    this.#descriptor = file.descriptor;
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#last = this.#last.then(() => this.#writeAll(chunk));
    return this.#last;
  }

  async finish(): Promise<Outcome<ArtifactRef>> {
    await this.#last;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) throw new Error("An artifact is finished or discarded once");
    if (this.#failure !== undefined) {
      closeSync(descriptor);
      removeFile(this.#path);
      return { ok: false, failure: this.#failure };
    }
    const id = artifactId(this.#hash.digest("hex"));
    const kept = keepArtifact(this.#directory, { id, temporary: this.#path, descriptor, bytes: this.#bytes });
    return kept.ok ? ok({ kind: this.#kind, id, bytes: this.#bytes }) : kept;
  }

  async discard(): Promise<void> {
    await this.#last;
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    removeFile(this.#path);
  }

  async #writeAll(chunk: Uint8Array): Promise<void> {
    if (this.#descriptor === undefined || this.#failure !== undefined) return;
    this.#hash.update(chunk);
    try {
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await writeSome(this.#descriptor, chunk, done, chunk.length - done, null);
        done += bytesWritten;
      }
      this.#bytes += chunk.length;
    } catch (error) {
      if (!isOutsideFailure(error)) throw error;
      this.#failure = logFailure(error, "store an artifact", this.#path).failure;
    }
  }
}
