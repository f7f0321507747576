import { lstatSync, mkdirSync, realpathSync, renameSync, rmdirSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChangedFile } from "../../contract/changes.ts";
import { about, errnoOf, failureOf, Refused, shown } from "../failure.ts";
import { checkPath, DirectoryChain, inside, type TemporaryNames, verify } from "./descriptor.ts";
import { fileStat } from "./metadata.ts";
import { publishNew } from "./publish.ts";
import { contentHash } from "./read-file.ts";
import { copyTree, type EntryPlace, isThere, removeTree } from "./tree.ts";

interface Move {
  readonly from: string;
  readonly to: string;
  readonly source: EntryPlace;
  readonly target: EntryPlace;
  readonly stats: Stats;
}

/** Never overwrites. Creates missing parents of the target. */
export async function moveFile(from: string, to: string, names: TemporaryNames): Promise<ChangedFile> {
  for (const path of [from, to]) {
    checkPath(path);
    if (path === "/") throw new Refused("runtime_precondition_failed", "/ cannot be moved or replaced");
  }
  using chain = new DirectoryChain();
  try {
    const source = { directory: chain.existing(dirname(from)), name: basename(from) };
    const stats = lstatSync(pathOf(source));
    const above = about(to, () => chain.existingOrMade(dirname(to)));
    const target = { directory: above, name: basename(to) };
    verify(source.directory, dirname(from));
    verify(target.directory, dirname(to));
    await relocate({ from, to, source, target, stats }, names);
    const before = contentHash(to, stats);
    const made = chain.made();
    const facts = { ...(before && { before }), to, stat: fileStat(stats), ...(made.length > 0 ? { made } : {}) };
    return { path: from, change: "moved", ...facts };
  } catch (error) {
    chain.undo();
    throw error;
  }
}

async function relocate(move: Move, names: TemporaryNames): Promise<void> {
  const { source, target, to, stats } = move;
  if (isThere(target)) throw taken(to);
  try {
    takeName(source, target, stats);
  } catch (error) {
    if (nameTaken(error)) throw taken(to);
    if (errnoOf(error) !== "EXDEV") throw error;
    await relocateByCopy(move, { directory: target.directory, name: names() });
  }
}

async function relocateByCopy({ from, to, source, target, stats }: Move, copy: EntryPlace): Promise<void> {
  try {
    await copyTree(source, copy);
    takeName(copy, target, stats);
  } catch (error) {
    if (isThere(copy)) removeTree(copy);
    throw nameTaken(error) ? taken(to) : error;
  }
  removeOriginal(source, from, to);
}

function removeOriginal(source: EntryPlace, from: string, to: string): void {
  try {
    removeTree(source);
  } catch (error) {
    const { code, message } = failureOf(error, from);
    throw new Refused(code, `${message}; a complete copy is at ${shown(to)}`, { happened: "partly" });
  }
}

/** A directory cannot be linked; `rename` replaces nothing but an empty directory then. */
function takeName(from: EntryPlace, to: EntryPlace, stats: Stats): void {
  if (stats.isDirectory()) renameSync(pathOf(from), pathOf(to));
  else publishNew(pathOf(from), pathOf(to));
}

function nameTaken(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "EEXIST" || code === "ENOTEMPTY";
}

function taken(to: string): Refused {
  return new Refused("runtime_precondition_failed", `${shown(to)} already exists; a move never overwrites`);
}

function pathOf({ directory, name }: EntryPlace): string {
  return inside(directory, name.toString());
}

export interface TrashOptions {
  readonly trash: string;
  readonly tag: string;
  readonly nextNumber: () => number;
}

export async function moveToTrash(path: string, { trash, tag, nextNumber }: TrashOptions): Promise<ChangedFile> {
  checkPath(path);
  if (path === "/") throw new Refused("runtime_precondition_failed", "/ cannot be deleted");
  using chain = new DirectoryChain();
  const name = basename(path);
  const source = { directory: chain.existing(dirname(path)), name };
  const stats = lstatSync(pathOf(source));
  const bin = createBin(join(trash, tag), nextNumber);
  const to = join(bin, name);
  try {
    verify(source.directory, dirname(path));
    renameSync(pathOf(source), to);
  } catch (error) {
    if (errnoOf(error) === "EXDEV") {
      await copyOut(source, { directory: chain.existing(bin), name }, bin);
      removeOriginal(source, path, to);
    } else {
      rmdirSync(bin);
      throw error;
    }
  }
  const before = contentHash(to, stats);
  return { path, change: "deleted", ...(before && { before }), to, stat: fileStat(stats) };
}

async function copyOut(source: EntryPlace, target: EntryPlace, bin: string): Promise<void> {
  try {
    await copyTree(source, target);
  } catch (error) {
    if (isThere(target)) removeTree(target);
    rmdirSync(bin);
    throw error;
  }
}

function createBin(parent: string, nextNumber: () => number): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const resolved = realpathSync.native(parent);
  for (;;) {
    const bin = join(resolved, String(nextNumber()));
    try {
      mkdirSync(bin, 0o700);
      return bin;
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}
