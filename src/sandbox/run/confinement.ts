import { dirname, join, relative } from "node:path";
import { type Failure, fail } from "../../contract/codes.ts";
import { readBounded } from "../../host/files/read-small-text.ts";
import { namespaceOf, statusOf } from "../../host/process/process-table.ts";
import type { Mount } from "../plan/mount-plan.ts";

const required: readonly (readonly [field: string, holds: (value: string) => boolean, meaning: string])[] = [
  ["NoNewPrivs", (value) => value === "1", "it could gain privileges"],
  ["CapEff", isZero, "it has capabilities"],
  ["CapPrm", isZero, "it could raise capabilities"],
  ["CapBnd", isZero, "it could gain capabilities"],
  ["NSpid", (value) => value.split(/\s+/).length > 1, "it shares the host's processes"],
];

const ownNamespaces = [
  ["net", "it shares the host's network"],
  ["ipc", "it shares the host's memory segments"],
] as const;

export function checkConfinement(shell: number, { filtered }: { readonly filtered: boolean }): Failure | undefined {
  const status = statusOf(shell);
  if (status === undefined) return notFound();
  for (const [field, holds, meaning] of required) if (!holds(status.get(field) ?? "")) return unconfined(meaning);
  for (const [kind, meaning] of ownNamespaces) {
    const namespace = namespaceOf(shell, kind);
    if (namespace === undefined || namespace === namespaceOf("self", kind)) return unconfined(meaning);
  }
  if (filtered && status.get("Seccomp") !== "2") return unconfined("its system calls are not filtered");
  return undefined;
}

export function notFound(): Failure {
  return unconfined("it cannot be found");
}

function unconfined(meaning: string): Failure {
  return fail("sandbox_unavailable", `The shell is not confined: ${meaning}. Nothing was run.`).failure;
}

function isZero(value: string): boolean {
  return /^0+$/.test(value);
}

interface MountEntry {
  readonly at: string;
  readonly device: string;
  /** Its path in its file system, as resolved by the kernel: no name and no link can redirect it. */
  readonly root: string;
  readonly readOnly: boolean;
  readonly type: string;
}

interface Planned {
  readonly path: string;
  readonly shown: { readonly writable: boolean; readonly view?: true } | undefined;
}

const longestTable = 64 * 1024 * 1024;
/** File systems that report `/` for each of their directories: only the device is compared. */
const silentTypes = new Set(["nfs", "nfs4", "afs"]);

// Bubblewrap mounts by name, and a background command could replace a directory by a link: so check with the kernel.
export function checkMounts(shell: number, mounts: readonly Mount[]): Failure | undefined {
  const wrong = misplacedMount(readBounded(`/proc/${shell}/mountinfo`, longestTable)?.toString() ?? "", mounts);
  if (wrong === undefined) return undefined;
  const message = `${wrong} changed during the start of its sandbox. Nothing was run.`;
  return fail("sandbox_unavailable", message, { recovery: "Call again." }).failure;
}

export function misplacedMount(table: string, mounts: readonly Mount[]): string | undefined {
  const entries = Map.groupBy(readEntries(table), ({ at }) => at);
  const planned = Map.groupBy(mounts.flatMap(partsOf), ({ path }) => path);
  const places = new Map<string, MountEntry>();
  for (const path of [...planned.keys()].sort((a, b) => a.length - b.length)) {
    const found = entries.get(path) ?? [];
    const parts = planned.get(path) ?? [];
    const [top, shown] = [found.at(-1), parts.at(-1)?.shown];
    if (top === undefined || found.length < parts.length) return path;
    // A file system that the host mounts here is part of the directory around it.
    const brought = found.length > parts.length ? found[0] : undefined;
    const around = placeAround(path, { entries, places, planned });
    if (shown === undefined) {
      if (around !== undefined && [around, brought].some((bare) => bare !== undefined && isSame(top, bare)))
        return path;
      continue;
    }
    const isRight = shown.view ? top.type === "overlay" : around === undefined || isSame(top, brought ?? around);
    if (!isRight) return path;
    if (!shown.writable && !top.readOnly) return path;
    places.set(path, top);
  }
  return undefined;
}

function placeAround(
  path: string,
  known: {
    readonly entries: ReadonlyMap<string, readonly MountEntry[]>;
    readonly places: ReadonlyMap<string, MountEntry>;
    readonly planned: ReadonlyMap<string, readonly Planned[]>;
  },
): MountEntry | undefined {
  let brought: MountEntry | undefined;
  for (let above = path; above !== "/"; ) {
    above = dirname(above);
    const inside = ({ root, ...place }: MountEntry) => ({ ...place, root: join(root, relative(above, path)) });
    const shown = known.places.get(above);
    if (shown !== undefined) return brought ?? inside(shown);
    const unplanned = known.planned.has(above) ? undefined : known.entries.get(above)?.at(-1);
    if (unplanned !== undefined) brought ??= inside(unplanned);
  }
  return undefined;
}

function isSame(one: MountEntry, other: MountEntry): boolean {
  return one.device === other.device && (one.root === other.root || silentTypes.has(one.type));
}

function partsOf(mount: Mount): readonly Planned[] {
  if (mount.kind === "show") return [{ path: mount.path, shown: mount }];
  if (mount.kind === "view") return [{ path: mount.path, shown: { writable: true, view: true } }];
  const cover = { path: mount.path, shown: undefined };
  if (mount.kind !== "rebuild") return [cover];
  return [cover, ...mount.shown.map((path) => ({ path, shown: { writable: false } }))];
}

function readEntries(table: string): readonly MountEntry[] {
  return table.split("\n").flatMap((line) => {
    const [, , device = "", root = "", at = "", options = "", ...rest] = line.split(" ");
    const type = rest[rest.indexOf("-") + 1] ?? "";
    const readOnly = options.split(",").includes("ro");
    return at === "" ? [] : [{ at: unescaped(at), device, root: unescaped(root), readOnly, type }];
  });
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
