import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const page = 4_096;
/** Of the clock that the kernel counts processor time with. */
const tickMs = 10;

export interface ProcessFigures {
  readonly residentBytes: number;
  readonly processorMs: number;
}

/** Of a process and everything that it started and that still runs. */
export function treeFigures(pid: number): ProcessFigures {
  const children = new Map<number, { pid: number; fields: readonly string[] }[]>();
  let root: readonly string[] | undefined;
  for (const name of readdirSync("/proc")) {
    const fields = /^\d+$/.test(name) ? statFields(name) : undefined;
    if (fields === undefined) continue;
    if (Number(name) === pid) root = fields;
    const parent = Number(fields[1]);
    children.set(parent, [...(children.get(parent) ?? []), { pid: Number(name), fields }]);
  }
  const sum = (own: readonly string[], of: number): ProcessFigures =>
    (children.get(of) ?? []).reduce((total, child) => {
      const below = sum(child.fields, child.pid);
      return {
        residentBytes: total.residentBytes + below.residentBytes,
        processorMs: total.processorMs + below.processorMs,
      };
    }, figuresOf(own));
  return root === undefined ? { residentBytes: 0, processorMs: 0 } : sum(root, pid);
}

/** From the state on; the name before it may hold anything. */
function statFields(pid: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** With the processor time of children that ended. */
function figuresOf(fields: readonly string[]): ProcessFigures {
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
  return { residentBytes: Number(fields[21]) * page, processorMs: ticks * tickMs };
}

/** Of all files below, except caches that a later start makes anew. */
export function bytesBelow(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes("/cache/"))
    .reduce((sum, { parentPath, name }) => sum + sizeOf(path.join(parentPath, name)), 0);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
