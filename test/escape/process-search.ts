import { readdirSync, readFileSync } from "node:fs";

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
