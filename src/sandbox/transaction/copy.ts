import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { Refused } from "../../host/failure.ts";

/** Smaller files are copied without a look at the free space. */
const checkedBytes = 64_000_000n;

/** The first copy of each file that has more than one name, by the inode of its source. */
export type Links = Map<string, Buffer>;

/**
 * Copies an entry to a free name on another file system, with mode, times and hard links. Paths are bytes, because a
 * directory may hold names that are not valid text.
 */
export function copyEntry(from: Buffer, to: Buffer, links: Links): void {
  const stats = lstatSync(from, { bigint: true });
  const times = [Number(stats.atimeNs) / 1e9, Number(stats.mtimeNs) / 1e9] as const;
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, "buffer"), to);
    lutimesSync(to, ...times);
    return;
  }
  if (stats.isDirectory()) {
    mkdirSync(to, 0o700);
    for (const name of readdirSync(from, { encoding: "buffer" })) copyEntry(below(from, name), below(to, name), links);
  } else if (stats.isFile()) {
    const inode = `${stats.dev} ${stats.ino}`;
    // The other names may be gone by now.
    const first = links.get(inode);
    if (first !== undefined) {
      linkSync(first, to);
      return;
    }
    if (stats.size > checkedBytes) checkSpace(to, stats.size);
    copyFileSync(from, to);
    if (stats.nlink > 1n) links.set(inode, to);
    // To open a FIFO or a device could block for ever.
  } else writeFileSync(to, "");
  chmodSync(to, Number(stats.mode & 0o7777n));
  utimesSync(to, ...times);
}

/** Puts a copy in the place of every file below: a process that holds one open cannot write to what is there now. */
export function renewFiles(directory: Buffer, draft: Buffer, links: Links = new Map()): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, encoding: "buffer" })) {
    const path = below(directory, entry.name);
    if (entry.isDirectory()) renewFiles(path, draft, links);
    if (!entry.isFile()) continue;
    const { mode } = lstatSync(path);
    chmodSync(path, mode | 0o400);
    copyEntry(path, draft, links);
    chmodSync(draft, mode);
    renameSync(draft, path);
    renameLinks(links, draft, path);
  }
}

/** A file with holes may be larger than any disk, and its copy has no holes. */
function checkSpace(to: Buffer, size: bigint): void {
  const { bavail, bsize } = statfsSync(to.subarray(0, to.lastIndexOf("/")), { bigint: true });
  if (size > bavail * bsize)
    throw new Refused("tool_failed", "A changed file is larger than the free space of the workspace.");
}

/** After a copy got another name. */
export function renameLinks(links: Links, old: Buffer, now: Buffer): void {
  for (const [inode, path] of links)
    if (path.subarray(0, old.length).equals(old)) links.set(inode, Buffer.concat([now, path.subarray(old.length)]));
}

function below(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from("/"), name]);
}
