import { accessSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./failure.ts";

export interface KnownDirectory {
  readonly path: string;
  readonly inode: number;
  readonly mode: number;
  /** Moves whenever a name in the directory comes or goes. Unlike the modification time it cannot be set back. */
  readonly ctimeMs: number;
  /** Read long enough after the last change that a later one must show in `ctimeMs`. */
  readonly settled: boolean;
  readonly directories: readonly string[];
  readonly others: readonly string[];
  /** It is our user's and cannot be looked into. Whoever runs as this user can open it: it may hold anything. */
  readonly shut?: true;
  /** Only where a name is not valid text: directories by their bytes, which alone lead into them. */
  readonly undecodable?: readonly { readonly name: string; readonly bytes: Buffer }[];
}

export interface DirectoryPlace {
  readonly path: string;
  /** Where `path` is not what the kernel calls it. */
  readonly bytes?: Buffer;
}

const settledMs = 50;
/** Some file systems count in whole seconds, or in two at a time. */
const coarselySettledMs = 2_050;

/** Stands in a name for bytes that are not valid text. */
const undecoded = "\ufffd";

/** `undefined` when it is no directory, or somebody else's that cannot be read. */
export function readDirectory({ path, bytes }: DirectoryPlace, now: number): KnownDirectory | undefined {
  const place = bytes ?? path;
  const stats = directoryStats(place);
  if (stats === undefined) return isShutAbove(place) ? shutDirectory(path) : undefined;
  const { ino: inode, ctimeMs, mode } = stats;
  if (isShut(stats, place)) return shutDirectory(path, stats);
  const directories: string[] = [];
  const others: string[] = [];
  try {
    for (const entry of readdirSync(place, { withFileTypes: true }))
      (entry.isDirectory() ? directories : others).push(entry.name);
    const shared = { path, inode, mode, ctimeMs, settled: isSettled(ctimeMs, now) };
    if (bytes === undefined && !directories.some((name) => name.includes(undecoded)))
      return { ...shared, directories, others };
    const inBytes = Buffer.concat([bytes ?? Buffer.from(path), Buffer.from("/")]);
    const undecodable = readdirSync(place, { withFileTypes: true, encoding: "buffer" })
      .filter((entry) => entry.isDirectory())
      .filter((entry) => bytes !== undefined || isUndecodable(entry))
      .map(({ name }) => ({ name: name.toString(), bytes: Buffer.concat([inBytes, name]) }));
    const decoded = bytes === undefined ? directories.filter((name) => !name.includes(undecoded)) : [];
    return { ...shared, directories: decoded, others, undecodable };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // Shut since it was looked at.
    return errnoOf(error) === "EACCES" && isOurs(stats) ? shutDirectory(path, stats) : undefined;
  }
}

/** Never settled: that it was opened leaves no trace in what is above it. */
function shutDirectory(path: string, { ino: inode, mode } = { ino: 0, mode: 0 }): KnownDirectory {
  return { path, inode, mode, ctimeMs: 0, settled: false, directories: [], others: [], shut: true };
}

/** Not by the mode alone: some processes may look where it forbids that. */
function isShut(stats: Stats, place: string | Buffer): boolean {
  if ((stats.mode & 0o500) === 0o500 || !isOurs(stats)) return false;
  try {
    accessSync(place, constants.R_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

/** What was there a moment ago can only be out of reach because a directory on the way was shut since. */
function isShutAbove(place: string | Buffer): boolean {
  try {
    lstatSync(place, unlessMissing);
    return false;
  } catch (error) {
    if (errnoOf(error) !== "EACCES") return false;
    const above = lstatSync(dirname(place.toString()), unlessMissing);
    return above === undefined || isOurs(above);
  }
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.geteuid?.();
}

/** One call to the kernel, and the only thing that is done for a directory as long as nothing changes. */
export function isUnchanged({ path, settled, ctimeMs, inode }: KnownDirectory): boolean {
  if (!settled) return false;
  const stats = directoryStats(path);
  return stats !== undefined && stats.ctimeMs === ctimeMs && stats.ino === inode;
}

export function isSettled(ctimeMs: number, now: number): boolean {
  return ctimeMs < now - (ctimeMs % 1_000 === 0 ? coarselySettledMs : settledMs);
}

export function childPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

const unlessMissing = { throwIfNoEntry: false } as const;

function directoryStats(place: string | Buffer): Stats | undefined {
  try {
    const stats = lstatSync(place, unlessMissing);
    return stats?.isDirectory() ? stats : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function isUndecodable({ name }: Dirent<Buffer>): boolean {
  return name.toString().includes(undecoded);
}
