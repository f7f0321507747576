import { readFileSync } from "node:fs";
import { ifPossible } from "../host/failure.ts";
import { namespaceOf, startOf } from "../host/process/process-table.ts";

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
export function livenessOf({ machine, pid, started }: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (machine !== thisMachine()) return "unknown";
  const found = startOf(pid);
  // Without /proc other processes cannot be inspected.
  if (found === undefined && startOf(process.pid) === undefined) return "unknown";
  return found === started ? "alive" : "dead";
}

function thisMachine(): string {
  const boot = ifPossible(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? process.platform;
  return `${boot} ${namespaceOf("self", "pid") ?? ""}`.trim();
}
