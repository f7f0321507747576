import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import { realPathOf } from "../../host/files/look.ts";
import { readBounded, readText, unlessTooLarge } from "../../host/files/read-small-text.ts";
import { sandboxHome } from "./environment.ts";
import type { Mount } from "./mount-plan.ts";

interface KnownCache {
  /** Never a directory that also holds settings: those name tokens. */
  readonly at: string;
  readonly readOnly?: true;
  readonly readOnlyVariable?: string;
  readonly online?: { readonly variable: string; readonly home?: string; readonly unless?: string };
}

const knownCaches: readonly KnownCache[] = [
  { at: ".npm/_cacache", online: { variable: "npm_config_cache", home: ".npm" } },
  // For Yarn 1. In later versions, which have this file, the same variable means a directory of the project.
  { at: ".cache/yarn", online: { variable: "YARN_CACHE_FOLDER", unless: ".yarnrc.yml" } },
  { at: ".yarn/berry", online: { variable: "YARN_GLOBAL_FOLDER" } },
  { at: ".local/share/pnpm/store" },
  { at: ".local/share/pnpm/.tools" },
  { at: ".cache/pnpm" },
  { at: ".bun/install/cache", online: { variable: "BUN_INSTALL_CACHE_DIR" } },
  { at: ".cache/deno" },
  { at: ".cache/pip", online: { variable: "PIP_CACHE_DIR" } },
  { at: ".cache/uv", online: { variable: "UV_CACHE_DIR" } },
  { at: ".cache/go-build", online: { variable: "GOCACHE" } },
  { at: ".cache/composer" },
  { at: "go/pkg/mod", readOnly: true, online: { variable: "GOMODCACHE" } },
  { at: ".cargo/registry", readOnly: true, online: { variable: "CARGO_HOME", home: ".cargo" } },
  { at: ".cargo/git", readOnly: true },
  { at: ".m2/repository", readOnly: true },
  { at: ".gradle/caches", readOnlyVariable: "GRADLE_RO_DEP_CACHE" },
  { at: ".gradle/wrapper/dists", readOnly: true },
  { at: ".nuget/packages", readOnly: true },
  { at: ".cache/coursier", readOnly: true },
  { at: ".cache/node/corepack", readOnly: true },
  { at: ".cache/ms-playwright", readOnly: true },
  { at: ".cache/puppeteer", readOnly: true },
  { at: ".cache/Cypress", readOnly: true },
];

/** What tools keep of their own runs. */
const records = /^\.(?:config(?:\/(?:configstore|go))?|\w+_history|lesshst|wget-hsts)$/;

/** Of a name in a home: nothing in it is missed. */
export function isKnownCache(name: string): boolean {
  return records.test(name) || knownCaches.some(({ at }) => at === name || at.startsWith(`${name}/`));
}

export interface Cache extends KnownCache {
  readonly path: string;
}

export function findCaches(home: string, workspaceRoots: readonly string[]): readonly Cache[] {
  const real = realPathOf(home);
  if (real === undefined) return [];
  return knownCaches
    .map((known) => ({ ...known, path: join(real, known.at) }))
    .filter(({ path }) => realPathOf(path) === path && lstatSync(path).isDirectory())
    .filter(({ path }) => !workspaceRoots.some((root) => isInside(root, path) || isInside(path, root)));
}

interface CacheParts {
  readonly mounts: readonly Mount[];
  readonly names: readonly HomeName[];
  readonly environment: Readonly<Record<string, string>>;
}

const withoutCaches: CacheParts = { mounts: [], names: [], environment: {} };

/** `layered`: writes to a cache go to an overlay that is discarded. */
export function cacheParts(
  caches: readonly Cache[],
  {
    layered,
    online,
    roots,
  }: { readonly layered: boolean; readonly online: boolean; readonly roots: readonly string[] },
): CacheParts {
  if (online && !layered) return withoutCaches;
  const named = caches.filter(({ readOnly }) => layered || readOnly);
  const told = caches.filter(({ readOnlyVariable }) => !layered && readOnlyVariable !== undefined);
  const names = named.map(({ at, path }) => ({ path: join(sandboxHome, at), target: path }));
  return {
    mounts: [...named, ...told].map(({ path }) =>
      layered ? { kind: "view", path, discarded: true } : { kind: "show", path, writable: false },
    ),
    // With a network `~/.cache` keeps downloads between commands.
    names: online ? names.filter(({ path }) => !isInside(path, `${sandboxHome}/.cache`)) : names,
    environment: layered
      ? {
          ...pnpmStore(caches, roots),
          ...Object.fromEntries(named.flatMap((cache) => onlineVariable(cache, { online, roots }))),
        }
      : Object.fromEntries(told.map(({ path, readOnlyVariable = "" }) => [readOnlyVariable, path])),
  };
}

