import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { ifPossible } from "../failure.ts";

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly started: string;
  readonly zombie: boolean;
}

export function listProcesses(): readonly ProcessFacts[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.flatMap((pid) => lookAtProcess(pid) ?? []);
}

function lookAtProcess(pid: number): ProcessFacts | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may itself contain parentheses and blanks.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? "",
    zombie: state === "Z" || state === "X",
  };
}

export function startOf(pid: number): string | undefined {
  const facts = lookAtProcess(pid);
  return facts === undefined || facts.zombie ? undefined : facts.started;
}

export function isLiving(pid: number): boolean {
  return lookAtProcess(pid)?.zombie === false;
}

export function childrenOf(pid: number): readonly number[] {
  const list = readProc(`/proc/${pid}/task/${pid}/children`);
  if (list !== undefined) return list.split(" ").filter(Boolean).map(Number);
  if (lookAtProcess(pid) === undefined) return [];
  return listProcesses()
    .filter(({ parent }) => parent === pid)
    .map((facts) => facts.pid);
}

export function statusOf(pid: number): ReadonlyMap<string, string> | undefined {
  const text = readProc(`/proc/${pid}/status`);
  if (text === undefined) return undefined;
  return new Map(Array.from(text.matchAll(/^([^:\n]*):(.*)$/gm), ([, key = "", value = ""]) => [key, value.trim()]));
}

export function namespaceOf(pid: number | "self", kind: "ipc" | "net" | "pid"): string | undefined {
  return ifPossible(() => readlinkSync(`/proc/${pid}/ns/${kind}`));
}

/** Whether the process was started with this environment entry. Only processes of our own user are readable. */
export function startedWith(pid: number, entry: string): boolean {
  return readProc(`/proc/${pid}/environ`)?.split("\0").includes(entry) ?? false;
}

function readProc(path: string): string | undefined {
  return ifPossible(() => readFileSync(path, "utf8"));
}
