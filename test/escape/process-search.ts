import { readdirSync, readFileSync } from "node:fs";
import { childrenOf } from "../../src/host/process/process-table.ts";

/** A shell that waits has this in its command line, and not the text that it will run. */
const waitingMark = "GAUNTLET_WORD";

/** Leaders of the sandboxes that a runtime started ahead, or had started, and in which a shell is there to wait. */
export function waitingSandboxes(runtime: number): readonly number[] {
  const children = childrenOf(runtime);
  return [...children, ...children.flatMap(childrenOf)].filter(
    (leader) => isBubblewrap(leader) && childrenOf(leader).flatMap(childrenOf).some(waits),
  );
}

function isBubblewrap(pid: number): boolean {
  return /^[^\0]*\/bwrap\0/.test(commandLine(pid));
}

function waits(pid: number): boolean {
  return commandLine(pid).includes(waitingMark);
}

/** Living processes of this machine whose command line holds this text, in whatever namespace they are. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandLine(pid).includes(text));
}

/** Empty for a zombie and for one that is gone. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
