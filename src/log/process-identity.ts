import { readFileSync, readlinkSync } from "node:fs";

/** `started` tells a process from a later one with the same number; `machine` names the boot and the pid namespace. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
  readonly machine: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) ?? "unknown", machine: thisMachine() };
}

/** `unknown` for another machine, pid namespace or boot. */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (identity.machine !== thisMachine()) return "unknown";
  if (!exists(identity.pid)) return "dead";
  const started = startOf(identity.pid);
  if (started === undefined) return hasProc() ? "dead" : "alive";
  return started === identity.started ? "alive" : "dead";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Clock ticks since boot; `undefined` for a process that has ended. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The program name, in parentheses, may itself hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return fields[19];
}

function hasProc(): boolean {
  return readText("/proc/self/stat") !== undefined;
}

function thisMachine(): string {
  const boot = readText("/proc/sys/kernel/random/boot_id")?.trim() ?? process.platform;
  try {
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return boot;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
