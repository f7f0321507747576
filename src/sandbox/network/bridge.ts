/** Where a command with a network finds what belongs to it. */
export const networkPlaces = {
  node: "/run/network/node",
  program: "/run/network/bridge.cjs",
  socket: "/run/network/proxy",
  port: 18_219,
} as const;

/**
 * Runs inside the sandbox: a port on its own loopback that leads to the socket of our proxy. It understands nothing
 * of what passes and decides nothing. A program of its own because clients speak to proxies over TCP only.
 */
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

/**
 * Bash that starts the bridge and goes on once it listens. Nobody's child: the text of the command neither waits for
 * it nor sees it among its jobs, and it ends with the sandbox. `line` is the shell's line to us, which it must not hold.
 */
export function startBridge(line: number): string {
  return `GAUNTLET_WORD=$( (exec -c ${networkPlaces.node} ${networkPlaces.program} 3>&1 </dev/null >/dev/null 2>&1 ${line}>&- &) )
[[ $GAUNTLET_WORD == ready ]] || { echo 'the way to the network could not be opened' >&2; exit 126; }
`;
}
