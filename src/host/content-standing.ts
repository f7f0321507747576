import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Unkept } from "../contract/content.ts";
import { isInside, isInsideAny } from "../contract/path-scope.ts";
import type { ChangedFile, ContentKeeper, NamedPlace, ScanSnapshot } from "../contract/ports.ts";
import { EntryReader } from "./content-entry.ts";
import { createLeftOut } from "./content-scope.ts";
import type { ContentStore, KeptFile, StoodThere } from "./content-store.ts";
import { errnoOf } from "./failure.ts";
import { childPath } from "./known-directory.ts";
import { entryBefore } from "./snapshot.ts";

/** Beyond it, a tree that a call named is remembered in part. */
const maxNamed = 5_000;

export type Scope = Parameters<ContentKeeper["keep"]>[1];

export interface Kept {
  readonly now: () => number;
  readonly before: ScanSnapshot;
  readonly scope: Scope;
  readonly unkept: ReadonlyMap<string, Unkept>;
  /** As they were then; the store goes on. */
  readonly files: ReadonlyMap<string, KeptFile>;
}

/** What is known of the places that a call named. What is not kept is not remembered: nothing could be told of it. */
export function stoodThere(
  { before, scope, unkept, files }: Kept,
  places: readonly NamedPlace[],
): readonly StoodThere[] {
  const isLeftOut = createLeftOut(scope.roots, (directory) => before.directories.get(directory)?.names);
  const standing = new Map<string, StoodThere>();
  const add = (path: string) => {
    if (standing.size >= maxNamed || isLeftOut(path) || unkept.has(path) || scope.closed(path)) return;
    const was = entryBefore(before, path);
    const hash = was?.kind === "file" || was?.kind === "symlink" ? files.get(path)?.hash : undefined;
    standing.set(path, { path, ...was, ...(hash === undefined ? {} : { hash }) });
  };
  for (const { path, scope: extent } of places) {
    if (!isInsideAny(path, scope.roots)) continue;
    add(path);
    if (extent === "file") continue;
    for (const [directory, { names }] of before.directories) {
      if (!isInside(directory, path)) continue;
      add(directory);
      for (const name of names) add(childPath(directory, name));
    }
  }
  return [...standing.values()];
}

/** What is there now where something else stood. */
export function differences(
  store: ContentStore,
  call: string,
  { evidence, now }: { readonly evidence: Parameters<ContentKeeper["changedSince"]>[1]; readonly now: () => number },
): readonly ChangedFile[] {
  const reader = new EntryReader(now);
  const changed: ChangedFile[] = [];
  const keptBefore = (hash: string | undefined): Pick<ChangedFile, "before" | "image" | "unkept"> => {
    if (hash === undefined) return {};
    const content = store.content(hash);
    const image = content === undefined ? undefined : evidence(content);
    return image?.ok ? { before: hash, image: image.value } : { unkept: "no_store" };
  };
  for (const { path, kind, mode, hash } of store.remembered(call)) {
    const is = reader.look(path);
    const entry = is?.kind === "file" || is?.kind === "symlink" ? reader.read(path) : undefined;
    const after = typeof entry === "object" ? { after: entry.file.hash } : {};
    const touchedMs = typeof entry === "object" ? entry.file.ctimeMs : lastTouched(path);
    const touched = touchedMs === undefined ? {} : { touchedMs };
    const there = is === undefined ? touched : { is, ...after, ...touched };
    if (kind === undefined) {
      if (is !== undefined) changed.push({ path, change: "created", ...there });
      continue;
    }
    const same = is?.kind === kind && is.mode === mode && (hash === undefined || hash === after.after);
    if (same) continue;
    const was = { kind, ...(mode === undefined ? {} : { mode }) };
    const change = is === undefined ? "deleted" : "modified";
    changed.push({ path, change, was, ...there, ...keptBefore(hash) });
  }
  reader.close();
  return changed;
}

/** When a name is gone, the directory that had it tells: it was touched then or later. */
function lastTouched(path: string): number | undefined {
  try {
    return lstatSync(path).ctimeMs;
  } catch (error) {
    const isGone = errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR";
    return isGone && path !== dirname(path) ? lastTouched(dirname(path)) : undefined;
  }
}
