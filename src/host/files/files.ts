import { fstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileStat } from "../../contract/changes.ts";
import { ok } from "../../contract/codes.ts";
import type { DirectoryEntry, Files, HostFiles } from "../../contract/ports.ts";
import { attempt, errnoOf, Refused } from "../failure.ts";
import {
  checkPath,
  checkTag,
  closing,
  createTemporaryNames,
  inside,
  isTemporaryName,
  openDirectory,
  openPlace,
} from "./descriptor.ts";
import { fileStat, kindOf } from "./metadata.ts";
import { moveFile, moveToTrash, type TrashOptions } from "./move-file.ts";
import { readFile } from "./read-file.ts";
import { removeTree } from "./tree.ts";
import { writeFiles } from "./write-files.ts";

const defaultMaxBytes = 64 * 1024 * 1024;

/** `trash` must be outside every path that a model can write. */
export function createHostFiles({ trash }: { readonly trash: string }): HostFiles {
  let count = 0;
  return { tagged: (tag) => createFiles({ trash, tag, nextNumber: () => count++ }), removeLeftovers };
}

function createFiles(options: TrashOptions): Files {
  checkTag(options.tag);
  const names = createTemporaryNames(options.tag, options.nextNumber);
  return {
    read: (path, { maxBytes = defaultMaxBytes } = {}) =>
      attempt(path, () => {
        checkPath(path);
        return ok(readFile(path, maxBytes));
      }),
    stat: (path) => attempt(path, () => ok(statOf(path))),
    list: (path) => attempt(path, () => ok(entriesOf(path))),
    write: (writes) => attempt(writes[0]?.path ?? "", () => ok(writeFiles(writes, names))),
    move: (from, to) => attempt(from, async () => ok(await moveFile(from, to, names))),
    trash: (path) => attempt(path, async () => ok(await moveToTrash(path, options))),
  };
}

function statOf(path: string): FileStat | undefined {
  checkPath(path);
  try {
    using place = closing(openPlace(path));
    return fileStat(fstatSync(place.descriptor));
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function entriesOf(path: string): readonly DirectoryEntry[] {
  checkPath(path);
  using directory = closing(openDirectory(path));
  return readdirSync(inside(directory.descriptor, "."), { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function removeLeftovers(tag: string, paths: readonly string[]): readonly string[] {
  checkTag(tag);
  return [...new Set(paths.map((path) => dirname(path)))].flatMap((above) => {
    try {
      return removeIn(above, tag);
    } catch (error) {
      if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
      return [];
    }
  });
}

function removeIn(above: string, tag: string): readonly string[] {
  checkPath(above);
  using opened = closing(openDirectory(above));
  const { descriptor: directory } = opened;
  const names = readdirSync(inside(directory, ".")).filter((name) => isTemporaryName(name, tag));
  for (const name of names) removeTree({ directory, name });
  return names.map((name) => join(above, name));
}
