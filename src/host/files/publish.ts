import { closeSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { errnoOf } from "../failure.ts";
import { createNew } from "./descriptor.ts";

// `link` fails with EEXIST, so nothing is ever replaced. It is a parameter because some file systems have no hard
// links.
export function publishNew(from: string, to: string, link: typeof linkSync = linkSync): void {
  try {
    link(from, to);
  } catch (error) {
    if (!withoutHardLinks.has(errnoOf(error) ?? "")) throw error;
    publishOverClaim(from, to);
    return;
  }
  unlinkSync(from);
}

/** Claims the name with an empty file first, so that it never replaces another file. */
function publishOverClaim(from: string, to: string): void {
  closeSync(createNew(to, 0o600));
  try {
    renameSync(from, to);
  } catch (error) {
    unlinkSync(to);
    throw error;
  }
}

export function keepAs(name: string, kept: string, link: typeof linkSync = linkSync): void {
  try {
    link(name, kept);
  } catch (error) {
    if (!withoutHardLinks.has(errnoOf(error) ?? "")) throw error;
    renameSync(name, kept);
  }
}

/** EPERM can also mean a file of another owner, which the kernel may forbid to link. */
const withoutHardLinks = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK"]);
