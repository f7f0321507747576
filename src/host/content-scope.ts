import { isInside } from "../contract/path-scope.ts";
import { createGitIgnored } from "./git-ignored.ts";

/** Made by tools from other files, and as large as they like. */
const leftOut = new Set([
  "node_modules",
  "bower_components",
  ".venv",
  "venv",
  "__pycache__",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".gradle",
  ".next",
  ".nuxt",
  ".turbo",
  ".parcel-cache",
]);

/** Git names these by their content or fetches them again: old ones are never changed. */
const ofGit = /\/\.git\/(?:objects|lfs|modules)(?:\/|$)/;

/** Also a name for what somebody keeps: it counts only where git ignores it. */
const sharedCache = ".cache";

/**
 * The tag that tools put into folders which are not worth keeping. Whoever can write a file can write it beside
 * sources, so it counts only for an output that git ignores.
 */
const cacheTag = "CACHEDIR.TAG";

/** Kept last: where the budget does not reach for all, sources come before what is made from them. */
const outputs = /\/(?:dist|build|out|target|coverage|vendor|tmp|\.cache)(?:\/|$)/;

/** Which directories of a snapshot are not kept. `namesIn` are the files of a directory. */
export function createLeftOut(
  roots: readonly string[],
  namesIn: (directory: string) => readonly string[] | undefined,
): (directory: string) => boolean {
  const answers = new Map<string, boolean>(roots.map((root) => [root, false]));
  const isIgnored = createGitIgnored(roots);
  const isCache = (directory: string, name: string): boolean =>
    (name === sharedCache || (generated.test(name) && namesIn(directory)?.includes(cacheTag) === true)) &&
    isIgnored(directory);
  const isLeftOut = (directory: string): boolean => {
    const known = answers.get(directory);
    if (known !== undefined) return known;
    const slash = directory.lastIndexOf("/");
    const name = directory.slice(slash + 1);
    const above = directory.slice(0, Math.max(1, slash));
    const inRoot = roots.some((root) => isInside(directory, root));
    const answer =
      inRoot && (leftOut.has(name) || ofGit.test(directory) || isCache(directory, name) || isLeftOut(above));
    answers.set(directory, answer);
    return answer;
  };
  return isLeftOut;
}

export function isOutput(directory: string): boolean {
  return outputs.test(directory);
}

/** As `outputs`, but for where people keep notes of their own. */
const generated = /^(?:dist|build|out|target|coverage|vendor)$/;

/**
 * Which paths lie where nothing but programs writes: below a directory named as an output that git ignores, or that
 * was not there before. By its name alone it may as well be somebody's sources.
 */
export function createGenerated(
  roots: readonly string[],
  { wasThere, isIgnored }: Readonly<Record<"wasThere" | "isIgnored", (directory: string) => boolean>>,
): (path: string) => boolean {
  const answers = new Map<string, boolean>();
  const isOf = (directory: string): boolean => {
    const known = answers.get(directory);
    if (known !== undefined) return known;
    const answer = !wasThere(directory) || isIgnored(directory);
    answers.set(directory, answer);
    return answer;
  };
  return (path) => {
    const root = roots.find((one) => isInside(path, one));
    if (root === undefined) return false;
    const names = path.slice(root.length + 1).split("/");
    return names.some((name, at) => generated.test(name) && isOf([root, ...names.slice(0, at + 1)].join("/")));
  };
}
