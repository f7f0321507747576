import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, unlinkSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../src/contract/effect.ts";

/** Where the kernel itself gets to by a path, or how it refuses. */
export type Reached =
  | {
      readonly end: "there";
      readonly path: string;
      readonly kind: "file" | "directory" | "special";
      readonly links: number;
    }
  /** Nothing is there, and a file made by this path would lie here. */
  | { readonly end: "could be made"; readonly path: string }
  | { readonly end: "refused"; readonly errno: string };

/** Files are made, and removed at once, only inside `fence`. */
export function reach(written: string, fence: string): Reached {
  const opened = open(written, constants.O_RDONLY | constants.O_NONBLOCK);
  if (typeof opened === "number") return lookedAt(opened);
  if (opened !== "ENOENT") return { end: "refused", errno: opened };
  const where = emptyPlace(written);
  if (where === undefined) return { end: "refused", errno: opened };
  if (!isInside(where, fence)) return { end: "could be made", path: where };
  const made = open(where, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
  if (typeof made !== "number") return { end: "refused", errno: made };
  const { path: reached } = lookedAt(made);
  unlinkSync(reached);
  return { end: "could be made", path: reached };
}

/** A name that is free in a directory that is there. A link that leads nowhere is followed by nobody here. */
function emptyPlace(written: string): string | undefined {
  const [, directory = "", name = ""] = /^(.*)\/([^/]*)$/s.exec(written) ?? [];
  if (name === "" || name === "." || name === "..") return undefined;
  try {
    const place = path.join(realpathSync.native(directory === "" ? "/" : directory), name);
    return lstatSync(place, { throwIfNoEntry: false }) === undefined ? place : undefined;
  } catch {
    return undefined;
  }
}

function open(written: string, flags: number): number | string {
  try {
    return openSync(written, flags, 0o600);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}

function lookedAt(descriptor: number): Extract<Reached, { end: "there" }> {
  try {
    const reached = readlinkSync(`/proc/self/fd/${descriptor}`);
    const stats = fstatSync(descriptor);
    const kind = stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "special";
    return { end: "there", path: reached, kind, links: stats.nlink };
  } finally {
    closeSync(descriptor);
  }
}
