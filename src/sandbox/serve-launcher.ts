import { mkdirSync } from "node:fs";
import { type Outcome, ok } from "../contract/codes.ts";
import type { Launch, PackageSource } from "../contract/launcher.ts";
import { notPrepared } from "./backend.ts";
import { sandboxHome } from "./create-sandbox.ts";
import { cacheVariables } from "./network/variables.ts";

export interface LauncherPlace {
  /** In a sandbox of ours, where the cache lies below the home directory. */
  readonly confined: boolean;
  /** The server's own directory for what is fetched. */
  readonly cache: string;
}

export interface LauncherStart {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The same command, led to the one registry and to a cache of its own. Whatever the project says about where packages
 * come from, or has installed under the same name, must not be what runs.
 */
export function prepareLauncher(
  argv: readonly [string, ...string[]],
  fetched: { readonly launch: Launch; readonly source: PackageSource },
  place: LauncherPlace,
): Outcome<LauncherStart> {
  try {
    mkdirSync(place.cache, { recursive: true, mode: 0o700 });
  } catch (error) {
    return notPrepared(error);
  }
  return ok(startOf(argv, fetched.launch, fetched.source, place));
}

function startOf(
  [program, ...args]: readonly [string, ...string[]],
  { launcher }: Launch,
  { registry, scoped }: PackageSource,
  { confined, cache }: LauncherPlace,
): LauncherStart {
  const kept = confined ? `${sandboxHome}/.cache` : cache;
  const outside = confined ? {} : cacheVariables(cache);
  switch (launcher) {
    case "npm": {
      // npm looks for packages and for settings at the prefix, and otherwise in the project.
      const prefix = `--prefix=${confined ? sandboxHome : cache}`;
      const scope = scoped === undefined ? [] : [`--${scoped.scope}:registry=${scoped.registry}`];
      return { argv: [program, prefix, ...scope, ...args], env: { ...outside, ...npmVariables(registry) } };
    }
    case "bun":
    case "pnpm":
      return {
        argv: [program, ...args],
        env: { ...outside, ...npmVariables(registry), BUN_CONFIG_REGISTRY: registry },
      };
    case "uv":
      return {
        argv: [program, ...args],
        env: { ...outside, UV_DEFAULT_INDEX: registry, UV_NO_CONFIG: "1", UV_PYTHON_DOWNLOADS: "never" },
      };
    case "pipx":
      return {
        argv: [program, ...args],
        env: { ...outside, PIPX_HOME: `${kept}/pipx`, PIP_INDEX_URL: registry, PIP_CONFIG_FILE: "/dev/null" },
      };
  }
}

function npmVariables(registry: string): Readonly<Record<string, string>> {
  return {
    npm_config_registry: registry,
    // Nothing that would reach for other hosts, or speak to nobody.
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}
