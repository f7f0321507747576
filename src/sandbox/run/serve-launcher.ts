import { mkdirSync } from "node:fs";
import { quoted } from "../../base/text.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { Launch, PackageSource } from "../../contract/server/package-source.ts";
import { cacheVariables } from "../network/bridge.ts";
import { sandboxHome } from "../plan/environment.ts";
import { notPrepared } from "./backend.ts";

interface LauncherPlace {
  readonly confined: boolean;
  readonly cache: string;
  readonly cwd: string;
  readonly installed: boolean;
}

interface LauncherStart {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

// The project must not choose the registry or the packages: a launcher starts in an empty directory.
export function prepareLauncher(
  [program, ...args]: readonly [string, ...string[]],
  { launch: { launcher, startsElsewhere }, source }: { readonly launch: Launch; readonly source: PackageSource },
  place: LauncherPlace,
): Outcome<LauncherStart> {
  const { cache, confined, cwd, installed } = place;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
  } catch (error) {
    return notPrepared(error);
  }
  const begin = confined ? sandboxHome : `${cache}/start`;
  const shell = `${begin}/package-shell`;
  // With a separate prefix npm ignores global packages of the machine.
  const npmOptions = [...(installed ? [] : [`--prefix=${begin}`]), `--script-shell=${shell}`];
  // Files that a server can write are written from inside the sandbox, where links cannot escape.
  const lines = [
    `mkdir -p -- ${quoted(begin)}`,
    // The sandbox has a read-only one with the harmless settings of the user.
    `rm -f -- ${quoted(`${begin}/.npmrc`)}`,
    `printf %s ${quoted(npmrc(source))} >${quoted(`${begin}/.npmrc`)}`,
    `printf %s ${quoted(packageShell(place))} >${quoted(shell)}`,
    `chmod 700 ${quoted(shell)}`,
    `cd -- ${quoted(launcher === "npm" || startsElsewhere ? begin : cwd)}`,
    'exec "$@"',
  ];
  const started = [program, ...(launcher === "npm" ? npmOptions : []), ...args];
  return ok({
    argv: ["/bin/sh", "-c", lines.join(" && "), "sh", ...started],
    env: { ...(confined ? {} : cacheVariables(cache)), ...registryVariables(launcher, source.registry, place) },
  });
}

function registryVariables(
  launcher: Launch["launcher"],
  registry: string,
  { cache, confined }: LauncherPlace,
): Readonly<Record<string, string>> {
  if (launcher === "uv") return { UV_DEFAULT_INDEX: registry, UV_NO_CONFIG: "1", UV_PYTHON_DOWNLOADS: "never" };
  if (launcher === "pipx") {
    const kept = confined ? `${sandboxHome}/.cache` : cache;
    return { PIPX_HOME: `${kept}/pipx`, PIP_INDEX_URL: registry, PIP_CONFIG_FILE: "/dev/null" };
  }
  return {
    npm_config_userconfig: `${confined ? sandboxHome : `${cache}/start`}/.npmrc`,
    npm_config_registry: registry,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    ...(launcher === "npm" ? {} : { BUN_CONFIG_REGISTRY: registry }),
  };
}

function npmrc({ registry, scoped }: PackageSource): string {
  const scopes = Object.entries(scoped).map(([scope, own]) => `${scope}:registry=${own}\n`);
  return `registry=${registry}\n${scopes.join("")}`;
}

// npm puts `node_modules/.bin` of its directory first, so the workspace is entered after that. A missing command //
// would be found on the machine's PATH: it must come from the fetched package.
function packageShell({ cwd, installed }: Pick<LauncherPlace, "cwd" | "installed">): string {
  const onlyFetched = `program=$(printf %s "\${2%% *}" | tr -d "\\"'")
  case $(command -v "$program") in
    */_npx/*/node_modules/.bin/"$program") ;;
    *) printf '%s is not a command of the named packages\\n' "$program" >&2; exit 127 ;;
  esac`;
  return `#!/bin/sh
if [ "$npm_lifecycle_event" = npx ]; then
  ${installed ? ":" : onlyFetched}
  cd -- ${quoted(cwd)} || exit 1
  export INIT_CWD=${quoted(cwd)}
fi
exec /bin/sh "$@"
`;
}
