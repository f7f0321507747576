import { resolve } from "node:path";
import { isInsideAny, type PathException } from "../contract/path-scope.ts";
import type { Metadata, WorkspaceScan } from "../contract/ports.ts";

export interface HiddenPath {
  readonly kind: "hide_file" | "hide_tree";
  readonly path: string;
}

interface HiddenOptions {
  /** Nothing outside these can be seen anyway. */
  readonly shown: readonly string[];
  readonly roots: readonly string[];
  readonly metadata: Metadata;
  readonly scan: WorkspaceScan;
}

/** What has to be covered so that masked paths cannot be read, by whichever name. */
export function hiddenPaths(masked: readonly PathException[], options: HiddenOptions): readonly HiddenPath[] {
  const hidden = new Map<string, HiddenPath>();
  for (const { path } of masked) {
    const found = behindLinks(path, options.metadata);
    if (found === undefined || !isInsideAny(found.path, options.shown)) continue;
    const names = found.links > 1 ? [found.path, ...otherNames(found.inode, options)] : [found.path];
    const kind = found.directory ? "hide_tree" : "hide_file";
    for (const name of names) hidden.set(name, { kind, path: name });
  }
  return [...hidden.values()];
}

function behindLinks(path: string, metadata: Metadata) {
  let here = path;
  for (let links = 0; links < 20; links++) {
    const stat = metadata.lstat(here);
    if (stat === undefined) return undefined;
    if (stat.kind !== "symlink") {
      const directory = stat.kind === "directory";
      return { path: here, directory, inode: stat.inode, links: directory ? 1 : stat.links };
    }
    here = resolve(here, "..", metadata.readlink(here) ?? "");
  }
  return undefined;
}

/** Every name of a file is the file itself. Costs a look at the whole workspace, but only for files that have several. */
function otherNames(inode: number, { roots, metadata, scan }: HiddenOptions): readonly string[] {
  return roots.flatMap((root) => scan.find(root, (_, path) => metadata.lstat(path)?.inode === inode));
}
