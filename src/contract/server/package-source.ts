import path from "node:path";
import type { Environment } from "./fill-variables.ts";

export interface Launch {
  readonly launcher: "npm" | "bun" | "pnpm" | "uv" | "pipx";
  readonly registry: "npm" | "pypi";
  /** It cannot leave the directory that it starts in, and prefers what it finds there. */
  readonly startsElsewhere?: boolean;
  readonly packages: readonly string[];
  readonly pinned: boolean;
}

export interface PackageSource {
  readonly registry: string;
  /** Where those of a scope (`@scope`) come from, whether a package is named or only needed by another. */
  readonly scoped: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
}

/** The user's own configuration. A project's is never read: it could redirect downloads. */
export interface PackageConfiguration {
  readonly environment: Environment;
  readonly home: string;
  /** `undefined` if the file does not exist. */
  readonly readText: (file: string) => string | undefined;
}

/** `undefined` for a configuration with an invalid registry: then nothing may be downloaded. */
export function sourceOf(launch: Launch, configuration: PackageConfiguration): PackageSource | undefined {
  if (launch.registry === "pypi") return pythonSource(configuration.environment);
  const configured = npmConfiguration(configuration);
  if (configured === undefined) return undefined;
  const registry = addressOf(configured.get("registry") ?? "https://registry.npmjs.org/");
  const scopes = [...configured].flatMap(([key, value]) => {
    const [, scope] = /^(@[^:]+):registry$/.exec(key) ?? [];
    return scope === undefined ? [] : [{ scope, registry: addressOf(value) }];
  });
  if (registry === undefined) return undefined;
  const scoped: Record<string, string> = {};
  const hosts = new Set([registry.host]);
  for (const { scope, registry: own } of scopes) {
    // Without its own registry, a scoped package would be looked up in the public one, which anyone can publish to.
    if (own === undefined) return undefined;
    scoped[scope] = own.href;
    hosts.add(own.host);
  }
  return { registry: registry.href, scoped, hosts: [...hosts] };
}

function pythonSource(environment: Environment): PackageSource | undefined {
  const named = environment.UV_DEFAULT_INDEX || environment.UV_INDEX_URL || environment.PIP_INDEX_URL;
  const index = addressOf(named || "https://pypi.org/simple");
  if (index === undefined) return undefined;
  return { registry: index.href, scoped: {}, hosts: named ? [index.host] : [index.host, "files.pythonhosted.org"] };
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
  const named = variable("globalconfig");
  const texts: string[] = [];
  try {
    for (const file of [...(named ? [named] : machineFiles), variable("userconfig") || path.join(home, ".npmrc")]) {
      texts.push(readText(file) ?? "");
    }
  } catch {
    // The file exists but cannot be read.
    return undefined;
  }
  const configured = new Map<string, string>();
  for (const line of texts.join("\n").split("\n")) {
    const [, key, value] = /^\s*([^=;#\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) configured.set(bare(key), filled(value, environment));
  }
  for (const [name, value] of Object.entries(environment)) {
    const [, prefix, scope] = /^(npm_config_)(@.+):registry$/i.exec(name) ?? [];
    if (scope === undefined || !value || (belowNpm && prefix === "npm_config_")) continue;
    configured.set(`${scope.replaceAll("_", "-").toLowerCase()}:registry`, value);
  }
  const registry = variable("registry");
  return registry ? configured.set("registry", registry) : configured;
}

/** The strongest last. */
const machineFiles = ["/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"];

function filled(value: string, environment: Environment): string {
  return bare(value).replace(/\$\{([^}]+)\}/g, (written, name: string) => environment[name] ?? written);
}

function bare(written: string): string {
  return /^(["'])(.*)\1$/.exec(written)?.[2] ?? written;
}

/** Without credentials. */
function addressOf(written: string): URL | undefined {
  if (!URL.canParse(written)) return undefined;
  const address = new URL(written);
  if (!/^https?:$/.test(address.protocol) || address.hostname.startsWith("[")) return undefined;
  return new URL(`${address.protocol}//${address.host}${address.pathname}`);
}

export function isNamed(host: string, network: readonly string[]): boolean {
  return network.some((one) => one === host || (one.startsWith("*.") && `.${host}`.endsWith(one.slice(1))));
}
