import { join, normalize } from "node:path/posix";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { PathClass } from "../../contract/gate.ts";
import type { Metadata } from "../../contract/ports.ts";
import type { HookSetting } from "../../contract/settings.ts";

export interface OwnFilePlaces {
  readonly home: string;
  readonly stateDirectory: string;
  readonly metadata: Metadata;
  readonly classify: (path: string) => PathClass | undefined;
}

/**
 * What a hook needs of the machine beside the workspace: the folders that are meant for hooks, and the files that
 * its own text names. A hook of the project gets none of it: what it needs lies in the project.
 */
export function ownFiles(
  { handler, layer }: HookSetting,
  roots: readonly string[],
  places: OwnFilePlaces,
): readonly string[] {
  if (layer === "project") return [];
  const { home, stateDirectory } = places;
  const folders = [join(stateDirectory, "hooks"), join(home, ".claude", "hooks")].filter(
    (path) => kindOf(path, places) === "directory",
  );
  const named = [handler.command, ...(handler.args ?? [])]
    .flatMap((text) => pathsIn(text, home))
    .filter((path) => isShowable(path, places));
  // What lies in the workspace is shown already, or hidden for a reason.
  return [...new Set([...folders, ...named])].filter((path) => !isInsideAny(path, roots));
}

/** Paths that stand in the text as they are; what a shell would have to compute is not looked for. */
function pathsIn(text: string, home: string): readonly string[] {
  const written = text.replace(/\$HOME\b|\$\{HOME\}/g, home);
  return [...written.matchAll(/(?<![^\s'"=;&|(])(?:~(?=\/)|(?=\/))[^\s'";&|()<>$`\\*?[\]{}]+/g)]
    .map(([path]) => (path.startsWith("~") ? home + path.slice(1) : path))
    .map(normalize);
}

/** Of these every sandbox has its own, or they are no files. */
const ofTheSystem = ["/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr"];

function isShowable(path: string, places: OwnFilePlaces): boolean {
  if (ofTheSystem.some((directory) => isInside(path, directory))) return false;
  const closed = places.classify(path);
  return closed !== "secret" && closed !== "state" && kindOf(path, places) === "file";
}

function kindOf(path: string, { metadata }: OwnFilePlaces): string | undefined {
  try {
    return metadata.lstat(path)?.kind;
  } catch {
    return undefined;
  }
}
