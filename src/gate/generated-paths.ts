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

const caches = [
  /\/__pycache__(?:\/|$)|\.pyc$/,
  /\/node_modules\/\.(?:cache|vite|vite-temp|vitest|pnpm-workspace-state[^/]*)(?:\/|$)/,
];

const ownCaches = [
  /\/(?:\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.vitest|\.nyc_output|coverage|\.parcel-cache|\.turbo|\.nx\/cache|\.gradle)(?:\/|$)/,
  /(?:\/\.eslintcache|\/\.stylelintcache|\.tsbuildinfo)$/,
];

export const selfIgnored = /\/\.(?:pytest|mypy|ruff)_cache(?:\/|$)/;

export function isCache(path: string, isIgnored: boolean): boolean {
  return isIgnored && cacheIn(path) !== undefined;
}

function cacheIn(path: string): string | undefined {
  const patterns = dependenciesIn(path) === undefined ? [...caches, ...ownCaches] : caches;
  const [found] = patterns.flatMap((pattern) => pattern.exec(path) ?? []);
  return found === undefined ? undefined : path.slice(0, path.indexOf(found) + found.length).replace(/\/$/, "");
}

function dependenciesIn(path: string): string | undefined {
  const found = generatedDirectories.flatMap((name) => {
    const at = `${path}/`.indexOf(`/${name}/`);
    return at < 0 ? [] : path.slice(0, at + name.length + 1);
  });
  return found[0];
}

export function generatedPart(path: string, isIgnored: boolean): string | undefined {
  return dependenciesIn(path) ?? (isCache(path, isIgnored) ? cacheIn(path) : undefined);
}

const installed = [
  /\/node_modules(?:\/|$)/,
  /\/(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|\.pnp\.c?js|\.pnp\.loader\.mjs)$/,
  /\/\.yarn(?:\/(?:cache|unplugged|install-state\.gz|build-state\.yml)(?:\/|$)|$)/,
  /\/(?:\.venv|venv|vendor|target|bower_components)(?:\/|$)/,
  /\/(?:requirements[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|go\.(?:mod|sum|work\.sum)|Cargo\.(?:toml|lock)|Gemfile(?:\.lock)?|composer\.(?:json|lock))$/,
  /\/[^/]+\.(?:egg-info|dist-info)(?:\/|$)/,
];

export function installWrites(path: string): boolean {
  return installed.some((pattern) => pattern.test(path));
}
