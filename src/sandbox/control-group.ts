import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "../host/failure.ts";
import { isLiving } from "../host/process-table.ts";

export type Controller = "memory" | "pids";

/** Where a group can be made that holds a limit, and the file that takes the limit there. */
export interface GroupPlace {
  readonly controller: Controller;
  readonly parent: string;
  readonly limitFile: string;
}

const limitFiles = {
  old: { memory: "memory.limit_in_bytes", pids: "pids.max" },
  unified: { memory: "memory.max", pids: "pids.max" },
};

/**
 * A group below our own, in the controller's own tree where it has one. In the unified tree only a group that hands
 * the controller on can hold a limit, and that is never the one we are in ourselves.
 */
export function findGroupPlace(
  controller: Controller,
  kernel: { readonly groups: string; readonly mounts: string } = {
    groups: readText("/proc/self/cgroup"),
    mounts: readText("/proc/self/mounts"),
  },
): GroupPlace | undefined {
  const mounts = kernel.mounts.split("\n").map((line) => line.split(" "));
  for (const line of kernel.groups.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    const unified = controllers === "";
    if (!unified && !controllers.split(",").includes(controller)) continue;
    const mount = mounts.find(([, , type, options]) =>
      unified ? type === "cgroup2" : type === "cgroup" && options?.split(",").includes(controller),
    );
    if (mount?.[1] === undefined) continue;
    const parent = unified ? handingOn(controller, mount[1], path) : join(mount[1], path);
    const limitFile = limitFiles[unified ? "unified" : "old"][controller];
    if (parent !== undefined && isWritable(join(parent, "cgroup.procs"))) return { controller, parent, limitFile };
  }
  return undefined;
}

function handingOn(controller: Controller, mount: string, path: string): string | undefined {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const above = join(mount, dirname(at));
    if (readText(join(above, "cgroup.subtree_control")).split(/\s+/).includes(controller) && isWritable(above))
      return above;
  }
  return undefined;
}

/** All commands of this process together, below one limit. Made when the first comes, and again whenever it is gone. */
export class ControlGroup {
  readonly #place: GroupPlace;
  readonly #limit: number;
  readonly #path: string;

  constructor(place: GroupPlace, limit: number) {
    this.#place = place;
    this.#limit = limit;
    this.#path = join(place.parent, `gauntlet-${process.pid}-${limit}`);
  }

  /** Whatever this process starts from now on is in the group as well. Rejects when it cannot be held. */
  async hold(pid: number): Promise<void> {
    // The kernel may take tens of milliseconds for this: not on the thread that everything else runs on.
    const move = () => writeFile(join(this.#path, "cgroup.procs"), String(pid));
    try {
      await move();
    } catch (error) {
      if (!["ENOENT", "ENODEV"].includes(errnoOf(error) ?? "")) throw error;
      this.#make();
      await move();
    }
  }

  /** Removes it unless something runs in it. */
  rest(): void {
    remove(this.#path);
  }

  #make(): void {
    const { parent, limitFile } = this.#place;
    removeAbandoned(parent);
    mkdirSync(this.#path, { recursive: true });
    writeFileSync(join(this.#path, limitFile), String(this.#limit));
  }
}

/** Groups of runtimes that were killed. One with processes in it cannot be removed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^gauntlet-(\d+)-\d+$/.exec(name)?.[1];
    if (pid !== undefined && !isLiving(Number(pid))) remove(join(parent, name));
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
