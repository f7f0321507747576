import { lstatSync, mkdirSync, realpathSync, renameSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChangedFile } from "../contract/ports.ts";
import { contentHash } from "./content-hash.ts";
import { checkPath, inside, verify } from "./descriptor.ts";
import { DirectoryChain } from "./directory-chain.ts";
import { errnoOf, Refused } from "./failure.ts";
import { fileStat } from "./file-stat.ts";
import { removeOriginal } from "./move-file.ts";
import { copyTree, isThere, type Place, removeTree } from "./tree.ts";

export interface TrashOptions {
  readonly trash: string;
  readonly tag: string;
  readonly nextNumber: () => number;
}

/** Moves a file or a directory out of the way, to where it can be taken back from. */
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

/** A directory of its own for every deletion, so that equal names never meet. */
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
