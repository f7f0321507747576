import { hash as hashOf } from "node:crypto";
import {
  chmodSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
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
import { attempt, errnoOf, ifPossible, Refused, shown } from "../failure.ts";
import {
  checkPath,
  checkTag,
  closing,
  createNew,
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

const maxBytes = 64 * 1024 * 1024;

export function createEntryFiles(tag: string): EntryFiles {
  checkTag(tag);
  let count = 0;
  const names = createTemporaryNames(tag, () => count++);
  const done = (path: string, work: () => void) =>
    attempt(path, () => {
      checkPath(path);
      work();
      return ok(undefined);
    });
  return {
    look: (path) => attempt(path, () => ok(lookAt(path))),
    put: (path, entry, over) => done(path, () => putEntry(path, entry, { over, names })),
    makeDirectory: (path) =>
      done(path, () => {
        using chain = new DirectoryChain();
        chain.existingOrMade(path);
      }),
    removeDirectory: (path) =>
      done(path, () => {
        using above = openAbove(path);
        rmdirSync(inside(above.descriptor, basename(path)));
      }),
    setMode: (path, mode) =>
      done(path, () => {
        using place = closing(openPlace(path));
        if (fstatSync(place.descriptor).isSymbolicLink())
          throw new Refused("effect_not_permitted", `${shown(path)} is a link`);
        chmodSync(`/proc/self/fd/${place.descriptor}`, mode & 0o777);
      }),
    touchedSince: (path, time) => attempt(path, () => ok(touchedSince(path, time))),
  };
}

function touchedSince(path: string, time: number): readonly string[] {
  const visit = (directory: number, name: string, at: string): readonly string[] => {
    const stats = lstatSync(inside(directory, name));
    // A rename updates only the change time, and the modification time may be in the future. A write updates both.
    const touched = Math.floor(stats.mtimeMs) > time && Math.floor(stats.ctimeMs) > time ? [at] : [];
    if (!stats.isDirectory()) return touched;
    using opened = closing(openDirectory(at, inside(directory, name)));
    const below = opened.descriptor;
    return [...touched, ...readdirSync(inside(below, ".")).flatMap((child) => visit(below, child, `${at}/${child}`))];
  };
  using above = openAbove(path);
  return visit(above.descriptor, basename(path), path);
}

function lookAt(path: string): FoundEntry | undefined {
  try {
    using above = openAbove(path);
    const name = inside(above.descriptor, basename(path));
    const stats = lstatSync(name, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { kind, mode, size, mtimeMs } = fileStat(stats);
    const found = { kind, mode, size, mtimeMs, stamp: stampOf(stats) };
    if (kind === "symlink") return { ...found, ...contentOf(readlinkSync(name, "buffer")) };
    if (kind !== "file" || stats.size > maxBytes) return found;
    using file = closing(openExactly(path, constants.O_RDONLY, name));
    const read = readRegular(file.descriptor, path, maxBytes);
    return { ...found, ...contentOf(read.bytes), stamp: stampOf(read.stats) };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

type NewEntry = Parameters<EntryFiles["put"]>[1];

function putEntry(
  path: string,
  entry: NewEntry,
  { over, names }: { readonly over: FoundEntry | undefined; readonly names: TemporaryNames },
): void {
  using chain = new DirectoryChain();
  let temporary: string | undefined;
  try {
    const above = dirname(path);
    const directory = over === undefined ? chain.existingOrMade(above) : chain.existing(above);
    const target = inside(directory, basename(path));
    const now = () => lstatSync(target, { throwIfNoEntry: false });
    temporary = inside(directory, names());
    make(temporary, entry, ownerFor(directory, now()));
    verify(directory, above);
    // From this check to the rename no code of ours runs, and a change by others changes the metadata.
    const current = now();
    if ((current === undefined ? undefined : stampOf(current)) !== over?.stamp)
      throw new Refused("stale_file_baseline", `${shown(path)} changed during the restore`);
    if (over !== undefined) renameSync(temporary, target);
    else if (entry.kind === "file") publishNew(temporary, target);
    else publishLink(temporary, target, entry.content);
  } catch (error) {
    const left = temporary;
    if (left !== undefined) ifPossible(() => unlinkSync(left));
    chain.undo();
    throw error;
  }
}

function make(temporary: string, { kind, content, mode }: NewEntry, owner: Owner | undefined): void {
  if (kind === "symlink") {
    symlinkSync(Buffer.from(content), temporary);
    if (owner !== undefined) lchownSync(temporary, owner.uid, owner.gid);
    return;
  }
  using file = closing(createNew(temporary, mode === undefined ? 0o666 : 0o600));
  for (let done = 0; done < content.length; ) done += writeSync(file.descriptor, content, done);
  if (owner !== undefined) fchownSync(file.descriptor, owner.uid, owner.gid);
  if (mode !== undefined) fchmodSync(file.descriptor, mode & 0o777);
}

type Owner = Pick<Stats, "uid" | "gid">;

/** A privileged user restores the owner of the directory. */
function ownerFor(directory: number, current: Stats | undefined): Owner | undefined {
  return process.getuid?.() === 0 ? (current ?? fstatSync(directory)) : undefined;
}

function publishLink(temporary: string, target: string, content: Uint8Array): void {
  const { uid, gid } = lstatSync(temporary);
  symlinkSync(Buffer.from(content), target);
  unlinkSync(temporary);
  if (process.getuid?.() === 0) lchownSync(target, uid, gid);
}

function openAbove(path: string) {
  checkPath(path);
  if (path === "/") throw new Refused("runtime_precondition_failed", "/ cannot be replaced");
  return closing(openDirectory(dirname(path)));
}

function contentOf(content: Uint8Array): { readonly content: Uint8Array; readonly hash: string } {
  return { content, hash: hashOf("sha256", content) };
}

function stampOf(stats: Stats): string {
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
}

/** Also if a parent is not a directory; a link there is refused instead. */
function isAbsent(error: unknown): boolean {
  if (error instanceof Refused) return error.failure.code === "runtime_precondition_failed";
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
