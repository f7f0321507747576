/** Left out unless the call names them. */
const ignoredDirectories = [".git", "node_modules", "dist", "coverage"] as const;

interface RipgrepScope {
  readonly hidden: boolean;
  /** Paths and globs of the call: a directory that they name is not left out. */
  readonly named: readonly string[];
  /** From the settings: left out whatever the call names. */
  readonly ignoreGlobs: readonly string[];
}

/**
 * What every ripgrep run has in common: no configuration, no followed links, no preprocessor. Secrets are hidden from
 * it by the sandbox, and taken out of what it found. Nothing of the model's text is among these arguments.
 */
export function ripgrepOptions({ hidden, named, ignoreGlobs }: RipgrepScope): readonly string[] {
  const names = new Set(named.flatMap((path) => path.split("/")));
  const ignored = ignoredDirectories.filter((directory) => !names.has(directory));
  return [
    "--no-config",
    "--no-follow",
    "--no-pre",
    "--color=never",
    "--no-require-git",
    // An expression such as a{1000}{1000} is refused instead of being worked out until the deadline.
    "--regex-size-limit=4M",
    "--dfa-size-limit=16M",
    ...(ignored.length < ignoredDirectories.length ? ["--no-ignore"] : []),
    ...(hidden || named.some(namesHidden) ? ["--hidden"] : []),
    ...ignored.map((directory) => `--glob=!**/${directory}`),
    ...ignoreGlobs.map((glob) => `--glob=!${glob}`),
  ];
}

function namesHidden(path: string): boolean {
  return path.split("/").some((name) => /^\.[^./*]/.test(name));
}
