import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isInside, isInsideAny, isOfSystem } from "../../contract/effect.ts";
import { entriesIn, isDirectory, isExecutable, realPathOf } from "../../host/files/look.ts";

interface Toolchains {
  readonly path: readonly string[];
  readonly directories: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

interface Known {
  readonly at: string;
  readonly directories: readonly string[];
  readonly variable?: readonly [name: string, at: string];
}

const knownToolchains: readonly Known[] = [
  { at: ".cargo/bin", directories: [".cargo/bin", ".rustup"], variable: ["RUSTUP_HOME", ".rustup"] },
  { at: ".pyenv", directories: [".pyenv"], variable: ["PYENV_ROOT", ".pyenv"] },
  { at: ".rbenv", directories: [".rbenv"], variable: ["RBENV_ROOT", ".rbenv"] },
  { at: ".nodenv", directories: [".nodenv"], variable: ["NODENV_ROOT", ".nodenv"] },
  { at: ".asdf", directories: [".asdf"], variable: ["ASDF_DATA_DIR", ".asdf"] },
  { at: ".volta", directories: [".volta"], variable: ["VOLTA_HOME", ".volta"] },
  { at: ".local/share/mise", directories: [".local/share/mise"], variable: ["MISE_DATA_DIR", ".local/share/mise"] },
  { at: ".local/bin", directories: [".local/bin", ".local/lib", ".local/share/pipx", ".local/share/uv"] },
  { at: ".docker", directories: [".docker/bin"] },
];

/** Contain credentials or conversations. Nothing below them is a toolchain. */
const privateDirectories = new Set(
  ".ssh .gnupg .aws .azure .config .kube .gcloud .password-store .mozilla .thunderbird .gauntlet .claude .codex .gemini .cursor .vault .cache".split(
    " ",
  ),
);

const systemPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

interface ToolchainOptions {
  readonly path: string;
  readonly home: string;
  readonly extra: readonly string[];
  readonly workspaceRoots: readonly string[];
}

export function findToolchains(options: ToolchainOptions): Toolchains {
  const home = resolved(options.home) ?? options.home;
  const path = new Set<string>();
  const directories = new Set<string>();
  const variables: Record<string, string> = {};
  const named = options.extra.map((entry) => (entry.startsWith("~/") ? join(home, entry.slice(2)) : entry));
  for (const entry of [...named.map(programsIn), ...options.path.split(":"), ...systemPath]) {
    const real = resolved(entry);
    if (real === undefined || isUntrusted(entry, real, { home, roots: options.workspaceRoots })) continue;
    if (isOfSystem(real)) {
      path.add(isOfSystem(entry) ? entry : real);
      continue;
    }
    const known = knownToolchains.find(({ at }) => isInside(real, join(home, at)));
    if (known?.variable !== undefined) variables[known.variable[0]] = join(home, known.variable[1]);
    const shown = known?.directories.map((at) => join(home, at)) ?? [prefixOf(real, [home, ...options.workspaceRoots])];
    for (const directory of shown) if (resolved(directory) !== undefined) directories.add(directory);
    path.add(real);
  }
  return { path: [...path], directories: outermost([...directories]), variables };
}

function programsIn(directory: string): string {
  const bin = join(directory, "bin");
  return resolved(bin) === undefined ? directory : bin;
}

/** A program in the workspace, or one that any user could replace, must not make a private directory visible. */
function isUntrusted(
  entry: string,
  real: string,
  { home, roots }: { readonly home: string; readonly roots: readonly string[] },
): boolean {
  const [top = ""] = relative(home, real).split("/");
  return (
    isInsideAny(entry, roots) ||
    isInsideAny(real, roots) ||
    real.includes("/node_modules/") ||
    [home, ...roots].some((place) => isInside(place, real)) ||
    (isInside(real, home) && privateDirectories.has(top)) ||
    (statSync(real).mode & 0o002) !== 0
  );
}

function prefixOf(directory: string, keepOut: readonly string[]): string {
  const parent = dirname(directory);
  const looksInstalled =
    ["bin", "sbin", "shims"].includes(basename(directory)) &&
    ["lib", "lib64", "libexec", "share", "include", "versions"].some((name) => existsSync(join(parent, name)));
  const holdsMore = dirname(parent) === "/" || keepOut.some((place) => isInside(place, parent));
  return looksInstalled && !holdsMore ? parent : directory;
}

function resolved(path: string): string | undefined {
  const real = path.startsWith("/") ? realPathOf(path) : undefined;
  return real !== undefined && isDirectory(real) ? real : undefined;
}

function outermost(directories: readonly string[]): readonly string[] {
  return directories.filter((path) => !directories.some((other) => other !== path && isInside(path, other)));
}

/** Without certificates, which are needed to verify connections. */
const secretNames = new Set(
  [
    ".env .git-credentials .netrc .npmrc .pypirc .yarnrc.yml _netrc auth.json auth.toml credentials credentials.json",
    "credentials.toml id_ed25519 id_rsa npmrc pip.conf",
  ].flatMap((line) => line.split(" ")),
);

/** Package managers store their own settings near the top of an installation; deeper files come from packages. */
const maxDepth = 3;
const maxEntries = 2_000;
const onlyPackages = new Set(
  "bin doc docs include lib lib64 libexec node_modules share shims src test tests".split(" "),
);

export function findToolchainSecrets(directories: readonly string[]): readonly string[] {
  const found: string[] = [];
  let left = maxEntries;
  let level = [...directories];
  for (let depth = 0; depth < maxDepth && left > 0; depth++) {
    const below: string[] = [];
    for (const directory of level) {
      const entries = entriesIn(directory).slice(0, Math.max(0, left));
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

export type ProgramFinder = (name: string) => string | undefined;

export function findProgram(name: string, path: readonly string[]): string | undefined {
  return path.map((directory) => join(directory, name)).find(isExecutable);
}
