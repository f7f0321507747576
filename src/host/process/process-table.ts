import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { errnoOf } from "../failure.ts";

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly started: string;
  readonly zombie: boolean;
}

export function listProcesses(): readonly ProcessFacts[] {
  const found: ProcessFacts[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const facts = Number.isInteger(pid) ? lookAtProcess(pid) : undefined;
    if (facts !== undefined) found.push(facts);
  }
  return found;
}

function lookAtProcess(pid: number): ProcessFacts | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may itself hold parentheses and blanks.
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
  return new Map(
    text.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
}

export function namespaceOf(pid: number | "self", kind: "ipc" | "net"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Was this entry in the environment the process was started with? Only our own user's can be seen. */
export function startedWith(pid: number, entry: string): boolean {
  return readProc(`/proc/${pid}/environ`)?.split("\0").includes(entry) ?? false;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
