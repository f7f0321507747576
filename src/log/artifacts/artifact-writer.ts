import { createHash } from "node:crypto";
import { closeSync, openSync, write } from "node:fs";
import { join } from "node:path";
import type { ArtifactKind, ArtifactRef, ArtifactWriter } from "../../contract/artifact.ts";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import { isOutsideFailure, logFailure } from "../log-failure.ts";
import { removeFile } from "../remove-file.ts";
import { type ArtifactDirectory, artifactId } from "./artifact-path.ts";
import { keepArtifact } from "./keep-artifact.ts";
import { temporaryName } from "./temporary-file.ts";

/**
 * Writes one artifact of unknown length. Chunks are written in the order they were handed over, also when the
 * caller does not wait. A failure is kept for `finish`; nothing here rejects.
 */
export function openArtifactWriter(directory: ArtifactDirectory, kind: ArtifactKind): Outcome<ArtifactWriter> {
  const path = join(directory.root, temporaryName(directory.writer));
  try {
    return ok(new FileArtifactWriter(directory, kind, { path, descriptor: openSync(path, "wx", 0o600) }));
  } catch (error) {
    return logFailure(error, "store an artifact", path);
  }
}

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
      for (let done = 0; done < chunk.length; ) done += await writeSome(this.#descriptor, chunk, done);
      this.#bytes += chunk.length;
    } catch (error) {
      if (!isOutsideFailure(error)) throw error;
      this.#failure = logFailure(error, "store an artifact", this.#path).failure;
    }
  }
}

function writeSome(descriptor: number, chunk: Uint8Array, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, chunk, offset, chunk.length - offset, null, (error, written) =>
      error === null ? resolve(written) : reject(error),
    );
  });
}
