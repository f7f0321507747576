import { lstatSync, mkdirSync, realpathSync, renameSync, rmdirSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChangedFile } from "../../contract/changes.ts";
import { about, errnoOf, failureOf, Refused, shown } from "../failure.ts";
import { checkPath, DirectoryChain, inside, type TemporaryNames, verify } from "./descriptor.ts";
import { fileStat } from "./metadata.ts";
import { publishNew } from "./publish.ts";
import { contentHash } from "./read-file.ts";
import { copyTree, isThere, type Place, removeTree } from "./tree.ts";

interface Move {
  readonly from: string;
  readonly to: string;
  readonly source: Place;
  readonly target: Place;
  readonly stats: Stats;
}

/** Never overwrites. Missing parents of the target are made. */
export async function moveFile(from: string, to: string, names: TemporaryNames): Promise<ChangedFile> {
  for (const path of [from, to]) {
    checkPath(path);
    if (path === "/") throw new Refused("runtime_precondition_failed", "/ cannot be moved or replaced");
  }
  const chain = new DirectoryChain();
  try {
    const source: Place = { directory: chain.existing(dirname(from)), name: basename(from) };
    const stats = lstatSync(pathOf(source));
    const target = await about(to, async () => ({
      directory: chain.existingOrMade(dirname(to)),
      name: basename(to),
    }));
    verify(source.directory, dirname(from));
    verify(target.directory, dirname(to));
    await relocate({ from, to, source, target, stats }, names);
    const before = await contentHash(to, stats);
    const made = chain.made();
    const facts = { ...(before && { before }), to, stat: fileStat(stats), ...(made.length > 0 ? { made } : {}) };
    return { path: from, change: "moved", ...facts };
  } catch (error) {
    chain.undo();
    throw error;
  } finally {
    chain.close();
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

async function relocateByCopy({ from, to, source, target, stats }: Move, copy: Place): Promise<void> {
  try {
    await copyTree(source, copy);
    takeName(copy, target, stats);
  } catch (error) {
    if (isThere(copy)) removeTree(copy);
    throw nameTaken(error) ? taken(to) : error;
  }
  removeOriginal(source, from, to);
}

function removeOriginal(source: Place, from: string, to: string): void {
  try {
    removeTree(source);
  } catch (error) {
    const { code, message } = failureOf(error, from);
    throw new Refused(code, `${message}; a complete copy is at ${shown(to)}`, { happened: "partly" });
  }
}

/** A directory cannot be linked; `rename` replaces nothing but an empty directory then. */
function takeName(from: Place, to: Place, stats: Stats): void {
  if (stats.isDirectory()) renameSync(pathOf(from), pathOf(to));
  else publishNew(pathOf(from), pathOf(to));
}

function nameTaken(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "EEXIST" || code === "ENOTEMPTY";
}

function taken(to: string): Refused {
  return new Refused("runtime_precondition_failed", `${shown(to)} exists already; a move never overwrites`);
}

function pathOf({ directory, name }: Place): string {
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
  const chain = new DirectoryChain();
  try {
    const name = basename(path);
    const directory = chain.existing(dirname(path));
    const stats = lstatSync(inside(directory, name));
    const bin = createBin(join(trash, tag), nextNumber);
    const to = join(bin, name);
    try {
      verify(directory, dirname(path));
      renameSync(inside(directory, name), to);
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") {
        rmdirSync(bin);
        throw error;
      }
      await copyOut({ directory, name }, { directory: chain.existing(bin), name }, bin);
      removeOriginal({ directory, name }, path, to);
    }
    const before = await contentHash(to, stats);
    return { path, change: "deleted", ...(before && { before }), to, stat: fileStat(stats) };
  } finally {
    chain.close();
  }
}

async function copyOut(source: Place, target: Place, bin: string): Promise<void> {
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
