import { readFileSync } from "node:fs";
import { release } from "node:os";
import { type Failure, fail } from "../../contract/codes.ts";
import { errnoOf } from "../../host/failure.ts";
import { ControlGroup, type Controller, findGroupPlaces } from "./control-group.ts";

export interface LimitOptions {
  readonly pids?: number;
  readonly memoryBytes?: number;
}

export interface Limits {
  readonly pids: { readonly most: number; readonly by: "control group" | "user namespace" | undefined };
  readonly memory: { readonly most: number; readonly by: "control group" | undefined } | undefined;
  readonly ownPids: number | undefined;
  readonly doors: readonly (() => number | undefined)[];
  approach(starter: number): void;
  hold(shell: number): Failure | undefined | Promise<Failure | undefined>;
  rest(): void;
}

const defaultPids = 4_096;
const controllers = ["pids", "memory"] as const;

// The sandbox's user namespace counts an unprivileged user's processes. Those of root need a control group, like
// memory.
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
