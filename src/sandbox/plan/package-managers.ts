import { existsSync, lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import { readText, unlessTooLarge } from "../../host/files/read-small-text.ts";
import { readBounded } from "../../host/git/committed-files.ts";
import type { Mount } from "./mount-plan.ts";

interface KnownCache {
  /** Below the home directory. Never a directory that holds settings as well: those name tokens. */
  readonly at: string;
  /** Of use also where nothing can be written. Most tools stop at a cache that they cannot write. */
  readonly readOnly?: true;
  /** Names the cache to a tool that looks elsewhere for one that it cannot write. */
  readonly readOnlyVariable?: string;
  /**
   * What a command with a network is told instead of a cache of the project's own: this one, or the home around it.
   * Without one it is told too where the tool remembers the path: Go and Yarn would do everything again.
   */
  readonly online?: { readonly variable: string; readonly home?: string; readonly unless?: string };
}

const knownCaches: readonly KnownCache[] = [
  { at: ".npm/_cacache", online: { variable: "npm_config_cache", home: ".npm" } },
  // Of Yarn 1. To a later one, which has this file, the same variable names a directory of the project.
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

export interface Cache extends KnownCache {
  readonly path: string;
}

/** What package managers keep in the person's home. One that is a link, or around a workspace, is left alone. */
export function findCaches(home: string, workspaceRoots: readonly string[]): readonly Cache[] {
  const real = realpath(home);
  if (real === undefined) return [];
  return knownCaches
    .map((known) => ({ ...known, path: join(real, known.at) }))
    .filter(({ path }) => realpath(path) === path && lstatSync(path).isDirectory())
    .filter(({ path }) => !workspaceRoots.some((root) => isInside(root, path) || isInside(path, root)));
}

export interface CacheParts {
  readonly mounts: readonly Mount[];
  /** In the command's own home. */
  readonly names: readonly HomeName[];
  readonly environment: Readonly<Record<string, string>>;
  readonly online: Readonly<Record<string, string>>;
}

/** `layered`: each is mounted with a private layer on top that takes what is written, and is discarded. */
export function cacheParts(
  caches: readonly Cache[],
  { home, layered, roots }: { readonly home: string; readonly layered: boolean; readonly roots: readonly string[] },
): CacheParts {
  const named = caches.filter(({ readOnly }) => layered || readOnly);
  const told = caches.filter(({ readOnlyVariable }) => !layered && readOnlyVariable !== undefined);
  return {
    mounts: [...named, ...told].map(({ path }) =>
      layered ? { kind: "view", path, discarded: true } : { kind: "show", path, writable: false },
    ),
    names: named.map(({ at, path }) => ({ path: join(home, at), target: path })),
    environment: {
      ...Object.fromEntries(told.map(({ path, readOnlyVariable = "" }) => [readOnlyVariable, path])),
      ...(layered ? pnpmStore(caches, roots) : {}),
      ...(layered
        ? onlineVariables(
            named.filter(({ online }) => online?.home === undefined),
            home,
            roots,
          )
        : {}),
    },
    online: layered ? onlineVariables(named, home, roots) : {},
  };
}

function onlineVariables(
  caches: readonly Cache[],
  home: string,
  roots: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    caches.flatMap(({ online, path }) => {
      const { unless } = online ?? {};
      if (online === undefined || (unless !== undefined && roots.some((root) => existsSync(join(root, unless)))))
        return [];
      return [[online.variable, online.home === undefined ? path : join(home, online.home)]];
    }),
  );
}

/** pnpm lists every hoisted package there: a large project needs more than 1 MiB. */
const longestModules = 64 * 1024 * 1024;

/**
 * A view is another disk to pnpm, which then looks for a store in the project, and refuses one that differs from the
 * store that `node_modules` was made with. The file is the project's, so only a known store is taken from it.
 */
function pnpmStore(caches: readonly Cache[], roots: readonly string[]): Readonly<Record<string, string>> {
  const stores = caches.filter(({ at }) => at.endsWith("pnpm/store")).map(({ path }) => path);
  for (const root of roots) {
    const text = readBounded(join(root, "node_modules/.modules.yaml"), longestModules)?.toString() ?? "";
    const [, named] = /^[ \t]*"?storeDir"?:[ \t]*"?([^"\n]+)/m.exec(text) ?? [];
    const store = named === undefined ? undefined : realpath(named.trim());
    if (store === undefined || !isInsideAny(store, stores)) continue;
    const cache = caches.find(({ at }) => at === ".cache/pnpm")?.path;
    return {
      ...{ npm_config_store_dir: store, pnpm_config_store_dir: store },
      ...(cache === undefined ? {} : { npm_config_cache_dir: cache, pnpm_config_cache_dir: cache }),
    };
  }
  return {};
}

function realpath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Keys that choose how package managers work. None of them is a credential or names a program; a registry that needs a
 * token is named all the same, so that what fails is the token and not the package.
 */
const harmless = new Set(
  "registry cafile strict-ssl save-exact save-prefix save package-lock omit-lockfile-registry-resolved lockfile-version legacy-peer-deps strict-peer-deps engine-strict install-strategy prefer-dedupe ignore-scripts fund audit update-notifier progress loglevel color tag min-release-age before auto-install-peers shamefully-hoist node-linker save-workspace-protocol manage-package-manager-versions package-manager-strict link-workspace-packages".split(
    " ",
  ),
);

/** Below the home directory: what commands may know of the user's settings for package managers. */
export type OwnPackageSettings = readonly { readonly at: string; readonly content: string }[];

/** What commands find of the user's own settings for npm and pnpm. A project's still win over them. */
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
  // A value may take a token from the environment.
  return isHarmless && !/\$\{|\/\/[^/]*@/.test(value) ? `${key}=${value}\n` : [];
}

/** A command has a home of its own: what it is shown of the person's is found there as well, or `~/…` would mean nothing. */
export interface HomeName {
  readonly path: string;
  readonly target: string;
}

export function homeNames(
  shown: readonly string[],
  homes: {
    readonly person: string;
    readonly own: string;
    /** Files that the command's own home has already. */
    readonly taken: readonly string[];
  },
): readonly HomeName[] {
  const inHome = shown.filter((path) => path !== homes.person && isInside(path, homes.person));
  const outermost = inHome.filter((path) => !inHome.some((other) => other !== path && isInside(path, other)));
  return [...new Set(outermost)]
    .map((target) => ({ path: `${homes.own}${target.slice(homes.person.length)}`, target }))
    .filter(({ path }) => !homes.taken.some((file) => isInside(file, path) || isInside(path, file)));
}
