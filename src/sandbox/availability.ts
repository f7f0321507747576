import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";

export type Availability =
  | { readonly state: "likely"; readonly bwrap: string }
  /** Something about this machine often stands in the way: only a try can tell. */
  | { readonly state: "doubtful"; readonly bwrap: string }
  | { readonly state: "missing"; readonly reason: string };

/** Finds a program outside the workspace. */
export type ProgramFinder = (name: string) => string | undefined;

/** A cheap look: no process is started. The real proof is every shell's own check before it begins. */
export function checkAvailability(platform: string, find: ProgramFinder): Availability {
  if (platform !== "linux") return { state: "missing", reason: `bubblewrap needs Linux, and this is ${platform}` };
  const bwrap = find("bwrap");
  if (bwrap === undefined)
    return { state: "missing", reason: "bubblewrap is not installed; install it with: apt-get install bubblewrap" };
  if (readSetting("/proc/sys/user/max_user_namespaces") === "0")
    return {
      state: "missing",
      reason: "user namespaces are switched off; allow them with: sysctl -w user.max_user_namespaces=10000",
    };
  if (readSetting("/proc/sys/kernel/unprivileged_userns_clone") === "0" && process.getuid?.() !== 0)
    return {
      state: "missing",
      reason: "user namespaces are for root only; allow them with: sysctl -w kernel.unprivileged_userns_clone=1",
    };
  const filtered = /^Seccomp:\s*2$/m.test(readSetting("/proc/self/status") ?? "");
  const restricted = readSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1";
  return { state: filtered || restricted ? "doubtful" : "likely", bwrap };
}

/** The first program of this name on a path. */
export function findProgram(name: string, path: readonly string[]): string | undefined {
  return path.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
