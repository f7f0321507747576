import type { Launch } from "../contract/server/package-source.ts";
import { listed, rowsOf } from "./flag-lists.ts";

/** A program that fetches a package, or takes it from the project, and runs what the words behind it name. */
export interface PackageLauncher {
  /** The program, and its sub-command where it has one. */
  readonly names: readonly string[];
  readonly launcher: Launch["launcher"];
  readonly registry: Launch["registry"];
  /** Options that name a package; the first word is then a command of it. */
  readonly naming: readonly string[];
  readonly valued?: readonly string[];
  readonly switches: readonly string[];
  /** Under these nothing is fetched. */
  readonly local?: readonly string[];
  /** Options behind the package are its own until a `--`. */
  readonly readsOn: boolean;
  /** It prefers what it finds in its directory, and has no way to start a program in another one. */
  readonly startsElsewhere: boolean;
}

export const launchers = rowsOf(
  `
  npx; by npm; registry npm; naming -p --package; switches -y --yes -q --quiet -s --silent --prefer-offline
    --prefer-online; local --no --no-install --offline
  npm~exec npm~x; by npm; registry npm; naming -p --package; switches -y --yes -q --quiet -s --silent --prefer-offline
    --prefer-online; local --no --no-install --offline; readsOn
  bunx bun~x; by bun; registry npm; naming -p --package; switches -y --bun --silent; startsElsewhere
  pnpx pnpm~dlx; by pnpm; registry npm; naming --package; switches -s --silent; startsElsewhere
  uvx uv~tool~run; by uv; registry pypi; naming --from; valued -p --python; switches -q --quiet --isolated --refresh
    --no-progress
  pipx~run; by pipx; registry pypi; naming --spec; valued --python; switches -q --quiet; startsElsewhere
`,
  ["by", "registry", "naming", "valued", "switches", "local", "readsOn", "startsElsewhere"],
).map(
  ({ names, by, registry, naming = [], switches = [], valued, local, readsOn, startsElsewhere }): PackageLauncher => ({
    names,
    launcher: by?.[0] as PackageLauncher["launcher"],
    registry: registry?.[0] as PackageLauncher["registry"],
    naming,
    valued,
    switches,
    local,
    readsOn: readsOn !== undefined,
    startsElsewhere: startsElsewhere !== undefined,
  }),
);

export function launcherIn(
  words: readonly string[],
): { readonly launcher: PackageLauncher; readonly rest: readonly string[] } | undefined {
  const begins = (name: string) => listed(name).every((word, at) => words[at] === word);
  for (const launcher of launchers) {
    const name = launcher.names.find(begins);
    if (name !== undefined) return { launcher, rest: words.slice(listed(name).length) };
  }
  return undefined;
}

const launcherNames = launchers.flatMap(({ names }) => names);
export const launcherPrograms: ReadonlySet<string> = new Set(launcherNames.filter((name) => !name.includes(" ")));

const leading =
  /^(?:path|home|shell|prefix|tmpdir|.*_proxy|python.*|(?:npm|node|pnpm|bun|corepack|uv|pip|pipx|ld|dyld|bash|ssl|openssl|xdg|conda|virtual|glibc)_.*)$/i;
const harmless = /^(?:NODE_ENV|PYTHON(?:UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE))$/i;

/** Variables that decide what a launcher runs, or where it looks for it. */
export function leadsLaunch(name: string): boolean {
  return leading.test(name) && !harmless.test(name);
}

/** Programs that launch with one of their sub-commands, or always. */
export const launching: ReadonlySet<string> = new Set(launcherNames.map((name) => name.replace(/ .*/, "")));
