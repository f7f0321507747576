/** Directories that package managers fill. What looks like configuration in them belongs to a dependency. */
const generatedDirectories = [
  "node_modules",
  ".venv",
  "venv",
  ".tox",
  "site-packages",
  "vendor/bundle",
  ".yarn/cache",
  ".yarn/unplugged",
];

/** What tools keep to be faster, where git ignores it. */
const caches = [
  /\/(?:__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.vitest|\.nyc_output|coverage|\.parcel-cache|\.turbo|\.nx\/cache|\.gradle)(?:\/|$)/,
  /\/node_modules\/\.(?:cache|vite|vite-temp|vitest|pnpm-workspace-state[^/]*)(?:\/|$)/,
  /(?:\/\.eslintcache|\/\.stylelintcache|\.tsbuildinfo|\.pyc)$/,
];

export function isCache(path: string, isIgnored: (path: string) => boolean): boolean {
  return caches.some((pattern) => pattern.test(path)) && isIgnored(path);
}

/** The directory of dependencies that it lies in, or the cache that it belongs to. */
export function generatedPart(path: string, isIgnored: (path: string) => boolean): string | undefined {
  for (const name of generatedDirectories) {
    const at = `${path}/`.indexOf(`/${name}/`);
    if (at >= 0) return path.slice(0, at + name.length + 1);
  }
  const [found] = isCache(path, isIgnored) ? caches.flatMap((pattern) => pattern.exec(path) ?? []) : [];
  return found === undefined ? undefined : path.slice(0, path.indexOf(found) + found.length).replace(/\/$/, "");
}

/** What an installation that a person agreed to writes. */
const installed = [
  /\/node_modules(?:\/|$)/,
  /\/(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|\.pnp\.c?js|\.pnp\.loader\.mjs)$/,
  /\/\.yarn\/(?:cache|unplugged|install-state\.gz|build-state\.yml)(?:\/|$)/,
  /\/(?:\.venv|venv|vendor|target|bower_components)(?:\/|$)/,
  /\/(?:requirements[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|go\.(?:mod|sum|work\.sum)|Cargo\.(?:toml|lock)|Gemfile(?:\.lock)?|composer\.(?:json|lock))$/,
  /\/[^/]+\.(?:egg-info|dist-info)(?:\/|$)/,
];

export function installWrites(path: string): boolean {
  return installed.some((pattern) => pattern.test(path));
}
