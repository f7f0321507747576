import { readFileSync } from "node:fs";
import { release } from "node:os";
import { type Failure, fail } from "../../contract/codes.ts";
import { errnoOf } from "../../host/failure.ts";
import { ControlGroup, type Controller, findGroupPlaces } from "./control-group.ts";

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
  /** A shell that starts puts itself under the limits by writing `0` to each that opens. The caller closes them. */
  readonly doors: readonly (() => number | undefined)[];
  /** The process that is about to start the shell. Where there are no doors, `hold` then has less to wait for. */
  approach(starter: number): void;
  /** Before the shell begins, whatever it did itself. */
  hold(shell: number): Failure | undefined | Promise<Failure | undefined>;
  rest(): void;
}

const defaultPids = 4_096;
const controllers = ["pids", "memory"] as const;

/**
 * An unprivileged user's processes are counted by the sandbox's own user namespace, which costs nothing. The kernel
 * does not count those of root, so they need a control group, like memory does.
 */
export function findLimits({ pids = defaultPids, memoryBytes }: LimitOptions): Limits {
  const counted = !isMachineRoot() && countsByNamespace(release());
  const most = { ...(counted ? {} : { pids }), ...(memoryBytes === undefined ? {} : { memory: memoryBytes }) };
  const places = findGroupPlaces(controllers.filter((controller) => controller in most));
  const groups = places.map((place) => new ControlGroup(place, most));
  const byGroup = (controller: Controller) =>
    places.some(({ limits }) => limits.some((limit) => limit.controller === controller)) ? "control group" : undefined;
  return {
    pids: { most: pids, by: counted ? "user namespace" : byGroup("pids") },
    memory: memoryBytes === undefined ? undefined : { most: memoryBytes, by: byGroup("memory") },
    ownPids: counted ? pids : undefined,
    doors: groups.map((group) => () => group.openDoor()),
    approach: (starter) => {
      for (const group of groups) group.approach(starter);
    },
    hold: (shell) => {
      const missing = groups.filter((group) => !group.holds(shell));
      return missing.length === 0 ? undefined : holdIn(missing, shell);
    },
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
