import path from "node:path";
import { isInside } from "../effect.ts";
import type { ServerSetting } from "./server.ts";

/** A server that is fetched from a registry of packages before it runs. */
export interface Launch {
  readonly launcher: "npm" | "bun" | "pnpm" | "uv" | "pipx";
  /** As written: every package that is named. */
  readonly packages: readonly string[];
  /** Each with one version that cannot become another. */
  readonly pinned: boolean;
}

interface Launcher {
  readonly launcher: Launch["launcher"];
  /** The program and what follows it. */
  readonly words: readonly string[];
  /** Options that name a package; the first word is then a command of it. */
  readonly naming: readonly string[];
  /** Options with another value. */
  readonly valued: readonly string[];
  readonly switches: readonly string[];
  /** Options behind the package are its own until a `--`. */
  readonly readsOn?: true;
}

const npm = {
  launcher: "npm",
  naming: ["-p", "--package"],
  valued: [],
  switches: ["-y", "--yes", "-q", "--quiet", "-s", "--silent", "--prefer-offline", "--prefer-online"],
} as const;
const bun = {
  launcher: "bun",
  naming: ["-p", "--package"],
  valued: [],
  switches: ["-y", "--bun", "--silent"],
} as const;
const pnpm = { launcher: "pnpm", naming: ["--package"], valued: [], switches: ["-s", "--silent"] } as const;
const uv = {
  launcher: "uv",
  naming: ["--from"],
  valued: ["-p", "--python"],
  switches: ["-q", "--quiet", "--isolated", "--refresh", "--no-progress"],
} as const;
const pipx = { launcher: "pipx", naming: ["--spec"], valued: ["--python"], switches: ["-q", "--quiet"] } as const;

const launchers: readonly Launcher[] = [
  { ...npm, words: ["npx"] },
  { ...npm, words: ["npm", "exec"], readsOn: true },
  { ...npm, words: ["npm", "x"], readsOn: true },
  { ...bun, words: ["bunx"] },
  { ...bun, words: ["bun", "x"] },
  { ...pnpm, words: ["pnpm", "dlx"] },
  { ...pnpm, words: ["pnpx"] },
  { ...uv, words: ["uvx"] },
  { ...uv, words: ["uv", "tool", "run"] },
  { ...pipx, words: ["pipx", "run"] },
];

/**
 * What a server's command fetches. `undefined` for every other command, for a launcher of the workspace's own, and for
 * words that are not understood: whatever is no plain name of a package in a registry is fetched by nobody.
 */
export function launchOf(setting: ServerSetting, workspace: string): Launch | undefined {
  const found = readLaunch(setting, workspace);
  return found?.refused === undefined ? found?.launch : undefined;
}

/** What the words of a launcher come to. */
export interface ReadLaunch {
  /** Also where nothing is fetched for it: it is still kept from running what the project has of that name. */
  readonly launch?: Launch;
  /** Why nothing is fetched for it all the same. */
  readonly refused?: string;
}

/** With why it is no launch, for words of a launcher; `undefined` for every other command. */
export function readLaunch(setting: ServerSetting, workspace: string): ReadLaunch | undefined {
  if (!("command" in setting)) return undefined;
  const { command, args = [], env = {} } = setting;
  if (command.includes("/") && (!path.isAbsolute(command) || isInside(path.resolve(command), workspace))) {
    return undefined;
  }
  const given = [path.basename(command), ...args];
  const found = launchers.find(({ words }) => words.every((word, at) => given[at] === word));
  if (found === undefined) return undefined;
  const read = packagesIn(found, given.slice(found.words.length));
  const { packages } = read;
  if (packages === undefined) return read;
  const { launcher } = found;
  const { plain, file, pinned } = isPython(launcher) ? pythonNames : npmNames;
  const odd = packages.find((name) => !plain.test(name) || file.test(name));
  if (odd !== undefined) return { refused: `${odd} is no plain name of a package` };
  const launch = { launcher, packages, pinned: packages.every((name) => pinned.test(name)) };
  if (read.refused !== undefined) return { launch, refused: read.refused };
  const leading = Object.keys(env).filter((name) => leads.test(name) && !harmless.has(name.toUpperCase()));
  if (leading.length > 0) return { launch, refused: `its environment has ${leading.join(", ")}` };
  if (worksElsewhere(launcher) && setting.cwd !== undefined) {
    return { refused: `${given[0]} is not started in a directory that its entry names` };
  }
  return { launch };
}

/** These prefer what they find in their directory, and have no way to start a program in another one. */
export function worksElsewhere(launcher: Launch["launcher"]): boolean {
  return launcher === "bun" || launcher === "pnpm" || launcher === "pipx";
}

/** Variables that say what a launcher runs, or where it looks for that. */
const leads =
  /^(?:path|home|shell|prefix|tmpdir|.*_proxy|python.*|(?:npm|node|pnpm|bun|corepack|uv|pip|pipx|ld|dyld|bash|ssl|openssl|xdg|conda|virtual|glibc)_.*)$/i;
