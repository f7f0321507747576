import {
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { Refused } from "../failure.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export interface Place {
  readonly directory: number;
  readonly name: string | Buffer;
}

/** Links are copied as links; nothing is reached through one. */
export async function copyTree(from: Place, to: Place): Promise<void> {
  const source = at(from);
  const stats = lstatSync(source);
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(source, "buffer"), at(to));
    return;
  }
  if (!stats.isFile() && !stats.isDirectory())
    throw new Refused("runtime_precondition_failed", "A device, pipe or socket cannot be carried to another disk");
  const kind = stats.isDirectory() ? O_DIRECTORY : 0;
  const descriptor = openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | kind);
  try {
    const copy = stats.isDirectory() ? await copyDirectory(descriptor, at(to)) : await copyContent(descriptor, at(to));
    fchmodSync(copy, stats.mode & 0o777);
    futimesSync(copy, stats.atime, stats.mtime);
    closeSync(copy);
  } finally {
    closeSync(descriptor);
  }
}

async function copyContent(from: number, target: Buffer): Promise<number> {
  const copy = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await copyFile(`/proc/self/fd/${from}`, `/proc/self/fd/${copy}`);
    return copy;
  } catch (error) {
    closeSync(copy);
    throw error;
  }
}

async function copyDirectory(from: number, target: Buffer): Promise<number> {
  mkdirSync(target, 0o700);
  const copy = openSync(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const name of namesIn(from)) await copyTree({ directory: from, name }, { directory: copy, name });
    return copy;
  } catch (error) {
    closeSync(copy);
    throw error;
  }
}

export function removeTree(place: Place, options: { readonly readOnly?: boolean } = {}): void {
  const path = at(place);
  if (!lstatSync(path).isDirectory()) {
    unlinkSync(path);
    return;
  }
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (options.readOnly) fchmodSync(descriptor, 0o700);
    for (const name of namesIn(descriptor)) removeTree({ directory: descriptor, name }, options);
  } finally {
    closeSync(descriptor);
  }
  rmdirSync(path);
}

export function isThere(place: Place): boolean {
  return lstatSync(at(place), { throwIfNoEntry: false }) !== undefined;
}

function namesIn(directory: number): readonly Buffer[] {
  return readdirSync(`/proc/self/fd/${directory}`, { encoding: "buffer" });
}

function at({ directory, name }: Place): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory}/`), Buffer.from(name)]);
}
