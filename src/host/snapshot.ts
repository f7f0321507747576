import type { Stats } from "node:fs";
import type { ChangedFile, ScanSnapshot } from "../contract/ports.ts";

/**
 * The change time comes last and is part of it because, unlike the modification time, a command cannot set it back.
 * It is left out while both are equal, which halves the cost of writing this text.
 */
export function fileSignature({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs === mtimeMs ? "" : ctimeMs}`;
}

/** Without times: a directory that only gained or lost a name did not change itself. */
export function directorySignature({ inode, mode }: { readonly inode: number; readonly mode: number }): string {
  return `directory ${inode} ${mode}`;
}

export function compareSnapshots(before: ScanSnapshot, after: ScanSnapshot): readonly ChangedFile[] {
  const changed: ChangedFile[] = [];
  const created = new Map<string, string>();
  for (const [path, signature] of after.files) {
    const known = before.files.get(path);
    if (known === signature) continue;
    if (known === undefined) created.set(path, signature);
    else changed.push({ path, change: "modified" });
  }
  const arrivals = byIdentity(created);
  for (const [path, signature] of before.files) {
    if (after.files.has(path)) continue;
    const identity = identityOf(signature);
    const to = identity === undefined ? undefined : arrivals.get(identity);
    if (to === undefined || !created.delete(to)) changed.push({ path, change: "deleted" });
    else changed.push({ path, change: "moved", to });
  }
  for (const path of created.keys()) changed.push({ path, change: "created" });
  return changed.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function byIdentity(created: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const [path, signature] of created) {
    const identity = identityOf(signature);
    if (identity !== undefined) known.set(identity, path);
  }
  return known;
}

/** What a rename leaves alone: everything but the change time. A directory's inode alone may have been used again. */
function identityOf(signature: string): string | undefined {
  return /^\d/.test(signature) ? signature.slice(0, signature.lastIndexOf(" ")) : undefined;
}
