import { type BigIntStats, lstatSync } from "node:fs";
import type { Mount } from "./mount-plan.ts";
import type { ShellPlan } from "./shell-plan.ts";

/**
 * Equal keys mean that a sandbox started for the one plan is right for the other: the same plan, and the same things
 * on the disk behind it. A mount lies on a file and not on its name: when somebody puts another file in its place, the
 * sandbox that waits sees that file without the mount.
 */
export function planKey(plan: ShellPlan): string {
  return JSON.stringify([plan, plan.mounts.map(identityOf), plan.files.map(contentOf)]);
}

function identityOf({ kind, path }: Mount): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return "missing";
  // A directory changes whenever a name in it does, and stays the same directory.
  return stats.isDirectory() && (kind === "show" || kind === "view")
    ? directoryIdentity(stats)
    : `${directoryIdentity(stats)} ${stats.ctimeNs}`;
}

/** An inode number is used again as soon as it is free; the time of birth tells the two apart. */
function directoryIdentity({ dev, ino, birthtimeNs, mode }: BigIntStats): string {
  return `${dev} ${ino} ${birthtimeNs} ${mode}`;
}

/** Of a copy: the state of the original. */
function contentOf(file: ShellPlan["files"][number]): string {
  if (!("copyOf" in file)) return "";
  const stats = lstatSync(file.copyOf, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "missing" : `${stats.ino} ${stats.mtimeNs}`;
}
