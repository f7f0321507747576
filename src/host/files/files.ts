import { closeSync, fstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ok } from "../../contract/codes.ts";
import type { DirectoryEntry, Files, HostFiles } from "../../contract/ports.ts";
import { attempt, errnoOf, Refused } from "../failure.ts";
import { checkPath, checkTag, createTemporaryNames, isTemporaryName, openDirectory, openPlace } from "./descriptor.ts";
import { fileStat, kindOf } from "./metadata.ts";
import { moveFile, moveToTrash, type TrashOptions } from "./move-file.ts";
import { readFile } from "./read-file.ts";
import { removeTree } from "./tree.ts";
import { writeFiles } from "./write-files.ts";

const defaultMaxBytes = 64 * 1024 * 1024;

/** `trash` must be outside everything that a model can write. */
export function createHostFiles({ trash }: { readonly trash: string }): HostFiles {
  let count = 0;
  const nextNumber = () => count++;
  return {
    tagged: (tag) => createFiles({ trash, tag, nextNumber }),
    removeLeftovers,
  };
}

function createFiles(options: TrashOptions): Files {
  checkTag(options.tag);
  const names = createTemporaryNames(options.tag, options.nextNumber);
  return {
    read: (path, { maxBytes = defaultMaxBytes } = {}) =>
      attempt(path, async () => {
        checkPath(path);
        return ok(await readFile(path, maxBytes));
      }),
    stat: (path) => attempt(path, () => ok(statOf(path))),
    list: (path) => attempt(path, () => ok(entriesOf(path))),
    write: (writes) => attempt(writes[0]?.path ?? "", async () => ok(await writeFiles(writes, names))),
    move: (from, to) => attempt(from, async () => ok(await moveFile(from, to, names))),
    trash: (path) => attempt(path, async () => ok(await moveToTrash(path, options))),
  };
}

function statOf(path: string): ReturnType<typeof fileStat> | undefined {
  checkPath(path);
  let descriptor: number;
  try {
    descriptor = openPlace(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    return fileStat(fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function entriesOf(path: string): readonly DirectoryEntry[] {
  checkPath(path);
  const descriptor = openDirectory(path);
  try {
    return readdirSync(`/proc/self/fd/${descriptor}`, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    closeSync(descriptor);
  }
}

function removeLeftovers(tag: string, paths: readonly string[]): readonly string[] {
  checkTag(tag);
  const removed: string[] = [];
  for (const above of new Set(paths.map((path) => dirname(path)))) {
    try {
      removed.push(...removeIn(above, tag));
    } catch (error) {
      if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
    }
  }
  return removed;
}

function removeIn(above: string, tag: string): readonly string[] {
  checkPath(above);
  const directory = openDirectory(above);
  try {
    const names = readdirSync(`/proc/self/fd/${directory}`).filter((name) => isTemporaryName(name, tag));
    for (const name of names) removeTree({ directory, name });
    return names.map((name) => join(above, name));
  } finally {
    closeSync(directory);
  }
}
