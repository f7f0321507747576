import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

export interface ImageOptions {
  /** Not compared: what differs between two plain runs as well. */
  readonly without?: RegExp;
  /** Files whose modification time counts. */
  readonly timed?: readonly string[];
}

/** Every entry below a directory in one line each: kind, mode, content, names that share an inode. */
export function imageOf(root: string, { without, timed = [] }: ImageOptions = {}): Readonly<Record<string, string>> {
  const image: Record<string, string> = {};
  const inodes = new Map<bigint, string>();
  const visit = (directory: Buffer, shown: string): void => {
    for (const bytes of readdirSync(directory, { encoding: "buffer" }).sort(Buffer.compare)) {
      const name = `${shown}${bytes.toString("latin1")}`;
      if (without?.test(name)) continue;
      const place = Buffer.concat([directory, Buffer.from("/"), bytes]);
      const stats = lstatSync(place, { bigint: true });
      const first = stats.isFile() ? (inodes.get(stats.ino) ?? name) : name;
      inodes.set(stats.ino, first);
      const time = timed.includes(name) ? ` ${stats.mtimeNs}` : "";
      image[name] = `${describe(place, stats)}${first === name ? "" : ` = ${first}`}${time}`;
      if (stats.isDirectory()) visit(place, `${name}/`);
    }
  };
  visit(Buffer.from(path.resolve(root)), "");
  return image;
}

function describe(place: Buffer, stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return `link ${readlinkSync(place)}`;
  const mode = (stats.mode & 0o7777n).toString(8);
  if (stats.isDirectory()) return `directory ${mode}`;
  if (!stats.isFile()) return "special";
  const isCompared = stats.size < 1_000_000n && (stats.mode & 0o400n) !== 0n;
  return `file ${mode} ${isCompared ? readFileSync(place, "latin1") : stats.size}`;
}
