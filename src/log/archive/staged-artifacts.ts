import { createHash, type Hash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import { type ArtifactDirectory, artifactId, isArtifactId } from "../artifacts/artifact-path.ts";
import { keepArtifact } from "../artifacts/keep-artifact.ts";
import { temporaryName } from "../artifacts/temporary-file.ts";
import { removeFile } from "../remove-file.ts";

interface Piece {
  readonly artifact: ArtifactId;
  readonly offset: number;
  readonly base64: string;
}

interface Staged {
  readonly id: ArtifactId;
  readonly temporary: string;
  readonly bytes: number;
}

/** Artifacts on their way in: checked against their names, and not part of the store before `keepAll`. */
export class StagedArtifacts {
  readonly #directory: ArtifactDirectory;
  readonly #staged = new Map<ArtifactId, Staged>();
  #current: (Staged & { readonly descriptor: number; readonly hash: Hash }) | undefined;

  constructor(directory: ArtifactDirectory) {
    this.#directory = directory;
  }

  has(id: ArtifactId): boolean {
    return this.#staged.has(id);
  }

  /** Pieces of one artifact follow each other. Throws what the file system throws. */
  add({ artifact, offset, base64 }: Piece): Outcome<void> {
    if (!isArtifactId(artifact)) return fail("bad_request", `${JSON.stringify(artifact)} is not an artifact id.`);
    if (this.#current?.id !== artifact) {
      const ended = this.end();
      if (!ended.ok) return ended;
      if (this.#staged.has(artifact)) return fail("bad_request", `Artifact ${artifact} is there twice.`);
      this.#begin(artifact);
    }
    const current = this.#current;
    if (current === undefined || current.bytes !== offset) {
      return fail("bad_request", `A piece of artifact ${artifact} is missing before byte ${offset}.`);
    }
    const bytes = Buffer.from(base64, "base64");
    for (let done = 0; done < bytes.length; ) done += writeSync(current.descriptor, bytes, done);
    current.hash.update(bytes);
    this.#current = { ...current, bytes: offset + bytes.length };
    return ok(undefined);
  }

  /** The artifact that was being received is complete. */
  end(): Outcome<void> {
    const current = this.#current;
    if (current === undefined) return ok(undefined);
    const { id, temporary, bytes } = current;
    closeSync(current.descriptor);
    this.#current = undefined;
    this.#staged.set(id, { id, temporary, bytes });
    if (artifactId(current.hash.digest("hex")) === id) return ok(undefined);
    return fail("bad_request", `The content of artifact ${id} is not what its name says.`);
  }

  keepAll(): Outcome<void> {
    for (const { id, temporary, bytes } of this.#staged.values()) {
      const descriptor = openSync(temporary, "r+");
      const kept = keepArtifact(this.#directory, { id, temporary, bytes, descriptor });
      if (!kept.ok) return kept;
    }
    return ok(undefined);
  }

  /** Removes what was not kept. */
  discard(): void {
    if (this.#current !== undefined) {
      closeSync(this.#current.descriptor);
      removeFile(this.#current.temporary);
      this.#current = undefined;
    }
    for (const { temporary } of this.#staged.values()) removeFile(temporary);
    this.#staged.clear();
  }

  #begin(id: ArtifactId): void {
    const temporary = join(this.#directory.root, temporaryName(this.#directory.writer));
    const descriptor = openSync(temporary, "wx", 0o600);
    this.#current = { id, temporary, bytes: 0, descriptor, hash: createHash("sha256") };
  }
}
