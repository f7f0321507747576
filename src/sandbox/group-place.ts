import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "./read-text.ts";

export type Controller = "memory" | "pids";

/** Where a group can be made that holds limits, and the files that take them there. */
export interface GroupPlace {
  readonly parent: string;
  /** What the kernel calls the parent when it tells where a process is. */
  readonly name: string;
  readonly limits: readonly { readonly controller: Controller; readonly file: string }[];
  /**
   * A process that writes `0` here moves itself in, at once. To move another, the kernel first waits for all that are
   * about to fork. Only trees of the controllers' own have it.
   */
  readonly door?: "tasks";
}

const limitFiles = {
  own: { memory: "memory.limit_in_bytes", pids: "pids.max" },
  unified: { memory: "memory.max", pids: "pids.max" },
};

/**
 * Groups below our own, in the controllers' own trees where they have any. A process is in one group of each tree, so
 * limits in the same tree share one. In the unified tree only a group that hands a controller on can hold its limit,
 * and that is never the one we are in ourselves.
 */
export function findGroupPlaces(
  controllers: readonly Controller[],
  kernel: { readonly groups: string; readonly mounts: string } = {
    groups: readText("/proc/self/cgroup"),
    mounts: readText("/proc/self/mounts"),
  },
): readonly GroupPlace[] {
  const mounts = kernel.mounts.split("\n").map((line) => line.split(" "));
  const missing = new Set(controllers);
  const places: GroupPlace[] = [];
  for (const group of groupsIn(kernel.groups)) {
    const [, mount] =
      mounts.find(([, , type, options = ""]) =>
        group.unified
          ? type === "cgroup2"
          : type === "cgroup" && group.controllers.every((one) => options.split(",").includes(one)),
      ) ?? [];
    if (mount === undefined) continue;
    const wanted = [...missing].filter((one) => group.unified || group.controllers.includes(one));
    const place = group.unified ? unifiedPlace(wanted, mount, group.path) : ownPlace(wanted, mount, group.path);
    if (place === undefined || !isWritable(join(place.parent, "cgroup.procs"))) continue;
    places.push(place);
    for (const { controller } of place.limits) missing.delete(controller);
  }
  return places;
}

interface Group {
  readonly unified: boolean;
  /** None are named in the unified tree. */
  readonly controllers: readonly string[];
  readonly path: string;
}

/** As the kernel tells of a process in which groups it is. */
export function groupsIn(text: string): readonly Group[] {
  return text.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    return { unified: controllers === "", controllers: controllers.split(",").filter(Boolean), path };
  });
}

function ownPlace(controllers: readonly Controller[], mount: string, path: string): GroupPlace | undefined {
  if (controllers.length === 0) return undefined;
  const limits = controllers.map((controller) => ({ controller, file: limitFiles.own[controller] }));
  return { parent: join(mount, path), name: path, limits, door: "tasks" };
}

function unifiedPlace(controllers: readonly Controller[], mount: string, path: string): GroupPlace | undefined {
  const handed = controllers.filter((controller) => handingOn([controller], mount, path) !== undefined);
  const name = handed.length === 0 ? undefined : handingOn(handed, mount, path);
  if (name === undefined) return undefined;
  const limits = handed.map((controller) => ({ controller, file: limitFiles.unified[controller] }));
  return { parent: join(mount, name), name, limits };
}

/** The nearest group above us that hands all of them on. */
function handingOn(controllers: readonly Controller[], mount: string, path: string): string | undefined {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const above = dirname(at);
    const directory = join(mount, above);
    const handed = readText(join(directory, "cgroup.subtree_control")).split(/\s+/);
    if (controllers.every((controller) => handed.includes(controller)) && isWritable(directory)) return above;
  }
  return undefined;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
