import { scratchPlaces } from "../../contract/ports.ts";
import { sandboxHome } from "./environment.ts";
import { isShown, type Mount, type RebuiltDirectory } from "./mount-plan.ts";
import type { HomeName } from "./package-managers.ts";
import type { SystemLayout } from "./system-layout.ts";

export interface Bind {
  readonly from: string;
  readonly path: string;
  readonly writable: boolean;
}

export interface BwrapPlan {
  readonly system: SystemLayout;
  readonly toolchains: readonly string[];
  readonly files: readonly { readonly path: string; readonly descriptor: number }[];
  readonly mounts: readonly Mount[];
  readonly views: ReadonlyMap<string, string>;
  /** Under another user namespace, that of its views, it would take itself for root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly names: readonly HomeName[];
  readonly binds: readonly Bind[];
  readonly coverDescriptors: readonly number[];
  readonly cwd: string;
  readonly scratch?: string | undefined;
  readonly seccomp: number | undefined;
}

/** The environment is not here: arguments of a process can be read by every user of the machine. */
export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  return [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    ...(plan.user === undefined ? [] : ["--uid", String(plan.user.uid), "--gid", String(plan.user.gid)]),
    ...["--cap-drop", "ALL"],
    "--new-session",
    "--die-with-parent",
    ...["--hostname", "gauntlet"],
    ...systemArguments(plan),
    ...kernelArguments,
    ...temporaryArguments(plan),
    ...plan.files.flatMap(({ path, descriptor }) => ["--perms", "0444", "--file", String(descriptor), path]),
    ...aroundMounts(plan).flatMap((path) => ["--perms", "0755", "--tmpfs", path]),
    ...plan.toolchains.flatMap((path) => ["--ro-bind", path, path]),
    ...mountArguments(plan),
    ...plan.names.flatMap(({ path, target }) => ["--symlink", target, path]),
    ...plan.binds.flatMap(({ from, path, writable }) => [writable ? "--bind" : "--ro-bind", from, path]),
    // Everything of the sandbox's own is in place: what is written outside the writable roots must fail, not vanish.
    ...[...aroundMounts(plan), "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", plan.cwd],
    ...(plan.seccomp === undefined ? [] : ["--seccomp", String(plan.seccomp)]),
  ];
}

function systemArguments({ system }: BwrapPlan): readonly string[] {
  return [
    ...system.directories.flatMap((path) => ["--ro-bind", path, path]),
    ...system.links.flatMap(({ path, target }) => ["--symlink", target, path]),
  ];
}

// Root inside is root outside for files in `/proc`: it could set `/proc/sys/kernel/core_pattern` and run a program
// on the host.
const kernelArguments = [
  ...["--proc", "/proc", "--remount-ro", "/proc"],
  ...["--dev", "/dev"],
  ...["--perms", "0755", "--tmpfs", "/run"],
  ...["--perms", "0700", "--dir", sandboxHome],
];

function temporaryArguments({ scratch }: BwrapPlan): readonly string[] {
  if (scratch === undefined) return ["/tmp", "/var/tmp"].flatMap((path) => ["--perms", "1777", "--tmpfs", path]);
  return scratchPlaces(scratch).flatMap(({ from, path }) => ["--bind", from, path]);
}

/** Directories below `/tmp` that hold a workspace: nothing beside it belongs to the session. */
function aroundMounts({ mounts }: BwrapPlan): readonly string[] {
  const paths = new Set(mounts.filter(isShown).map(({ path }) => path));
  const tops = [...paths].flatMap((path) => /^\/(?:var\/)?tmp\/[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(tops)].filter((top) => !paths.has(top));
}

function mountArguments({ mounts, coverDescriptors, views }: BwrapPlan): readonly string[] {
  const covers = coverDescriptors.values();
  return mounts.flatMap((mount) => {
    if (mount.kind === "show") return [mount.writable ? "--bind" : "--ro-bind", mount.path, mount.path];
    if (mount.kind === "view") return ["--bind", mountedView(mount.path, views), mount.path];
    if (mount.kind === "rebuild") return rebuildArguments(mount);
    if (mount.kind === "scratch") return ["--perms", "0755", "--tmpfs", mount.path];
    if (mount.kind === "hide_tree") {
      return ["--perms", mount.sealed ? "0000" : "0555", "--tmpfs", mount.path, "--remount-ro", mount.path];
    }
    const descriptor = covers.next().value;
    if (descriptor === undefined) throw new Error("A covered file needs a descriptor");
    const sealed = mount.kind === "hide_file" && mount.sealed;
    return ["--perms", sealed ? "0000" : "0444", "--ro-bind-data", String(descriptor), mount.path];
  });
}

/** Without its view a command would write to the workspace itself. */
function mountedView(path: string, views: ReadonlyMap<string, string>): string {
  const view = views.get(path);
  if (view === undefined) throw new Error(`${path} has no view`);
  return view;
}

function rebuildArguments({ path, shown, links }: RebuiltDirectory): readonly string[] {
  return [
    ...["--perms", "0755", "--tmpfs", path],
    ...shown.flatMap((entry) => ["--ro-bind", entry, entry]),
    ...links.flatMap((link) => ["--symlink", link.target, link.path]),
    ...["--remount-ro", path],
  ];
}
