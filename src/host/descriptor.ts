import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { isNormalised } from "../contract/effect.ts";
import { Refused, shown } from "./failure.ts";

const { O_NOFOLLOW, O_NONBLOCK } = constants;

/** Linux: a descriptor that names a place and can neither read nor write it, and so never blocks on a device. */
const O_PATH = 0o10000000;

/**
 * Opens `path` and proves that the descriptor is that very path: the kernel is asked where it ended up, so a
 * link anywhere on the way, swapped in at any moment, is seen. `through` may name the same place by way of a
 * descriptor that was verified before.
 */
export function openExactly(path: string, flags: number, through = path): number {
  const descriptor = openSync(through, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    verify(descriptor, path);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

/** The place only, also that of a link: good for metadata and, for a directory, to reach what is in it. */
export function openPlace(path: string, through = path): number {
  return openExactly(path, O_PATH, through);
}

export function openDirectory(path: string, through = path): number {
  const descriptor = openPlace(path, through);
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) return descriptor;
  closeSync(descriptor);
  throw stats.isSymbolicLink()
    ? elsewhere(path)
    : new Refused("runtime_precondition_failed", `${shown(path)} is not a directory`);
}

export function verify(descriptor: number, path: string): void {
  if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) throw elsewhere(path);
}

/** A name inside an open directory, whatever happens to the directory's own path. */
export function inside(directory: number, name: string): string {
  return `/proc/self/fd/${directory}/${name}`;
}

/** Only absolute, normalised paths whose bytes survive decoding can be compared with what the kernel says. */
export function checkPath(path: string): void {
  if (isNormalised(path) && !/[\0\ufffd]/.test(path)) return;
  throw new Refused("effect_not_permitted", `${shown(path)} is not a resolved path`, { happened: "nothing" });
}

function elsewhere(path: string): Refused {
  return new Refused("effect_not_permitted", `${shown(path)} is a link or lies behind one; it was not followed`, {
    happened: "nothing",
  });
}
