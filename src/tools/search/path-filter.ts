import picomatch from "picomatch";

/** A path relative to the searched directory, with forward slashes. */
export type PathFilter = (path: string) => boolean;

const options: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  // Nested quantifiers can make a pattern take forever.
  noextglob: true,
};

/** A pattern without a slash is a name at any depth. */
export function matchesGlob(pattern: string): PathFilter {
  const written = pattern.replace(/^(?:\.\/)+/, "");
  return picomatch(written, { ...options, basename: !written.includes("/") });
}

/** Any of the including globs, when there are some, and none of those that start with `!`. */
export function matchesGlobs(globs: readonly string[]): PathFilter {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(matchesGlob);
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => matchesGlob(glob.slice(1)));
  return (path) =>
    (wanted.length === 0 || wanted.some((matches) => matches(path))) && !unwanted.some((matches) => matches(path));
}

/**
 * The last part of a glob, or `undefined` when it says nothing about the name. As a ripgrep type it narrows the
 * search; as a ripgrep glob it would bring ignored files back.
 */
export function nameGlob(glob: string): string | undefined {
  if (/[[{][^\]}]*\//.test(glob)) return undefined;
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /^\**$/.test(name) ? undefined : name;
}
