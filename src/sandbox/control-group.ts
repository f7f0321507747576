import { randomUUID } from "node:crypto";
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

const mostAttempts = 5;
/** Processes that were ended may stay in their group for a while. */
const mostRemovals = 20;
const removalMs = 50;

/**
 * All commands of one sandbox together, below one limit. Made when the first comes, and again whenever it is gone.
 * Nobody else in this process has the same one, so nobody else takes it away while a command is on its way in.
 */
export class ControlGroup {
  readonly #place: GroupPlace;
  readonly #limit: number;
  readonly #path: string;
  #joining = 0;
  #removal: NodeJS.Timeout | undefined;

  constructor(place: GroupPlace, limit: number) {
    this.#place = place;
    this.#limit = limit;
    this.#path = join(place.parent, `gauntlet-${process.pid}-${limit}-${randomUUID().slice(0, 8)}`);
  }

  /** Whatever this process starts from now on is in the group as well. Rejects when it cannot be held. */
  async hold(pid: number): Promise<void> {
    this.#joining++;
    try {
      for (let attempt = 1; ; attempt++) {
        const missing = await this.#move(pid);
        if (missing === undefined) return;
        if (attempt === mostAttempts) throw missing;
        this.#make();
      }
    } finally {
      this.#joining--;
    }
  }

  /** Removes it when nothing runs in it any more and nothing is about to. */
  rest(): void {
    clearTimeout(this.#removal);
    this.#remove(mostRemovals);
  }

  #remove(attempts: number): void {
    const idle = this.#joining === 0;
    if (idle && (removeGroup(this.#path) || attempts === 1)) return;
    this.#removal = setTimeout(() => this.#remove(idle ? attempts - 1 : attempts), removalMs).unref();
  }

  /** Gives the error when there is no such group. One that goes while it is being joined fails with ENODEV. */
  async #move(pid: number): Promise<unknown> {
    try {
      // The kernel may take tens of milliseconds for this: not on the thread that everything else runs on.
      await writeFile(join(this.#path, "cgroup.procs"), String(pid));
      return undefined;
    } catch (error) {
      if (!isGone(error)) throw error;
      return error;
    }
  }

  #make(): void {
    const { parent, limitFile } = this.#place;
    try {
      removeAbandoned(parent);
      mkdirSync(this.#path, { recursive: true });
      writeFileSync(join(this.#path, limitFile), String(this.#limit));
    } catch (error) {
      // Then it is not there when it is tried again.
      if (!isGone(error)) throw error;
    }
  }
}

function isGone(error: unknown): boolean {
  return ["ENOENT", "ENODEV"].includes(errnoOf(error) ?? "");
}

/** Groups of runtimes that were killed. One with processes in it cannot be removed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^gauntlet-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isLiving(Number(pid))) removeGroup(join(parent, name));
  }
}

/** False when something is in it. */
function removeGroup(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno !== "EBUSY";
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
