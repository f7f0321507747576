import path from "node:path";
import { isInside } from "../contract/effect.ts";
import { isNamed, type Launch, type PackageConfiguration, sourceOf } from "../contract/server/package-source.ts";
import type { ServerSetting } from "../contract/server/server.ts";
import { launcherIn, leadsLaunch, type PackageLauncher } from "../programs/launchers.ts";
import { isProgram } from "../programs/program-kinds.ts";

/** `undefined` if the command downloads nothing, is a launcher of the workspace, or has unsupported arguments. */
export function launchOf(setting: ServerSetting, workspace: string): Launch | undefined {
  const found = readLaunch(setting, workspace);
  return found?.refused === undefined ? found?.launch : undefined;
}

export interface ReadLaunch {
  /** Also set if refused: the launcher must still not run the project's own program of that name. */
  readonly launch?: Launch;
  /** Why nothing may be downloaded. */
  readonly refused?: string;
}

export function readLaunch(setting: ServerSetting, workspace: string): ReadLaunch | undefined {
  if (!("command" in setting)) return undefined;
  const { command, args = [], env = {} } = setting;
  if (command.includes("/") && (!path.isAbsolute(command) || isInside(path.resolve(command), workspace))) {
    return undefined;
  }
  const found = launcherIn([path.basename(command), ...args]);
  if (found === undefined) return undefined;
  const read = packagesIn(found.launcher, found.rest);
  const { packages } = read;
  if (packages === undefined) return read;
  const { launcher, registry, startsElsewhere } = found.launcher;
  const { plain, file, pinned } = registry === "pypi" ? pythonNames : npmNames;
  const odd = packages.find((name) => !plain.test(name) || file.test(name));
  if (odd !== undefined) return { refused: `${odd} is not a package name` };
  const isPinned = packages.every((name) => pinned.test(name));
  const launch = { launcher, registry, startsElsewhere, packages, pinned: isPinned };
  if (read.refused !== undefined) return { launch, refused: read.refused };
  const leading = Object.keys(env).filter(leadsLaunch);
  if (leading.length > 0) return { launch, refused: `its environment has ${leading.join(", ")}` };
  if (startsElsewhere && setting.cwd !== undefined) {
    return { refused: `${path.basename(command)} cannot be combined with a cwd` };
  }
  return { launch };
}

function packagesIn(
  { naming, valued = [], switches, readsOn }: PackageLauncher,
  words: readonly string[],
): { readonly packages?: readonly string[]; readonly refused?: string } {
  const named: string[] = [];
  const from = (at: number) => {
    const first = words[at];
    if (first === undefined) return { refused: "it names no package" };
    if (named.length > 0 && !/^[\w@][\w.@-]*$/.test(first))
      return { refused: `${first} is not a command of a package` };
    const packages = named.length > 0 ? named : [first];
    return runsAnything(first)
      ? { packages, refused: `${first} can run any program that its arguments name` }
      : { packages };
  };
  for (let at = 0; at < words.length; at++) {
    const [option = "", ...rest] = (words[at] ?? "").split("=");
    if (option === "--" && rest.length === 0) return from(at + 1);
    if (!option.startsWith("-")) {
      const own = readsOn === true ? words.slice(at, words.indexOf("--", at) + 1 || undefined) : [];
      const late = own.find((word) => word.startsWith("-") && word !== "--");
      // Without its value, which may be a secret.
      const refused = `${late?.split("=")[0]} follows the package without a -- before it`;
      return late === undefined ? from(at) : { ...from(at), refused };
    }
    if (rest.length === 0 && switches.includes(option)) continue;
    if (!naming.includes(option) && !valued.includes(option)) return { refused: `${option} is not supported` };
    if (rest.length === 0) at += 1;
    const value = rest.length > 0 ? rest.join("=") : words[at];
    if (value === undefined) return { refused: `${option} has no value` };
    if (naming.includes(option)) named.push(value);
    else if (!pythonVersion.test(value)) return { refused: `${option} ${value} is not a version` };
  }
  // Some launchers start a shell then.
  return named.length > 0 ? { packages: named, refused: "it names no command" } : { refused: "it names no package" };
}

function runsAnything(word: string): boolean {
  const [name = ""] = word.toLowerCase().split(/[@=<>!~[]/);
  return [name, name.replace(/[-.]?\d[\d.]*$/, "")].some((one) => isProgram("runsOthers", one));
}

const pythonVersion = /^(?:(?:cpython|pypy|python)@?)?\d+(?:\.\d+){0,2}$/;
/** `file`: names that a launcher takes for a file. */
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

export function describeFetch(
  setting: ServerSetting,
  workspace: string,
  configuration: PackageConfiguration,
): string | undefined {
  const { launch, refused } = readLaunch(setting, workspace) ?? {};
  if (refused !== undefined) return refusedWords(refused);
  if (launch === undefined) return undefined;
  const source = sourceOf(launch, configuration);
  const network = "command" in setting ? setting.sandbox?.network : undefined;
  if (network === undefined) return launchWords(launch, source?.hosts ?? []);
  const hosts = (source?.hosts ?? []).filter((host) => isNamed(host, network));
  return hosts.length === 0 ? undefined : launchWords(launch, hosts);
}

export function refusedWords(refused: string): string {
  return `cannot download packages, because ${refused}`;
}

function launchWords({ startsElsewhere, packages, pinned }: Launch, hosts: readonly string[]): string {
  const what = packages.join(" and ");
  const from = hosts.length === 0 ? "no reachable registry" : hosts.join(" and ");
  const version = pinned
    ? "at a fixed version; its dependencies may change"
    : "WITHOUT A FIXED VERSION: its code can change at any time";
  const where = startsElsewhere ? "; it runs in an empty directory, not in the workspace" : "";
  return `downloads and runs ${what} from ${from}, ${version}${where}`;
}
