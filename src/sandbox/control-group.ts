import { randomUUID } from "node:crypto";
import { constants, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../host/failure.ts";
import { isLiving } from "../host/process-table.ts";
import { type Controller, type GroupPlace, groupsIn } from "./group-place.ts";
import { readText } from "./read-text.ts";

const mostAttempts = 5;
/** Processes that were ended may stay in their group for a while. */
const mostRemovals = 20;
const removalMs = 50;

/**
 * All commands of one sandbox together, below the same limits. Made when the first comes, and again whenever it is gone.
 * Nobody else in this process has the same one, so nobody else takes it away while a command is on its way in.
 */
export class ControlGroup {
  readonly #place: GroupPlace;
  readonly #most: Readonly<Partial<Record<Controller, number>>>;
  readonly #path: string;
  /** As the kernel tells it of a process that is in here. */
  readonly #name: string;
  #joining = 0;
  #removal: NodeJS.Timeout | undefined;

  constructor(place: GroupPlace, most: Readonly<Partial<Record<Controller, number>>>) {
    const limits = place.limits.map(({ controller }) => most[controller]).join("-");
    const own = `gauntlet-${process.pid}-${limits}-${randomUUID().slice(0, 8)}`;
    this.#place = place;
    this.#most = most;
    this.#path = join(place.parent, own);
    this.#name = join(place.name, own);
  }

  /**
   * For a process that is about to start: what it may move itself in with. The caller closes it. No promise: the group
   * may go before it is used, so whoever needs to know asks `holds`.
   */
  openDoor(): number | undefined {
    const { door } = this.#place;
    if (door === undefined) return undefined;
    try {
      if (!existsSync(this.#path)) this.#make();
      return openSync(join(this.#path, door), constants.O_WRONLY);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Is it in here, by the kernel's own word? */
  holds(pid: number): boolean {
    const groups = groupsIn(readText(`/proc/${pid}/cgroup`)).filter(({ path }) => path === this.#name);
    const { door, limits } = this.#place;
    return groups.some((group) =>
      door === undefined ? group.unified : limits.every(({ controller }) => group.controllers.includes(controller)),
    );
  }

  /** Where there is no door: once the starter was moved, the kernel moves what it started without another wait. */
  approach(starter: number): void {
    if (this.#place.door !== undefined) return;
    // Whatever is wrong shows again with the process that has to be held.
    this.hold(starter).catch(() => {});
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
    const { limits, parent } = this.#place;
    try {
      removeAbandoned(parent);
      mkdirSync(this.#path, { recursive: true });
      for (const { controller, file } of limits) {
        const most = this.#most[controller];
        if (most !== undefined) writeFileSync(join(this.#path, file), String(most));
      }
    } catch (error) {
      // One without its limit must not be found the next time.
      removeGroup(this.#path);
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
