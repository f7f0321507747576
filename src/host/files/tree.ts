import {
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
import { closing, createNew } from "./descriptor.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export interface EntryPlace {
  readonly directory: number;
  readonly name: string | Buffer;
}

/** Links are copied as links and never followed. */
export async function copyTree(from: EntryPlace, to: EntryPlace): Promise<void> {
  const source = at(from);
  const stats = lstatSync(source);
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(source, "buffer"), at(to));
    return;
  }
  if (!stats.isFile() && !stats.isDirectory())
    throw new Refused("runtime_precondition_failed", "A device, pipe or socket cannot be copied to another disk");
  const isDirectory = stats.isDirectory();
  using original = closing(openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isDirectory ? O_DIRECTORY : 0)));
  if (isDirectory) mkdirSync(at(to), 0o700);
  using copy = closing(isDirectory ? openDirectoryAt(at(to)) : createNew(at(to), 0o600));
  if (isDirectory)
    for (const name of namesIn(original.descriptor))
      await copyTree({ directory: original.descriptor, name }, { directory: copy.descriptor, name });
  else await copyFile(`/proc/self/fd/${original.descriptor}`, `/proc/self/fd/${copy.descriptor}`);
  fchmodSync(copy.descriptor, stats.mode & 0o777);
  futimesSync(copy.descriptor, stats.atime, stats.mtime);
}

export function removeTree(place: EntryPlace, options: { readonly readOnly?: boolean } = {}): void {
  const path = at(place);
  if (!lstatSync(path).isDirectory()) {
    unlinkSync(path);
    return;
  }
  {
    using opened = closing(openDirectoryAt(path));
    const { descriptor: directory } = opened;
    if (options.readOnly) fchmodSync(directory, 0o700);
    for (const name of namesIn(directory)) removeTree({ directory, name }, options);
  }
  rmdirSync(path);
}

function openDirectoryAt(path: Buffer): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

export function isThere(place: EntryPlace): boolean {
  return lstatSync(at(place), { throwIfNoEntry: false }) !== undefined;
}

function namesIn(directory: number): readonly Buffer[] {
  return readdirSync(`/proc/self/fd/${directory}`, { encoding: "buffer" });
}

function at({ directory, name }: EntryPlace): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory}/`), Buffer.from(name)]);
}
