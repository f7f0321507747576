import type { FileEffect } from "./effect.ts";
import { isInside, isInsideAny } from "./path-scope.ts";

/** A session's own temporary directories. Commands and file tools find them at `/tmp` and `/var/tmp`. */
export interface Scratch {
  /** Where they are on the host. No tool names a path in here. */
  readonly directory: string;
  /** Paths below `/tmp` that stay the host's: workspaces, home and state, with everything beside them. */
  readonly kept: readonly string[];
}

const names = ["/tmp", "/var/tmp"] as const;

export function createScratch(directory: string, hostPaths: readonly string[]): Scratch {
  const kept = hostPaths.flatMap((path) =>
    names.filter((name) => isInside(path, name)).map((name) => path.split("/", name.split("/").length + 1).join("/")),
  );
  return { directory, kept };
}

/** Each directory of the host with the name that it is found under. */
export function scratchPlaces(directory: string): readonly { readonly from: string; readonly path: string }[] {
  return names.map((path) => ({ path, from: `${directory}${path}` }));
}

export function isScratch(path: string, scratch: Scratch | undefined): scratch is Scratch {
  return scratch !== undefined && isInsideAny(path, names) && !isInsideAny(path, scratch.kept);
}

/** A tree around something of the host's is not the session's own to change. */
export function isInScratch({ op, path, scope }: FileEffect, scratch: Scratch | undefined): boolean {
  const { resolved } = path;
  if (!isScratch(resolved, scratch)) return false;
  if (op === "read" || op === "list") return true;
  return scope === "file" || !scratch.kept.some((kept) => isInside(kept, resolved));
}

/** The place on the host behind a path as tools name it. */
export function hostPath(path: string, scratch: Scratch | undefined): string {
  return isScratch(path, scratch) ? `${scratch.directory}${path}` : path;
}
