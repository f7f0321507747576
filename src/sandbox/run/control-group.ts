import { randomUUID } from "node:crypto";
import { constants, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "../../host/failure.ts";
import { isWritable } from "../../host/files/look.ts";
import { readText } from "../../host/files/read-small-text.ts";
import { isLiving } from "../../host/process/process-table.ts";

const mostAttempts = 5;
const mostRemovals = 20;
const removalMs = 50;

/** The group is made when needed and unique in this process, so nobody removes it while a command joins. */
export class ControlGroup {
  readonly #place: GroupPlace;
  readonly #most: Readonly<Partial<Record<Controller, number>>>;
  readonly #path: string;
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

  /** The group may be removed before it is used: callers that need to know ask `holds`. */
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

  rest(): void {
    clearTimeout(this.#removal);
    this.#remove(mostRemovals);
  }

  #remove(attempts: number): void {
    const idle = this.#joining === 0;
    if (idle && (removeGroup(this.#path) || attempts === 1)) return;
    this.#removal = setTimeout(() => this.#remove(idle ? attempts - 1 : attempts), removalMs).unref();
  }

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

export type Controller = "memory" | "pids";

interface GroupPlace {
  readonly parent: string;
  readonly name: string;
  readonly limits: readonly { readonly controller: Controller; readonly file: string }[];
  // A process that writes `0` here moves itself in at once; moving another waits for all that are about to fork.
  // Only in cgroup v1.
  readonly door?: "tasks";
}

const limitFiles = {
  own: { memory: "memory.limit_in_bytes", pids: "pids.max" },
  unified: { memory: "memory.max", pids: "pids.max" },
};

/** In the unified tree only a group that delegates a controller can hold its limit, and never the one we are in. */
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
  readonly controllers: readonly string[];
  readonly path: string;
}

function groupsIn(text: string): readonly Group[] {
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

function handingOn(controllers: readonly Controller[], mount: string, path: string): string | undefined {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const above = dirname(at);
    const directory = join(mount, above);
    const handed = readText(join(directory, "cgroup.subtree_control")).split(/\s+/);
    if (controllers.every((controller) => handed.includes(controller)) && isWritable(directory)) return above;
  }
  return undefined;
}
