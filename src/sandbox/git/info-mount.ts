import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** A directory of the sandbox's own in the place of one of the host, with entries of that one and links to ours. */
export interface RebuiltDirectory {
  readonly kind: "rebuild";
  readonly path: string;
  /** Shown as they are, read-only. */
  readonly shown: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface InfoOptions {
  /** The file of the sandbox's own that stands for `info/attributes`. */
  readonly attributes: string;
  readonly writable: boolean;
  /** The directory itself is not the host's: what it holds is shown one by one. */
  readonly apart: boolean;
  /** An empty directory will be there while the command runs. */
  readonly isHeld: (path: string) => boolean;
}

/**
 * Puts our attributes where they win over all others. A repository without `info` gets its whole `.git` rebuilt, which
 * only a command that writes nothing can live with; for others the name is held by a placeholder.
 */
export function infoMount(repository: string, options: InfoOptions): RebuiltDirectory | undefined {
  const info = join(repository, "info");
  const attributes = { path: join(info, "attributes"), target: options.attributes };
  if (isDirectory(info)) return rebuild(info, { without: "attributes", and: attributes });
  const alone = { kind: "rebuild", path: info, shown: [], links: [attributes] } as const;
  if (options.apart) return alone;
  if (options.writable) return options.isHeld(info) ? alone : undefined;
  return rebuild(repository, { without: "info", and: attributes });
}

function rebuild(
  directory: string,
  { without, and }: { readonly without: string; readonly and: RebuiltDirectory["links"][number] },
): RebuiltDirectory {
  const entries = readdirSync(directory, { withFileTypes: true }).filter(({ name }) => name !== without);
  const at = (name: string) => join(directory, name);
  return {
    kind: "rebuild",
    path: directory,
    shown: entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => at(name)),
    links: [
      ...entries
        .filter((entry) => entry.isSymbolicLink())
        .map(({ name }) => ({ path: at(name), target: readlinkSync(at(name)) })),
      and,
    ],
  };
}

export function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
