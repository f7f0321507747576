import { hash as hashOf } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  write as writeCallback,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import type { FileWrite } from "../contract/ports.ts";
import { inside, openExactly } from "./descriptor.ts";
import type { DirectoryChain } from "./directory-chain.ts";
import { errnoOf, Refused, shown } from "./failure.ts";
import { readRegular } from "./read-file.ts";
import type { TemporaryNames } from "./temporary-name.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const largeBytes = 1024 * 1024;
const writeLater = promisify(writeCallback);

/** One write, its new content waiting under a temporary name beside the target. */
export interface StagedWrite {
  readonly write: FileWrite;
  readonly directory: number;
  readonly name: string;
  readonly temporary: string;
  stats: Stats;
  /** Where the original waits for a roll-back. */
  kept?: string;
  published: boolean;
}

/** Appends to `staged` as soon as there is something to clean up. */
export async function stageWrite(
  write: FileWrite,
  { chain, names, staged }: { chain: DirectoryChain; names: TemporaryNames; staged: StagedWrite[] },
): Promise<void> {
  const name = basename(write.path);
  const directory = directoryFor(write, chain);
  const current = lookAt(directory, name, write);
  const { descriptor, temporary } = createTemporary(directory, names, current === undefined ? 0o666 : 0o600);
  try {
    const one: StagedWrite = { write, directory, name, temporary, stats: fstatSync(descriptor), published: false };
    staged.push(one);
    await writeAll(descriptor, write.content);
    if (current !== undefined) keepOwnerAndMode(descriptor, current);
    one.stats = fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The file as it is now, read through a descriptor; refuses when it is not what the write expects. */
export async function currentAsExpected({ write, directory, name }: StagedWrite): Promise<Stats | undefined> {
  if (write.expect === "absent") return lookAt(directory, name, write);
  let descriptor: number;
  try {
    descriptor = openExactly(write.path, O_RDONLY, inside(directory, name));
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? notAsExpected(write.path, "does not exist any more") : error;
  }
  try {
    const { bytes, stats } = await readRegular(descriptor, write.path, Number.MAX_SAFE_INTEGER);
    if (hashOf("sha256", bytes) !== write.expect.hash) throw notAsExpected(write.path, "changed after it was read");
    return stats;
  } finally {
    closeSync(descriptor);
  }
}

export function notAsExpected(path: string, how: string): Refused {
  return new Refused("stale_file_baseline", `${shown(path)} ${how}`);
}

function directoryFor({ path, expect }: FileWrite, chain: DirectoryChain): number {
  if (expect === "absent") return chain.existingOrMade(dirname(path));
  try {
    return chain.existing(dirname(path));
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? notAsExpected(path, "does not exist any more") : error;
  }
}

/** Refuses early what the last look before the change would refuse anyway. */
function lookAt(directory: number, name: string, { path, expect }: FileWrite): Stats | undefined {
  const current = lstatSync(inside(directory, name), { throwIfNoEntry: false });
  if (current === undefined) {
    if (expect === "absent") return undefined;
    throw notAsExpected(path, "does not exist any more");
  }
  if (current.isSymbolicLink())
    throw new Refused("effect_not_permitted", `${shown(path)} is a link; it was not followed`, { happened: "nothing" });
  if (current.isDirectory()) throw new Refused("runtime_precondition_failed", `${shown(path)} is a directory`);
  if (!current.isFile()) throw new Refused("runtime_precondition_failed", `${shown(path)} is not a regular file`);
  if (expect === "absent") throw notAsExpected(path, "exists already");
  return current;
}

function createTemporary(
  directory: number,
  names: TemporaryNames,
  mode: number,
): { readonly descriptor: number; readonly temporary: string } {
  for (;;) {
    const temporary = names();
    try {
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
      return { descriptor: openSync(inside(directory, temporary), flags, mode), temporary };
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

async function writeAll(descriptor: number, content: Uint8Array): Promise<void> {
  for (let done = 0; done < content.length; ) {
    const left = content.length - done;
    done +=
      left > largeBytes
        ? (await writeLater(descriptor, content, done, left)).bytesWritten
        : writeSync(descriptor, content, done, left);
  }
}

/** Set-id bits are dropped, as the kernel does when content changes. */
function keepOwnerAndMode(descriptor: number, original: Stats): void {
  const fresh = fstatSync(descriptor);
  if (fresh.uid !== original.uid || fresh.gid !== original.gid) {
    try {
      fchownSync(descriptor, original.uid, original.gid);
    } catch (error) {
      // Only a privileged user can give files away; the content still belongs where it goes.
      if (errnoOf(error) !== "EPERM") throw error;
    }
  }
  fchmodSync(descriptor, original.mode & 0o777);
}
