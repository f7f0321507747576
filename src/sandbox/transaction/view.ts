import { randomUUID } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ViewSupport } from "../../contract/changes.ts";
import { errnoOf, Refused } from "../../host/failure.ts";
import { startOf } from "../../host/process/process-table.ts";

export interface WorkspaceView {
  readonly root: string;
  readonly directory: string;
}

export interface Views {
  readonly id: string;
  readonly directory: string;
  readonly views: readonly WorkspaceView[];
}

export interface ViewMounting {
  readonly kind: "privileged" | "unprivileged";
  readonly unshare: string;
  readonly mount: string;
  readonly tar: string;
  /** Where views store the writes of commands. Never inside the workspace. */
  readonly store: string;
  readonly trash: string;
}

export type Probed = ViewMounting | Extract<ViewSupport, { readonly kind: "none" }>;

export const ownerName = "owner";

export const keptName = "kept.json";

export function claimViews(directory: string): void {
  writeFileSync(join(directory, ownerName), `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 });
}

/** The content of a store is applied after a crash, so it must not come from another user. */
export function isPrivate(store: string): boolean {
  const stats = lstatSync(store);
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

export const upperOf = ({ directory }: WorkspaceView) => join(directory, "upper");
export const mountedAt = ({ directory }: WorkspaceView) => join(directory, "view");

export const isLayer = ({ directory }: WorkspaceView) => basename(directory).startsWith(layerName);
const layerName = "layer";

export function createViews(
  roots: readonly { readonly path: string; readonly discarded?: true }[],
  store: string,
): Views {
  const id = `txn_${randomUUID()}`;
  const directory = join(store, id);
  const draft = join(store, `.${id}`);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  claimViews(draft);
  // Without its owner it would look abandoned.
  renameSync(draft, directory);
  const views = roots.map(({ path: root, discarded }, index): WorkspaceView => {
    const view = { root, directory: join(directory, `${discarded ? layerName : ""}${index}`) };
    mkdirSync(view.directory, 0o700);
    for (const name of ["upper", "work", "view"]) mkdirSync(join(view.directory, name), 0o700);
    // The root of a view has the mode of its upper directory.
    chmodSync(upperOf(view), statSync(root).mode & 0o7777);
    // A link, because overlay options allow neither commas nor colons in a path.
    symlinkSync(root, join(view.directory, "lower"));
    return view;
  });
  return { id, directory, views };
}

export async function removeViews({ directory }: Pick<Views, "directory">): Promise<void> {
  try {
    openUp(directory);
    await rm(directory, { recursive: true, force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

export function removeEntry(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    chmodSync(path, 0o700);
    openUp(path);
  }
  rmSync(path, { recursive: true, force: true });
}

const deepest = 10;

/**
 * The kernel leaves a directory in `work` that its owner cannot enter. Entries that are too deep for a path are moved
 * up.
 */
function openUp(top: string): void {
  const waiting = [Buffer.from(top)];
  const descend = (directory: Buffer, depth: number): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true, encoding: "buffer" })) {
      if (!entry.isDirectory()) continue;
      const path = Buffer.concat([directory, Buffer.from("/"), entry.name]);
      chmodSync(path, 0o700);
      if (depth < deepest) descend(path, depth + 1);
      else {
        const higher = Buffer.from(`${top}/.gauntlet-${waiting.length}`);
        renameSync(path, higher);
        waiting.push(higher);
      }
    }
  };
  for (const directory of waiting) descend(directory, 0);
}

/**
 * `metacopy` and `redirect_dir` would leave marks that only an overlay can read; `volatile` saves an fsync per file.
 */
const options = {
  privileged: "index=off,redirect_dir=nofollow,metacopy=off,volatile,nosuid,nodev",
  unprivileged: "userxattr,volatile,nosuid,nodev",
} as const;

export const viewsVariable = "GAUNTLET_VIEWS";

export function mountingArguments({ kind, mount }: ViewMounting, bash: string): readonly string[] {
  const namespaces = kind === "privileged" ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  const script = `cd "$${viewsVariable}" || exit 125
unset ${viewsVariable}
for GAUNTLET_VIEW in */; do
  ${mount} -t overlay -o "lowerdir=\${GAUNTLET_VIEW}lower,upperdir=\${GAUNTLET_VIEW}upper,workdir=\${GAUNTLET_VIEW}work,${options[kind]}" overlay "\${GAUNTLET_VIEW}view" || [[ $GAUNTLET_VIEW == ${layerName}* ]] || exit 125
done
unset GAUNTLET_VIEW
cd / && unset OLDPWD && exec "$@"`;
  // Privileged mode of bash ignores functions and BASH_ENV from the environment; with a socket as its input bash
  // would
  // read ~/.bashrc.
  return [...namespaces, "--propagation", "private", "--", bash, "--norc", "-p", "-c", script, "bash"];
}

const checkedBytes = 64_000_000n;

export type Links = Map<string, Buffer>;

/** Paths are bytes: names may not be valid text. */
export function copyEntry(from: Buffer, to: Buffer, links: Links): void {
  const stats = lstatSync(from, { bigint: true });
  const times = [Number(stats.atimeNs) / 1e9, Number(stats.mtimeNs) / 1e9] as const;
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, "buffer"), to);
    lutimesSync(to, ...times);
    return;
  }
  if (stats.isDirectory()) {
    mkdirSync(to, 0o700);
    for (const name of readdirSync(from, { encoding: "buffer" })) copyEntry(below(from, name), below(to, name), links);
  } else if (stats.isFile()) {
    const inode = `${stats.dev} ${stats.ino}`;
    // The other names may be removed by now.
    const first = links.get(inode);
    if (first !== undefined) {
      linkSync(first, to);
      return;
    }
    if (stats.size > checkedBytes) checkSpace(to, stats.size);
    copyFileSync(from, to);
    if (stats.nlink > 1n) links.set(inode, to);
    // Opening a FIFO or a device could block forever.
  } else writeFileSync(to, "");
  chmodSync(to, Number(stats.mode & 0o7777n));
  utimesSync(to, ...times);
}

/** Replaces every file below by a copy: a process with an open file can then no longer change the content. */
export function renewFiles(directory: Buffer, draft: Buffer, links: Links = new Map()): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, encoding: "buffer" })) {
    const path = below(directory, entry.name);
    if (entry.isDirectory()) renewFiles(path, draft, links);
    if (!entry.isFile()) continue;
    const { mode } = lstatSync(path);
    chmodSync(path, mode | 0o400);
    copyEntry(path, draft, links);
    chmodSync(draft, mode);
    renameSync(draft, path);
    renameLinks(links, draft, path);
  }
}

/** A file with holes may be larger than any disk, and its copy has no holes. */
function checkSpace(to: Buffer, size: bigint): void {
  const { bavail, bsize } = statfsSync(to.subarray(0, to.lastIndexOf("/")), { bigint: true });
  if (size > bavail * bsize)
    throw new Refused("tool_failed", "A changed file is larger than the free space of the workspace.");
}

export function renameLinks(links: Links, old: Buffer, now: Buffer): void {
  for (const [inode, path] of links)
    if (path.subarray(0, old.length).equals(old)) links.set(inode, Buffer.concat([now, path.subarray(old.length)]));
}

function below(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from("/"), name]);
}
