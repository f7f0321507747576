import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import { isMissing, logFailure } from "../log-failure.ts";
import { removeFile } from "../remove-file.ts";
import { type ArtifactDirectory, artifactFolder, artifactPath } from "./artifact-path.ts";

/** Gives a completely written temporary file its name. Closes the descriptor in any case. */
export function keepArtifact(
  directory: ArtifactDirectory,
  file: {
    readonly id: ArtifactId;
    readonly temporary: string;
    readonly descriptor: number;
    readonly bytes: number;
  },
): Outcome<void> {
  const path = artifactPath(directory.root, file.id);
  try {
    try {
      if (directory.flush) fsyncSync(file.descriptor);
    } finally {
      closeSync(file.descriptor);
    }
    if (isKept(directory.root, file.id, file.bytes)) {
      rmSync(file.temporary);
      return ok(undefined);
    }
    const folder = artifactFolder(directory.root, file.id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    renameSync(file.temporary, path);
    if (directory.flush) flushFolder(folder);
    return ok(undefined);
  } catch (error) {
    removeFile(file.temporary);
    return logFailure(error, "store an artifact", path);
  }
}

/**
 * Is it there already, and whole? A file of another length is what a loss of power can leave; it is replaced.
 * One that is used again becomes young again, so that pruning elsewhere does not take it away meanwhile.
 */
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
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
