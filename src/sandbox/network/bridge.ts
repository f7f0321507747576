export const networkPlaces = {
  node: "/run/network/node",
  program: "/run/network/bridge.cjs",
  socket: "/run/network/proxy",
  port: 18_219,
} as const;

// Runs inside the sandbox: forwards a loopback port to our proxy's socket, because clients speak to proxies over TCP
// only.
export const bridgeProgram = `"use strict";
const { createServer, connect } = require("node:net");
const { closeSync, writeSync } = require("node:fs");
createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: ${JSON.stringify(networkPlaces.socket)}, allowHalfOpen: true });
  for (const [from, to] of [[client, proxy], [proxy, client]]) {
    from.on("error", () => to.destroy());
    from.on("close", () => from.readableEnded || to.destroy());
    from.pipe(to);
  }
})
  .on("error", () => process.exit(1))
  .listen(${networkPlaces.port}, "127.0.0.1", () => {
    writeSync(3, "ready");
    closeSync(3);
  });
`;

// The bridge is not a child of the command's shell, which neither waits for it nor lists it as a job. It must not keep
// // `line` open.
export function startBridge(line: number): string {
  return `GAUNTLET_WORD=$( (exec -c ${networkPlaces.node} ${networkPlaces.program} 3>&1 </dev/null >/dev/null 2>&1 ${line}>&- &) )
[[ $GAUNTLET_WORD == ready ]] || { echo 'the network proxy could not be reached' >&2; exit 126; }
`;
}

const own = ["localhost", "127.0.0.1", "::1"];
const proxyNames =
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy npm_config_proxy npm_config_https_proxy YARN_HTTP_PROXY YARN_HTTPS_PROXY".split(
    " ",
  );

// Only a convenience: there is no other network. The sandbox's own loopback stays direct unless the name is a private
// // host. The variables for npm and yarn override a project's own configuration.
export function proxyVariables(options: {
  readonly credential: string;
  readonly privateHosts: readonly string[];
}): Readonly<Record<string, string>> {
  const proxy = `http://${options.credential}@127.0.0.1:${networkPlaces.port}`;
  const taken = options.privateHosts.some((entry) => own.includes(entry.slice(0, entry.lastIndexOf(":"))));
  const direct = taken ? "" : own.join(",");
  return {
    ...Object.fromEntries(proxyNames.map((name) => [name, proxy])),
    ...{ NO_PROXY: direct, no_proxy: direct, npm_config_noproxy: direct },
    NODE_USE_ENV_PROXY: "1",
    // Git would first try without the credential, which would be recorded as a refusal.
    GIT_HTTP_PROXY_AUTHMETHOD: "basic",
  };
}

/**
 * Without a network, package managers would retry for a minute or more. None of these blocks the use of local caches.
 */
export const offlineVariables: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0",
  npm_config_update_notifier: "false",
  pnpm_config_fetch_retries: "0",
  YARN_HTTP_RETRY: "0",
  BUN_CONFIG_HTTP_RETRY_COUNT: "0",
  PIP_RETRIES: "0",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  UV_OFFLINE: "1",
  UV_HTTP_RETRIES: "0",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
  BUNDLE_RETRY: "0",
  COMPOSER_DISABLE_NETWORK: "1",
};

export function cacheVariables(directory: string): Readonly<Record<string, string>> {
  return {
    XDG_CACHE_HOME: directory,
    npm_config_cache: `${directory}/npm`,
    PNPM_HOME: `${directory}/pnpm`,
    YARN_GLOBAL_FOLDER: `${directory}/yarn-berry`,
    BUN_INSTALL_CACHE_DIR: `${directory}/bun`,
    PIP_CACHE_DIR: `${directory}/pip`,
    UV_CACHE_DIR: `${directory}/uv`,
    CARGO_HOME: `${directory}/cargo`,
    GOMODCACHE: `${directory}/go/mod`,
    GOCACHE: `${directory}/go/build`,
  };
}
