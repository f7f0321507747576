import path from "node:path";
import type { Environment } from "./fill-variables.ts";
import { isInside } from "./path-scope.ts";
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
  { ...npm, words: ["npm", "exec"] },
  { ...npm, words: ["npm", "x"] },
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
  if (!("command" in setting)) return undefined;
  const { command, args = [] } = setting;
  if (command.includes("/") && (!path.isAbsolute(command) || isInside(path.resolve(command), workspace))) {
    return undefined;
  }
  const given = [path.basename(command), ...args];
  const found = launchers.find(({ words }) => words.every((word, at) => given[at] === word));
  const packages = found === undefined ? undefined : packagesIn(found, given.slice(found.words.length));
  if (found === undefined || packages === undefined) return undefined;
  const { launcher } = found;
  const { plain, pinned } = isPython(launcher) ? pythonNames : npmNames;
  if (!packages.every((name) => plain.test(name))) return undefined;
  return { launcher, packages, pinned: packages.every((name) => pinned.test(name)) };
}

function packagesIn({ naming, valued, switches }: Launcher, words: readonly string[]): readonly string[] | undefined {
  const named: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [option = "", ...rest] = (words[at] ?? "").split("=");
    if (!option.startsWith("-")) return named.length > 0 ? named : [words[at] ?? ""];
    if (option === "--" && rest.length === 0) {
      const next = words[at + 1];
      return named.length > 0 ? named : next === undefined ? undefined : [next];
    }
    if (rest.length === 0 && switches.includes(option)) continue;
    if (!naming.includes(option) && !valued.includes(option)) return undefined;
    if (rest.length === 0) at += 1;
    const value = rest.length > 0 ? rest.join("=") : words[at];
    if (value === undefined) return undefined;
    if (naming.includes(option)) named.push(value);
  }
  return named.length > 0 ? named : undefined;
}

const npmNames = {
  plain: /^(?:@[A-Za-z0-9_~-][\w.~-]*\/)?[A-Za-z0-9_~-][\w.~-]*(?:@[^/:@\s]+)?$/,
  pinned: /.@\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/,
};
const pythonNames = {
  plain: /^[A-Za-z0-9][\w.-]*(?:\[[\w.,-]*\])?(?:(?:@|[=<>!~]=|[<>])[^/:@\s]+)?$/,
  pinned: /(?:@|==)\d+(?:\.\d+)*(?:[-+.]?[A-Za-z][\w.+-]*)?$/,
};

function isPython(launcher: Launch["launcher"]): boolean {
  return launcher === "uv" || launcher === "pipx";
}

/** Where packages come from. */
export interface PackageSource {
  readonly registry: string;
  /** Where those of one scope come from, if that is somewhere else. */
  readonly scoped?: { readonly scope: string; readonly registry: string };
  /** What has to be reached, as `sandbox.network` names hosts. */
  readonly hosts: readonly string[];
}

/** The person's own configuration. That of a project is never looked at: it would say where its code comes from. */
export interface PackageConfiguration {
  readonly environment: Environment;
  readonly home: string;
  /** `undefined` when there is no such file. */
  readonly readText: (file: string) => string | undefined;
}

/** `undefined` where the configuration names something that is no registry: then nothing may be fetched. */
export function sourceOf(launch: Launch, configuration: PackageConfiguration): PackageSource | undefined {
  if (isPython(launch.launcher)) return pythonSource(configuration.environment);
  const configured = npmConfiguration(configuration);
  if (configured === undefined) return undefined;
  const registry = addressOf(configured.get("registry") ?? "https://registry.npmjs.org/");
  if (registry === undefined) return undefined;
  const scope = launch.packages.flatMap((name) => /^(@[^/]+)\//.exec(name)?.[1] ?? [])[0];
  const own = scope === undefined ? undefined : configured.get(`${scope}:registry`);
  if (scope === undefined || own === undefined) return { registry: registry.href, hosts: [registry.host] };
  const scoped = addressOf(own);
  if (scoped === undefined) return undefined;
  const hosts = [...new Set([registry.host, scoped.host])];
  return { registry: registry.href, scoped: { scope, registry: scoped.href }, hosts };
}

function pythonSource(environment: Environment): PackageSource | undefined {
  const named = environment.UV_DEFAULT_INDEX || environment.UV_INDEX_URL || environment.PIP_INDEX_URL;
  const index = addressOf(named || "https://pypi.org/simple");
  if (index === undefined) return undefined;
  return { registry: index.href, hosts: named ? [index.host] : [index.host, "files.pythonhosted.org"] };
}

function npmConfiguration({
  environment,
  home,
  readText,
}: PackageConfiguration): ReadonlyMap<string, string> | undefined {
  // Below a script of npm its variables repeat what a project's own file says.
  const belowNpm = environment.npm_execpath !== undefined;
  const variable = (name: string) =>
    environment[`NPM_CONFIG_${name.toUpperCase()}`] || (belowNpm ? undefined : environment[`npm_config_${name}`]);
  let text: string;
  try {
    text = readText(variable("userconfig") || path.join(home, ".npmrc")) ?? "";
  } catch {
    // It is there, and what it says is not known.
    return undefined;
  }
  const configured = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, key, value] = /^\s*([^=;#\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) configured.set(key, filled(value, environment));
  }
  const registry = variable("registry");
  return registry ? configured.set("registry", registry) : configured;
}

function filled(value: string, environment: Environment): string {
  const bare = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return bare.replace(/\$\{([^}]+)\}/g, (written, name: string) => environment[name] ?? written);
}

/** Without the secrets that may stand in it. */
function addressOf(written: string): URL | undefined {
  if (!URL.canParse(written)) return undefined;
  const address = new URL(written);
  if (!/^https?:$/.test(address.protocol) || address.hostname.startsWith("[")) return undefined;
  return new URL(`${address.protocol}//${address.host}${address.pathname}`);
}

/** For people who decide about a server, in one line; `undefined` where it fetches nothing, or is kept from it. */
export function describeFetch(
  setting: ServerSetting,
  workspace: string,
  configuration: PackageConfiguration,
): string | undefined {
  const launch = launchOf(setting, workspace);
  if (launch === undefined) return undefined;
  const source = sourceOf(launch, configuration);
  const network = "command" in setting ? setting.sandbox?.network : undefined;
  const isKept = network !== undefined && source?.hosts.some((host) => !network.includes(host)) !== false;
  return isKept ? undefined : launchWords(launch, source);
}

function launchWords({ packages, pinned }: Launch, source: PackageSource | undefined): string {
  const what = packages.join(" and ");
  const from = source === undefined ? "no registry that could be reached" : source.hosts.join(" and ");
  const version = pinned
    ? "at the version that it names; what that one needs in turn may change"
    : "WITHOUT A FIXED VERSION: what it runs can become something else at any time";
  return `downloads and runs ${what} from ${from}, ${version}`;
}
