import { readFileSync } from "node:fs";
import { release } from "node:os";
import { type Failure, fail } from "../contract/codes.ts";
import { errnoOf } from "../host/failure.ts";
import { ControlGroup, findGroupPlace } from "./control-group.ts";

export interface LimitOptions {
  /** How many processes and threads there may be at a time. */
  readonly pids?: number;
  readonly memoryBytes?: number;
}

/** What this machine holds a command to, and by what. */
export interface Limits {
  readonly pids: { readonly most: number; readonly by: "control group" | "user namespace" | undefined };
  readonly memory: { readonly most: number; readonly by: "control group" | undefined } | undefined;
  /** What the shell sets for itself before it begins. */
  readonly ownPids: number | undefined;
  /** Before the shell begins. `undefined`: there is nothing to wait for. */
  readonly hold: ((shell: number) => Promise<Failure | undefined>) | undefined;
  rest(): void;
}

const defaultPids = 4_096;

/**
 * An unprivileged user's processes are counted by the sandbox's own user namespace, which costs nothing. The kernel
 * does not count those of root, so they need a control group, like memory does.
 */
export function findLimits({ pids = defaultPids, memoryBytes }: LimitOptions): Limits {
  const counted = !isMachineRoot() && countsByNamespace(release());
  const pidsPlace = counted ? undefined : findGroupPlace("pids");
  const memoryPlace = memoryBytes === undefined ? undefined : findGroupPlace("memory");
  const groups: ControlGroup[] = [];
  if (pidsPlace !== undefined) groups.push(new ControlGroup(pidsPlace, pids));
  if (memoryPlace !== undefined && memoryBytes !== undefined) groups.push(new ControlGroup(memoryPlace, memoryBytes));
  return {
    pids: { most: pids, by: counted ? "user namespace" : pidsPlace && "control group" },
    memory: memoryBytes === undefined ? undefined : { most: memoryBytes, by: memoryPlace && "control group" },
    ownPids: counted ? pids : undefined,
    hold: groups.length === 0 ? undefined : (shell) => holdIn(groups, shell),
    rest: () => {
      for (const group of groups) group.rest();
    },
  };
}

async function holdIn(groups: readonly ControlGroup[], shell: number): Promise<Failure | undefined> {
  try {
    await Promise.all(groups.map((group) => group.hold(shell)));
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return fail("sandbox_unavailable", `The command could not be held to its limits: ${errno}. Nothing was run.`)
      .failure;
  }
}

/** Root of a container that maps it to somebody else is counted like everybody. */
function isMachineRoot(): boolean {
  return process.getuid?.() === 0 && /^\s*0\s+0\s/m.test(readFileSync("/proc/self/uid_map", "utf8"));
}

/** Since 5.14. Before, all processes of the user counted together, those of other programs too. */
function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
