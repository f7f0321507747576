import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { type Outcome, ok } from "../../contract/codes.ts";
import { type Connections, decideHost, type HostAndPort, type NetworkProfile } from "../../contract/network.ts";
import type { Bind } from "../plan/bwrap-arguments.ts";
import { sandboxHome } from "../plan/environment.ts";
import type { SandboxFile } from "../plan/system-layout.ts";
import { notPrepared } from "../run/backend.ts";
import { bridgeProgram, cacheVariables, networkPlaces, proxyVariables } from "./bridge.ts";
import { type OpenProxy, openProxy } from "./proxy.ts";
import type { ProxyDecision, Resolve } from "./reach.ts";

export interface OnlineParts {
  readonly environment: Readonly<Record<string, string>>;
  readonly files: readonly SandboxFile[];
  readonly binds: readonly Bind[];
}

export interface Online extends OnlineParts, Pick<OpenProxy, "hide" | "close"> {}

export interface OnlineOptions {
  readonly network: NetworkProfile;
  readonly connections: Connections | undefined;
  readonly scratch: string;
  readonly cache: string | undefined;
  readonly resolve: Resolve;
}

export function goOnline(options: OnlineOptions): Outcome<Online> {
  const { network, cache, scratch, resolve } = options;
  const credential = `gauntlet:${randomBytes(24).toString("hex")}`;
  const cacheInside = `${sandboxHome}/.cache`;
  try {
    if (cache !== undefined) mkdirSync(cache, { recursive: true, mode: 0o700 });
  } catch (error) {
    return notPrepared(error);
  }
  const proxy = openProxy({ scratch, credential, resolve, ...connectionRules(options) });
  if (!proxy.ok) return proxy;
  const { socketPath } = proxy.value;
  return ok({
    environment: {
      ...proxyVariables({ credential, privateHosts: network.privateHosts }),
      ...(cache === undefined ? {} : cacheVariables(cacheInside)),
    },
    files: [{ path: networkPlaces.program, content: bridgeProgram }],
    binds: [
      { from: process.execPath, path: networkPlaces.node, writable: false },
      { from: socketPath, path: networkPlaces.socket, writable: false },
      ...(cache === undefined ? [] : [{ from: cache, path: cacheInside, writable: true }]),
    ],
    hide: () => proxy.value.hide(),
    close: () => proxy.value.close(),
  });
}

function connectionRules({ network, connections }: OnlineOptions) {
  let recorded = true;
  return {
    async decide(target: HostAndPort, signal: AbortSignal): Promise<ProxyDecision> {
      const refuse = (why: string, by?: string): ProxyDecision => ({ decision: "refuse", why, by });
      if (!recorded) return refuse("connections can no longer be recorded");
      const { by, decision } = decideHost(network, target);
      const allowPrivate = network.privateHosts.includes(`${target.host}:${target.port}`);
      if (decision === "allow") return { decision, by, allowPrivate };
      if (decision === "deny")
        return by === undefined ? refuse("no rule allows this address") : refuse(`denied by ${by}`, by);
      if (connections === undefined) return refuse("no rule allows it");
      const answer = await connections.ask(target, { because: by, signal });
      return answer.answer === "allow"
        ? { decision: "allow", by: answer.by, allowPrivate }
        : refuse(answer.why, answer.by);
    },
    onConnection(connection: Parameters<Connections["record"]>[0]): void {
      recorded = (connections?.record(connection) ?? true) && recorded;
    },
  };
}