function onlineVariable(
  { online: told, path }: Cache,
  { online, roots }: { readonly online: boolean; readonly roots: readonly string[] },
): readonly (readonly [string, string])[] {
  if (told === undefined || (told.home !== undefined && !online)) return [];
  const { home, unless, variable } = told;
  if (unless !== undefined && roots.some((root) => existsSync(join(root, unless)))) return [];
  return [[variable, home === undefined ? path : join(sandboxHome, home)]];
}

const longestModules = 64 * 1024 * 1024;

// For pnpm a view is another disk, so it would use a store in the project. The file belongs to the project: only a //
// known store is accepted.
function pnpmStore(caches: readonly Cache[], roots: readonly string[]): Readonly<Record<string, string>> {
  const stores = caches.filter(({ at }) => at.endsWith("pnpm/store")).map(({ path }) => path);
  for (const root of roots) {
    const text = readBounded(join(root, "node_modules/.modules.yaml"), longestModules)?.toString() ?? "";
    const [, named] = /^[ \t]*"?storeDir"?:[ \t]*"?([^"\n]+)/m.exec(text) ?? [];
    const store = named === undefined ? undefined : realPathOf(named.trim());
    if (store === undefined || !isInsideAny(store, stores)) continue;
    const cache = caches.find(({ at }) => at === ".cache/pnpm")?.path;
    return {
      ...{ npm_config_store_dir: store, pnpm_config_store_dir: store },
      ...(cache && { npm_config_cache_dir: cache, pnpm_config_cache_dir: cache }),
    };
  }
  return {};
}

/** None of these is a credential or names a program. */
const harmless = new Set(
  "registry cafile strict-ssl save-exact save-prefix save package-lock omit-lockfile-registry-resolved lockfile-version legacy-peer-deps strict-peer-deps engine-strict install-strategy prefer-dedupe ignore-scripts fund audit update-notifier progress loglevel color tag min-release-age before auto-install-peers shamefully-hoist node-linker save-workspace-protocol manage-package-manager-versions package-manager-strict link-workspace-packages".split(
    " ",
  ),
);

export type OwnPackageSettings = readonly { readonly at: string; readonly content: string }[];

export function ownPackageSettings(home: string): OwnPackageSettings {
  return [".npmrc", ".config/pnpm/rc"].flatMap((at) => {
    const read = unlessTooLarge(() => readText(join(home, at)));
    const content = (read.ok ? read.value : "").split("\n").flatMap(harmlessLine).join("");
    return content === "" ? [] : [{ at, content }];
  });
}

function harmlessLine(line: string): string | readonly string[] {
  const [, key = "", value = ""] = /^\s*([@\w:./-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
  const isHarmless = harmless.has(key) || /^@[\w.-]+:registry$/.test(key);
  // A value may expand a token from the environment.
  return isHarmless && !/\$\{|\/\/[^/]*@/.test(value) ? `${key}=${value}\n` : [];
}

export interface HomeName {
  readonly path: string;
  readonly target: string;
}

/** Links in the sandbox's home to the visible parts of the user's home. */
export function homeNames(
  shown: readonly string[],
  { person, taken }: { readonly person: string; readonly taken: readonly string[] },
): readonly HomeName[] {
  const inHome = shown.filter((path) => path !== person && isInside(path, person));
  const outermost = inHome.filter((path) => !inHome.some((other) => other !== path && isInside(path, other)));
  return [...new Set(outermost)]
    .map((target) => ({ path: `${sandboxHome}${target.slice(person.length)}`, target }))
    .filter(({ path }) => !taken.some((file) => isInside(file, path) || isInside(path, file)));
}
