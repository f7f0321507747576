import { hash as hashOf } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import type { EntryFiles, FoundEntry } from "../../contract/app/undo.ts";
import { ok } from "../../contract/codes.ts";
import { attempt, errnoOf, Refused, shown } from "../failure.ts";
import {
  checkPath,
  checkTag,
  createTemporaryNames,
  DirectoryChain,
  inside,
  openDirectory,
  openExactly,
  openPlace,
  type TemporaryNames,
  verify,
} from "./descriptor.ts";
import { fileStat } from "./metadata.ts";
import { publishNew } from "./publish.ts";
import { readRegular } from "./read-file.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const maxBytes = 64 * 1024 * 1024;

export function createEntryFiles(tag: string): EntryFiles {
  checkTag(tag);
  let count = 0;
  const names = createTemporaryNames(tag, () => count++);
  return {
    look: (path) => attempt(path, async () => ok(await lookAt(path))),
    put: (path, entry, over) =>
      attempt(path, () => {
        putEntry(path, entry, over, names);
        return ok(undefined);
      }),
    makeDirectory: (path) =>
      attempt(path, () => {
        checkPath(path);
        const chain = new DirectoryChain();
        try {
          chain.existingOrMade(path);
          return ok(undefined);
        } finally {
          chain.close();
        }
      }),
    removeDirectory: (path) =>
      attempt(path, () => {
        const directory = openAbove(path);
        try {
          rmdirSync(inside(directory, basename(path)));
          return ok(undefined);
        } finally {
          closeSync(directory);
        }
      }),
    setMode: (path, mode) =>
      attempt(path, () => {
        checkPath(path);
        const place = openPlace(path);
        try {
          if (fstatSync(place).isSymbolicLink()) throw new Refused("effect_not_permitted", `${shown(path)} is a link`);
          chmodSync(`/proc/self/fd/${place}`, mode & 0o777);
          return ok(undefined);
        } finally {
          closeSync(place);
        }
      }),
    touchedSince: (path, time) => attempt(path, () => ok(touchedSince(path, time))),
  };
}

function touchedSince(path: string, time: number): readonly string[] {
  const touched: string[] = [];
  const visit = (directory: number, name: string, at: string) => {
    const stats = lstatSync(inside(directory, name));
    // A rename moves the change time alone, and the other time may lie in the future: a write moves both.
    if (Math.floor(stats.mtimeMs) > time && Math.floor(stats.ctimeMs) > time) touched.push(at);
    if (!stats.isDirectory()) return;
    const below = openDirectory(at, inside(directory, name));
    try {
      for (const child of readdirSync(inside(below, "."))) visit(below, child, `${at}/${child}`);
    } finally {
      closeSync(below);
    }
  };
  const above = openAbove(path);
  try {
    visit(above, basename(path), path);
    return touched;
  } finally {
    closeSync(above);
  }
}

async function lookAt(path: string): Promise<FoundEntry | undefined> {
  let directory: number;
  try {
    directory = openAbove(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  try {
    const name = inside(directory, basename(path));
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { kind, mode, size, mtimeMs } = fileStat(stats);
    const found = { kind, mode, size, mtimeMs, stamp: stampOf(stats) };
    if (kind === "symlink") return { ...found, ...contentOf(readlinkSync(name, "buffer")) };
    if (kind !== "file" || stats.size > maxBytes) return found;
    const descriptor = openExactly(path, O_RDONLY, name);
    try {
      const read = await readRegular(descriptor, path, maxBytes);
      return { ...found, ...contentOf(read.bytes), stamp: stampOf(read.stats) };
    } finally {
      closeSync(descriptor);
    }
  } finally {
    closeSync(directory);
  }
}

function putEntry(
  path: string,
  entry: Parameters<EntryFiles["put"]>[1],
  over: FoundEntry | undefined,
  names: TemporaryNames,
): void {
  checkPath(path);
  const chain = new DirectoryChain();
  try {
    const directory = over === undefined ? chain.existingOrMade(dirname(path)) : chain.existing(dirname(path));
    const target = inside(directory, basename(path));
    const temporary = inside(directory, names());
    const current = lstatSync(target, { throwIfNoEntry: false });
    make(temporary, entry, ownerFor(directory, current));
    try {
      verify(directory, dirname(path));
      // From this look to the rename nothing of ours runs in between, and a change by others shows in the metadata.
      const now = lstatSync(target, { throwIfNoEntry: false });
      if ((now === undefined ? undefined : stampOf(now)) !== over?.stamp) throw changedMeanwhile(path);
      if (over !== undefined) renameSync(temporary, target);
      else if (entry.kind === "file") publishNew(temporary, target);
      else publishLink(temporary, target, entry.content);
    } catch (error) {
      removeIfThere(temporary);
      throw error;
    }
  } catch (error) {
    chain.undo();
    throw error;
  } finally {
    chain.close();
  }
}

function make(temporary: string, entry: Parameters<EntryFiles["put"]>[1], owner: Owner | undefined): void {
  const { kind, content, mode } = entry;
  if (kind === "symlink") {
    symlinkSync(Buffer.from(content), temporary);
    if (owner !== undefined) lchownSync(temporary, owner.uid, owner.gid);
    return;
  }
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode === undefined ? 0o666 : 0o600);
  try {
    for (let done = 0; done < content.length; ) done += writeSync(descriptor, content, done);
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
    if (mode !== undefined) fchmodSync(descriptor, mode & 0o777);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** A privileged user gives back what belongs to the one whose directory it is. */
function ownerFor(directory: number, current: Stats | undefined): Owner | undefined {
  return process.getuid?.() === 0 ? (current ?? fstatSync(directory)) : undefined;
}

function publishLink(temporary: string, target: string, content: Uint8Array): void {
  const { uid, gid } = lstatSync(temporary);
  symlinkSync(Buffer.from(content), target);
  unlinkSync(temporary);
  if (process.getuid?.() === 0) lchownSync(target, uid, gid);
}

function openAbove(path: string): number {
  checkPath(path);
  if (path === "/") throw new Refused("runtime_precondition_failed", "/ cannot be replaced");
  return openDirectory(dirname(path));
}

function contentOf(content: Uint8Array): { readonly content: Uint8Array; readonly hash: string } {
  return { content, hash: hashOf("sha256", content) };
}

function stampOf(stats: Stats): string {
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
}

/** Also where something else than a directory stands above it; a link there is refused instead. */
function isAbsent(error: unknown): boolean {
  if (error instanceof Refused) return error.failure.code === "runtime_precondition_failed";
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function changedMeanwhile(path: string): Refused {
  return new Refused("stale_file_baseline", `${shown(path)} changed while it was put back`);
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