const harmless: ReadonlySet<string> = new Set([
  "NODE_ENV",
  "PYTHONUNBUFFERED",
  "PYTHONIOENCODING",
  "PYTHONUTF8",
  "PYTHONDONTWRITEBYTECODE",
]);

function packagesIn(
  { naming, valued, switches, readsOn }: Launcher,
  words: readonly string[],
): { readonly packages?: readonly string[]; readonly refused?: string } {
  const named: string[] = [];
  const from = (at: number) => {
    const first = words[at];
    if (first === undefined) return { refused: "it names no package" };
    // A command of the packages: a path would be something else.
    if (named.length > 0 && !/^[\w@][\w.@-]*$/.test(first)) return { refused: `${first} is no command of a package` };
    const packages = named.length > 0 ? named : [first];
    return runsAnything(first) ? { packages, refused: `${first} would run what its own words name` } : { packages };
  };
  for (let at = 0; at < words.length; at++) {
    const [option = "", ...rest] = (words[at] ?? "").split("=");
    if (option === "--" && rest.length === 0) return from(at + 1);
    if (!option.startsWith("-")) {
      const own = readsOn === true ? words.slice(at, words.indexOf("--", at) + 1 || undefined) : [];
      const late = own.find((word) => word.startsWith("-") && word !== "--");
      // What it is set to may be a secret.
      const refused = `${late?.split("=")[0]} stands behind the package without a -- before it`;
      return late === undefined ? from(at) : { ...from(at), refused };
    }
    if (rest.length === 0 && switches.includes(option)) continue;
    if (!naming.includes(option) && !valued.includes(option)) return { refused: `${option} is not understood` };
    if (rest.length === 0) at += 1;
    const value = rest.length > 0 ? rest.join("=") : words[at];
    if (value === undefined) return { refused: `${option} has no value` };
    if (naming.includes(option)) named.push(value);
    else if (!pythonVersion.test(value)) return { refused: `${option} ${value} is no version` };
  }
  // Some start a shell then.
  return named.length > 0 ? { packages: named, refused: "it names no command" } : { refused: "it names no package" };
}

/**
 * Interpreters, shells, package managers, and programs that start others. Behind the packages of another option they
 * are those of the machine; as packages they run files of the project, or fetch what nobody was told of.
 */
const runners: ReadonlySet<string> = new Set(
  [
    "bun deno dotnet ipython java jshell julia lua luajit node nodejs osascript perl php pypy python pythonw r rscript",
    "guile irb raku ruby tclsh wish awk gawk mawk nawk sed ed ex vi vim nvim emacs expect gdb",
    "ash bash busybox csh dash elvish fish ksh mksh nu powershell pwsh sh tcsh toybox xonsh zsh",
    "bunx corepack npm npx pnpm pnpx yarn yarnpkg pip pipx uv uvx poetry pdm hatch rye conda mamba micromamba pixi",
    "apk apt apt-get brew bundle cargo composer dnf docker gem go guix nix nix-env nix-shell pacman podman yum",
    "chroot command doas env eval exec find flock ionice ltrace make cmake gmake ninja nice nohup nsenter parallel",
    "git script setpriv setsid source ssh stdbuf strace su sudo systemd-run time timeout unshare watch xargs",
  ].flatMap((line) => line.split(" ")),
);

/** By its name. */
function runsAnything(word: string): boolean {
  const [name = ""] = word.toLowerCase().split(/[@=<>!~[]/);
  return runners.has(name) || runners.has(name.replace(/[-.]?\d[\d.]*$/, ""));
}

const pythonVersion = /^(?:(?:cpython|pypy|python)@?)?\d+(?:\.\d+){0,2}$/;
/** `file`: what a launcher takes for one before it thinks of a registry. */
const npmNames = {
  plain: /^(?:@[A-Za-z0-9_][\w.-]*\/)?[A-Za-z0-9_][\w.-]*(?:@(?:\*|[~^<>=]{0,2}[A-Za-z0-9][\w.+*-]*))?$/,
  file: /\.(?:tgz|tar|tar\.gz)$/i,
  pinned: /.@\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/,
};
const pythonNames = {
  plain: /^[A-Za-z0-9][\w.-]*(?:\[[\w.,-]*\])?(?:(?:@|[=<>!~]=|[<>])[A-Za-z0-9][\w.+*,<>=!-]*)?$/,
  file: /\.(?:t(?:gz|ar|bz2?|xz|lz)|tar\.\w+|zip|whl|egg|pyz?)$/i,
  pinned: /(?:@|==)\d+(?:\.\d+)*(?:[-+.]?[A-Za-z][\w.+-]*)?$/,
};

/** They share nothing with npm: neither registries nor names. */
export function isPython(launcher: Launch["launcher"]): boolean {
  return launcher === "uv" || launcher === "pipx";
}
