import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import { ifPossible } from "../../host/failure.ts";
import { closing } from "../../host/files/descriptor.ts";
import { isMissing, isOutsideFailure, logFailure, removeFile, TamperedFile } from "../log-failure.ts";
import { livenessOf, type ProcessIdentity } from "../process-identity.ts";

export interface ArtifactDirectory {
  readonly root: string;
  readonly writer: ProcessIdentity;
  /** Whether to fsync before an artifact counts as stored. */
  readonly flush: boolean;
}

/** The content's hash. Checked, because ids also come from models and become paths. */
export function isArtifactId(text: string): boolean {
  return /^sha256-[0-9a-f]{64}$/.test(text);
}

export function artifactId(hash: string): ArtifactId {
  return `sha256-${hash}`;
}

export function artifactPath(root: string, id: ArtifactId): string {
  return join(root, id.slice(7, 9), id);
}

/** Must not block on a pipe of that name. */
export function openArtifact(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new TamperedFile("it is not a regular file");
}

export function readFully(descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, offset + done);
    if (read === 0) return bytes.subarray(0, done);
    done += read;
  }
  return bytes;
}

const chunkBytes = 3 << 20;

/** At least one, also of an empty file. */
export function* artifactChunks(root: string, id: ArtifactId): Generator<Uint8Array> {
  using file = closing(openArtifact(artifactPath(root, id)));
  for (let offset = 0; ; offset += chunkBytes) {
    const chunk = readFully(file.descriptor, offset, chunkBytes);
    if (chunk.length > 0 || offset === 0) yield chunk;
    if (chunk.length < chunkBytes) return;
  }
}

/** `undefined` if the content matches the id. */
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

/**
 * An artifact that is being written, under a temporary name until `keep`. Every method except `keep` throws disk
 * errors.
 */
export class ArtifactDraft {
  readonly #directory: ArtifactDirectory;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  bytes = 0;
  #descriptor: number | undefined;
  #id = "";

  constructor(directory: ArtifactDirectory) {
    this.#directory = directory;
    this.#path = join(directory.root, temporaryName(directory.writer));
    this.#descriptor = openSync(this.#path, "wx", 0o600);
  }

  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#opened(), bytes, done);
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }

  /** Everything is written. Returns the id of the content. */
  end(): ArtifactId {
    if (this.#directory.flush) fsyncSync(this.#opened());
    this.#close();
    this.#id = artifactId(this.#hash.digest("hex"));
    return this.#id;
  }

  /** After `end`. */
  keep(): Outcome<void> {
    const { root, flush } = this.#directory;
    const path = artifactPath(root, this.#id);
    try {
      if (isKept(root, this.#id, this.bytes)) {
        rmSync(this.#path);
        return ok(undefined);
      }
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      renameSync(this.#path, path);
      if (flush) flushFolder(dirname(path));
      return ok(undefined);
    } catch (error) {
      this.discard();
      return logFailure(error, "store an artifact", path);
    }
  }

  discard(): void {
    this.#close();
    removeFile(this.#path);
  }

  #opened(): number {
    if (this.#descriptor === undefined) throw new Error("An artifact is finished or discarded once");
    return this.#descriptor;
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** A power loss can leave another length. The time of a kept artifact is renewed, so that pruning spares it. */
export function isKept(root: string, id: ArtifactId, bytes: number): boolean {
  const path = artifactPath(root, id);
  try {
    if (statSync(path).size !== bytes) return false;
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function flushFolder(folder: string): void {
  using opened = closing(openSync(folder, "r"));
  fsyncSync(opened.descriptor);
}

/** No write takes longer than this. */
const oldMs = 24 * 60 * 60 * 1000;

/** Names the writer, so that a later process can recognise the files of a dead one. */
export function temporaryName(writer: ProcessIdentity): string {
  return `.tmp-${machineOf(writer)}-${writer.pid}-${writer.started}-${randomBytes(8).toString("hex")}`;
}

/** Removes the partial files of dead processes. A file that cannot be removed stays. */
export function removeLeftovers(directory: string, writer: ProcessIdentity, now: number): void {
  for (const name of ifPossible(() => readdirSync(directory)) ?? []) {
    const [, where, pid, started] = /^\.tmp-([0-9a-f]+)-(\d+)-([^-]+)-/.exec(name) ?? [];
    if (where === undefined || started === undefined) continue;
    const path = join(directory, name);
    const machine = where === machineOf(writer) ? writer.machine : "elsewhere";
    const isDead = livenessOf({ pid: Number(pid), started, machine }) === "dead";
    if (isDead || ifPossible(() => now - statSync(path).mtimeMs > oldMs)) removeFile(path);
  }
}

function machineOf({ machine }: ProcessIdentity): string {
  return sha256(machine).slice(0, 8);
}
