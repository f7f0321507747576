import { scratchPlaces } from "../../contract/ports.ts";
import { sandboxHome } from "./environment.ts";
import { isShown, type Mount } from "./mount-plan.ts";
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
  /** In the user namespace of its views bubblewrap would assume that it is root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly names: readonly HomeName[];
  readonly binds: readonly Bind[];
  /** A descriptor to read this content from. */
  readonly cover: (content: string) => number;
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
    ...plan.system.directories.flatMap((path) => ["--ro-bind", path, path]),
    ...plan.system.links.flatMap(({ path, target }) => ["--symlink", target, path]),
    ...kernelArguments,
    ...temporaryArguments(plan),
    ...plan.files.flatMap(({ path, descriptor }) => ["--perms", "0444", "--file", String(descriptor), path]),
    ...aroundMounts(plan).flatMap((path) => ["--perms", "0755", "--tmpfs", path]),
    ...plan.toolchains.flatMap((path) => ["--ro-bind", path, path]),
    ...plan.mounts.flatMap((mount) => mountArguments(mount, plan)),
    ...plan.names.flatMap(({ path, target }) => ["--symlink", target, path]),
    ...plan.binds.flatMap(({ from, path, writable }) => [writable ? "--bind" : "--ro-bind", from, path]),
    // All mounts of the sandbox are in place: a write outside the writable roots must fail, not vanish.
    ...[...aroundMounts(plan), "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", plan.cwd],
    ...(plan.seccomp === undefined ? [] : ["--seccomp", String(plan.seccomp)]),
  ];
}

// Root inside counts as root outside for files in `/proc`: it could set `/proc/sys/kernel/core_pattern` and run a //
// program on the host.
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

/** Directories below `/tmp` that contain a workspace: their other entries do not belong to the session. */
function aroundMounts({ mounts }: BwrapPlan): readonly string[] {
  const paths = new Set(mounts.filter(isShown).map(({ path }) => path));
  const tops = [...paths].flatMap((path) => /^\/(?:var\/)?tmp\/[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(tops)].filter((top) => !paths.has(top));
}

function mountArguments(mount: Mount, { cover, views }: BwrapPlan): readonly string[] {
  const { path } = mount;
  switch (mount.kind) {
    case "show":
      return [mount.writable ? "--bind" : "--ro-bind", path, path];
    case "view": {
      const view = views.get(path);
      // Without its view a command would write to the workspace itself.
      if (view === undefined) throw new Error(`${path} has no view`);
      return ["--bind", view, path];
    }
    case "rebuild":
      return [
        ...["--perms", "0755", "--tmpfs", path],
        ...mount.shown.flatMap((entry) => ["--ro-bind", entry, entry]),
        ...mount.links.flatMap((link) => ["--symlink", link.target, link.path]),
        ...["--remount-ro", path],
      ];
    case "scratch":
      return ["--perms", "0755", "--tmpfs", path];
    case "hide_tree":
      return ["--perms", mount.sealed ? "0000" : "0555", "--tmpfs", path, "--remount-ro", path];
    case "hide_file":
      return ["--perms", mount.sealed ? "0000" : "0444", "--ro-bind-data", String(cover("")), path];
    case "replace_file":
      return ["--perms", "0444", "--ro-bind-data", String(cover(mount.content)), path];
  }
}
