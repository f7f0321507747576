import type { Effect, FileEffect } from "./effect.ts";

/**
 * Is `path` the directory `root` or inside it? Both absolute and normalised.
 * Compares whole components: `/srv/app-evil` is not inside `/srv/app`.
 */
export function isInside(path: string, root: string): boolean {
  if (root === "/") return path.startsWith("/");
  return path === root || (path.startsWith(root) && path.charCodeAt(root.length) === 47);
}

/** An empty name, `.` or `..`, or a slash at the end. */
const unclear = /\/\.{0,2}(?:\/|$)/;

/**
 * Is it absolute and normalised? A look at the text tells. Node works paths out letter by letter, and before that code
 * is compiled it takes longer than all else that is done about a file.
 */
export function isNormalised(path: string): boolean {
  return path === "/" || (path.startsWith("/") && !unclear.test(path));
}

export function isInsideAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInside(path, root));
}

/** In the repository around the workspace, but not in what the session was opened for. */
export function isBesideStart(
  path: string,
  { repository, roots }: { readonly repository?: string; readonly roots: readonly string[] },
): boolean {
  const start = roots.filter((root) => root !== repository);
  return repository !== undefined && isInside(path, repository) && !isInsideAny(path, start);
}

/** Showing one of these to a confined program would show more than it was asked for, or hide what it has there of its own. */
const neverShown = new Set("/ /boot /dev /etc /home /opt /proc /run /sys /tmp /usr /var /var/tmp".split(" "));

export function isNeverShown(path: string): boolean {
  return neverShown.has(path);
}

/** A sandbox has its own directory there, so the one of the machine is not shown. */
export function isOwnOfSandbox(path: string): boolean {
  return ownOfSandbox.has(path) || isInsideAny(path, kernelTrees);
}

const ownOfSandbox = new Set("/ /etc /run /tmp /usr /var/tmp".split(" "));

/** Every command is shown these, and the names of what is installed are known to all. */
export function isOfSystem(path: string): boolean {
  return isInsideAny(path, systemTrees);
}

const systemTrees = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];

/** Trees of the kernel's own, of which a confined program has other ones. */
export const kernelTrees: readonly string[] = ["/dev", "/proc", "/sys"];

/** Does this effect cover the file operation on `path`? */
function covers(effect: FileEffect, op: FileEffect["op"], path: string): boolean {
  if (effect.op !== op) return false;
  return effect.scope === "tree" ? isInside(path, effect.path.resolved) : path === effect.path.resolved;
}

/** Why a path is closed that nobody has to name in a rule. */
export const aSecret = "a secret";

/** A path inside a permitted tree that stays closed. */
export interface PathException {
  readonly path: string;
  readonly scope: "file" | "tree";
  readonly reason: string;
  /** The rule that closes it; absent where it is closed to everybody. */
  readonly rule?: string;
  /** A command finds it as it was committed: git would record an empty file as a change. */
  readonly asCommitted?: true;
}

export function isExcepted(path: string, exceptions: readonly PathException[]): boolean {
  return exceptions.some((exception) =>
    exception.scope === "tree" ? isInside(path, exception.path) : path === exception.path,
  );
}

export function permitsFile(
  permit: { readonly effects: readonly Effect[]; readonly exceptions: readonly PathException[] },
  op: FileEffect["op"],
  path: string,
): boolean {
  if (isExcepted(path, permit.exceptions)) return false;
  return permit.effects.some(
    (effect) =>
      (effect.op === "read" || effect.op === "list" || effect.op === "write" || effect.op === "delete") &&
      covers(effect, op, path),
  );
}
