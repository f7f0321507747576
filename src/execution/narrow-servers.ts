import { fail } from "../contract/codes.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import { type CallUnderWay, requestEffects, type Servers } from "../contract/server/server.ts";
import type { Permit } from "../contract/verdict.ts";
import { type Journal, notPermitted } from "./journal.ts";
import { type ChangeWatching, recordChanges, watchChanges } from "./watch-changes.ts";
import { callEnded } from "./while-running.ts";

export interface ServerNarrowing extends ChangeWatching {
  readonly permit: Permit;
  readonly journal: Journal;
  readonly invocationId: string;
  readonly underWay: CallUnderWay;
}

export function narrowServers(host: ServerHost | undefined, narrowing: ServerNarrowing): Servers {
  const { permit, journal, underWay } = narrowing;
  const allows = (server: string, tool: string) =>
    permit.effects.some((effect) => effect.op === "call" && effect.server === server && effect.tool === tool);
  const none = () => fail("server_unavailable", "This session has no MCP servers.", { happened: "nothing" });
  const within = async <Value>(
    server: string,
    tool: string,
    use: (host: ServerHost) => Promise<Value>,
  ): Promise<Value | ReturnType<typeof callEnded>> => {
    if (journal.over) return callEnded();
    if (!allows(server, tool)) return notPermitted(journal, `Calling ${tool} of the server ${server}`);
    return host === undefined ? none() : use(host);
  };
  return {
    call: (request) =>
      within(request.server, request.tool, async (servers) => {
        const roots = servers.writes(request.server);
        if (roots.length === 0) return servers.call({ ...request, underWay });
        const changedSince = watchChanges(narrowing, { roots });
        const answer = await servers.call({ ...request, underWay });
        recordChanges(narrowing, changedSince());
        return answer;
      }),
    listResources: (server, signal) =>
      within(server, requestEffects.listResources, (servers) => servers.listResources(server, signal)),
    readResource: (server, uri, signal) =>
      within(server, requestEffects.readResource, (servers) => servers.readResource(server, uri, signal)),
    // Whoever may read it may know that it changed.
    watchResource: (server, uri, signal) =>
      within(server, requestEffects.readResource, (servers) => servers.watchResource(server, uri, signal)),
    getPrompt: (server, wanted, signal) =>
      within(server, requestEffects.getPrompt, (servers) => servers.getPrompt(server, wanted, signal)),
    complete: (server, sought, signal) => {
      // Whoever may have all of it may ask what there is to fill in.
      const whole = "prompt" in sought.of ? requestEffects.getPrompt : requestEffects.readResource;
      return within(server, whole, (servers) => servers.complete(server, sought, signal));
    },
  };
}
