import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { type Failure, fail } from "../../contract/codes.ts";
import { errnoOf } from "../../host/failure.ts";
import { isWritable } from "../../host/files/look.ts";
import { readText } from "../../host/files/read-small-text.ts";
import { isLiving } from "../../host/process/process-table.ts";

export interface LimitOptions {
  readonly pids?: number;
  readonly memoryBytes?: number;
}

export interface ProcessLimits {
  readonly pids: { readonly most: number; readonly by: "control group" | "user namespace" | undefined };
  readonly memory: { readonly most: number; readonly by: "control group" | undefined } | undefined;
  readonly ownPids: number | undefined;
  /** After bubblewrap is moved, its children start in the group without another wait. */
  approach(bubblewrap: number): void;
  hold(shell: number): Failure | undefined | Promise<Failure | undefined>;
  rest(): void;
}

export type Controller = "memory" | "pids";

const defaultPids = 4_096;
const controllers = ["pids", "memory"] as const;

// The sandbox's user namespace limits an unprivileged user's processes. For root, and for memory, a control group is //
// needed.
export function findLimits({ pids = defaultPids, memoryBytes }: LimitOptions): ProcessLimits {
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
    approach: (bubblewrap) => {
      // The error occurs again with the process to limit, and is reported there.
      for (const group of groups) group.hold(bubblewrap).catch(() => {});
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
    return fail("sandbox_unavailable", `The limits of the command could not be set: ${errno}. Nothing was run.`)
      .failure;
  }
}

/** Root of a container that maps it to another user counts as an ordinary user. */
function isMachineRoot(): boolean {
  return process.getuid?.() === 0 && /^\s*0\s+0\s/m.test(readFileSync("/proc/self/uid_map", "utf8"));
}

/** Since Linux 5.14. Before, all processes of the user counted, including those of other programs. */
function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

const mostAttempts = 5;
const mostRemovals = 20;
const removalMs = 50;

/** Created when needed, under a unique name: no other runtime removes it while a command joins. */
export class ControlGroup {
  readonly #place: GroupPlace;
  readonly #most: Readonly<Partial<Record<Controller, number>>>;
  readonly #name: string;
  #removal: NodeJS.Timeout | undefined;

  constructor(place: GroupPlace, most: Readonly<Partial<Record<Controller, number>>>) {
    const limits = place.limits.map(({ controller }) => most[controller]).join("-");
    this.#place = place;
    this.#most = most;
    this.#name = `gauntlet-${process.pid}-${limits}-${randomUUID().slice(0, 8)}`;
  }

  get #path(): string {
    return join(this.#place.parent, this.#name);
  }

  holds(pid: number): boolean {
    const { limits, name } = this.#place;
    return groupsIn(readText(`/proc/${pid}/cgroup`)).some(
      ({ controllers: held, path, unified }) =>
        path === join(name, this.#name) && (unified || limits.every(({ controller }) => held.includes(controller))),
    );
  }

  async hold(pid: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        // The kernel may take tens of milliseconds for this: not on the main thread.
        return await writeFile(join(this.#path, "cgroup.procs"), String(pid));
      } catch (error) {
        if (!isGone(error) || attempt === mostAttempts) throw error;
        this.#make();
      }
    }
  }

  rest(attempts = mostRemovals): void {
    clearTimeout(this.#removal);
    if (removeGroup(this.#path) || attempts === 1) return;
    this.#removal = setTimeout(() => this.rest(attempts - 1), removalMs).unref();
  }

  #make(): void {
    const { limits, parent } = this.#place;
    try {
      removeAbandoned(parent);
      mkdirSync(this.#path, { recursive: true });
      for (const { controller, file } of limits) writeFileSync(join(this.#path, file), String(this.#most[controller]));
    } catch (error) {
      // A group without its limit must not be reused.
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

interface GroupPlace {
  readonly parent: string;
  readonly name: string;
  readonly limits: readonly { readonly controller: Controller; readonly file: string }[];
}

const limitFiles = {
  own: { memory: "memory.limit_in_bytes", pids: "pids.max" },
  unified: { memory: "memory.max", pids: "pids.max" },
};

/** In cgroup v2 only a group that delegates a controller can have the limit, never our own group. */
export function findGroupPlaces(
  wanted: readonly Controller[],
  kernel: { readonly groups: string; readonly mounts: string } = {
    groups: readText("/proc/self/cgroup"),
    mounts: readText("/proc/self/mounts"),
  },
): readonly GroupPlace[] {
  const mounts = kernel.mounts.split("\n").map((line) => line.split(" "));
  const missing = new Set(wanted);
  const places: GroupPlace[] = [];
  for (const group of groupsIn(kernel.groups)) {
    const [, mount] =
      mounts.find(([, , type, options = ""]) =>
        group.unified
          ? type === "cgroup2"
          : type === "cgroup" && group.controllers.every((one) => options.split(",").includes(one)),
      ) ?? [];
    if (mount === undefined) continue;
    const place = placeIn(
      group,
      mount,
      [...missing].filter((one) => group.unified || group.controllers.includes(one)),
    );
    if (place === undefined || !isWritable(join(place.parent, "cgroup.procs"))) continue;
    places.push(place);
    for (const { controller } of place.limits) missing.delete(controller);
  }
  return places;
}

interface KernelGroup {
  readonly unified: boolean;
  readonly controllers: readonly string[];
  readonly path: string;
}

function groupsIn(text: string): readonly KernelGroup[] {
  return text.split("\n").flatMap((line) => {
    const [, named, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (named === undefined || path === undefined) return [];
    return { unified: named === "", controllers: named.split(",").filter(Boolean), path };
  });
}

function placeIn({ path, unified }: KernelGroup, mount: string, wanted: readonly Controller[]): GroupPlace | undefined {
  const held = unified ? wanted.filter((one) => delegating([one], mount, path) !== undefined) : wanted;
  const name = unified ? delegating(held, mount, path) : path;
  if (held.length === 0 || name === undefined) return undefined;
  const files = unified ? limitFiles.unified : limitFiles.own;
  return { parent: join(mount, name), name, limits: held.map((one) => ({ controller: one, file: files[one] })) };
}

function delegating(wanted: readonly Controller[], mount: string, path: string): string | undefined {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const above = dirname(at);
    const directory = join(mount, above);
    const delegated = readText(join(directory, "cgroup.subtree_control")).split(/\s+/);
    if (wanted.every((one) => delegated.includes(one)) && isWritable(directory)) return above;
  }
  return undefined;
}
