import { accessSync, constants, type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";

interface Toolchains {
  /** The fixed PATH of every command. */
  readonly path: readonly string[];
  /** Directories outside the system that these programs live in, to be shown read-only. */
  readonly directories: readonly string[];
  /** Variables without which they would look in the home directory, which is not there. */
  readonly variables: Readonly<Record<string, string>>;
  /** PATH entries left out, each with its reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

interface Known {
  /** Below the home directory. */
  readonly at: string;
  readonly directories: readonly string[];
  readonly variable?: readonly [name: string, at: string];
}

/** Where more than the directory on the PATH is needed, or less than its parent may be shown. */
const knownToolchains: readonly Known[] = [
  { at: ".cargo/bin", directories: [".cargo/bin", ".rustup"], variable: ["RUSTUP_HOME", ".rustup"] },
  { at: ".pyenv", directories: [".pyenv"], variable: ["PYENV_ROOT", ".pyenv"] },
  { at: ".rbenv", directories: [".rbenv"], variable: ["RBENV_ROOT", ".rbenv"] },
  { at: ".nodenv", directories: [".nodenv"], variable: ["NODENV_ROOT", ".nodenv"] },
  { at: ".asdf", directories: [".asdf"], variable: ["ASDF_DATA_DIR", ".asdf"] },
  { at: ".volta", directories: [".volta"], variable: ["VOLTA_HOME", ".volta"] },
  { at: ".local/share/mise", directories: [".local/share/mise"], variable: ["MISE_DATA_DIR", ".local/share/mise"] },
  {
    at: ".local/bin",
    directories: [".local/bin", ".local/lib", ".local/share/pipx", ".local/share/uv"],
  },
  { at: ".docker", directories: [".docker/bin"] },
];

/** Hidden directories of the home that hold credentials or conversations. Nothing below them is a toolchain. */
const privateDirectories = new Set(
  ".ssh .gnupg .aws .azure .config .kube .gcloud .password-store .mozilla .thunderbird .gauntlet .claude .codex .gemini .cursor .vault .cache".split(
    " ",
  ),
);

const systemRoots = ["/usr", "/bin", "/sbin", "/nix/store", "/gnu/store"];
const systemPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

interface ToolchainOptions {
  /** The user's PATH. */
  readonly path: string;
  readonly home: string;
  /** Named in the settings; before everything else on the PATH. */
  readonly extra: readonly string[];
  readonly workspaceRoots: readonly string[];
}

export function findToolchains(options: ToolchainOptions): Toolchains {
  const home = resolved(options.home) ?? options.home;
  const path = new Set<string>();
  const directories = new Set<string>();
  const variables: Record<string, string> = {};
  const skipped: { path: string; reason: string }[] = [];
  const named = options.extra.map((entry) => (entry.startsWith("~/") ? join(home, entry.slice(2)) : entry));
  for (const entry of [...named.map(programsIn), ...options.path.split(":"), ...systemPath]) {
    const real = resolved(entry);
    if (real === undefined) continue;
    const reason = whyNot(entry, real, { home, roots: options.workspaceRoots });
    if (reason !== undefined) {
      if (!path.has(entry)) skipped.push({ path: entry, reason });
      continue;
    }
    if (isInsideAny(real, systemRoots)) {
      path.add(isInsideAny(entry, systemRoots) ? entry : real);
      continue;
    }
    const known = knownToolchains.find(({ at }) => isInside(real, join(home, at)));
    if (known?.variable !== undefined) variables[known.variable[0]] = join(home, known.variable[1]);
    const shown = known?.directories.map((at) => join(home, at)) ?? [prefixOf(real, [home, ...options.workspaceRoots])];
    for (const directory of shown) if (resolved(directory) !== undefined) directories.add(directory);
    path.add(real);
  }
  return { path: [...path], directories: outermost([...directories]), variables, skipped };
}

/** `bin` of an installation, or the directory itself. */
function programsIn(directory: string): string {
  const bin = join(directory, "bin");
  return resolved(bin) === undefined ? directory : bin;
}

function whyNot(
  entry: string,
  real: string,
  { home, roots }: { readonly home: string; readonly roots: readonly string[] },
): string | undefined {
  if (isInsideAny(entry, roots) || isInsideAny(real, roots)) return "inside the workspace";
  if (real.includes("/node_modules/")) return "belongs to a package";
  if ([home, ...roots].some((place) => isInside(place, real))) return "holds the home directory or the workspace";
  const [top] = relative(home, real).split("/");
  if (isInside(real, home) && top !== undefined && privateDirectories.has(top)) return "below a private directory";
  return (statSync(real).mode & 0o002) === 0 ? undefined : "writable by everyone";
}

/** The installation around a `bin`, where it clearly is one and nothing else can be in it. */
function prefixOf(directory: string, keepOut: readonly string[]): string {
  const parent = dirname(directory);
  const looksInstalled =
    ["bin", "sbin", "shims"].includes(basename(directory)) &&
    ["lib", "lib64", "libexec", "share", "include", "versions"].some((name) => existsSync(join(parent, name)));
  const holdsMore = dirname(parent) === "/" || keepOut.some((place) => isInside(place, parent));
  return looksInstalled && !holdsMore ? parent : directory;
}

/** The real path of a directory that exists. */
function resolved(path: string): string | undefined {
  if (!path.startsWith("/")) return undefined;
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function outermost(directories: readonly string[]): readonly string[] {
  return directories.filter((path) => !directories.some((other) => other !== path && isInside(path, other)));
}

/** Files that hold a token wherever they lie. Certificates are not among them: without them nothing can be verified. */
const secretNames = new Set(
  [
    ".env .git-credentials .netrc .npmrc .pypirc .yarnrc.yml _netrc auth.json auth.toml credentials credentials.json",
    "credentials.toml id_ed25519 id_rsa npmrc pip.conf",
  ].flatMap((line) => line.split(" ")),
);

/** Package managers keep their own settings near the top of an installation; what lies deeper came with a package. */
const maxDepth = 3;
const maxEntries = 2_000;
const onlyPackages = new Set(
  "bin doc docs include lib lib64 libexec node_modules share shims src test tests".split(" "),
);

/** What a toolchain keeps for its user and a command must not read. */
export function findToolchainSecrets(directories: readonly string[]): readonly string[] {
  const found: string[] = [];
  let left = maxEntries;
  let level = [...directories];
  for (let depth = 0; depth < maxDepth && left > 0; depth++) {
    const below: string[] = [];
    for (const directory of level) {
      const entries = entriesOf(directory).slice(0, Math.max(0, left));
      left -= entries.length;
      for (const entry of entries) {
        const path = join(directory, entry.name);
        if (entry.isDirectory() && !onlyPackages.has(entry.name)) below.push(path);
        else if (secretNames.has(entry.name)) found.push(path);
      }
    }
    level = below;
  }
  return found;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Finds a program outside the workspace. */
export type ProgramFinder = (name: string) => string | undefined;

/** The first program of this name on a path. */
export function findProgram(name: string, path: readonly string[]): string | undefined {
  return path.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
