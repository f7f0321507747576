import type { ConnectionAnswer, Connections } from "../contract/network.ts";
import type { BusyServer } from "../contract/server/server.ts";
import { askAboutHost, mostQuestions } from "./ask-host.ts";
import type { Journey } from "./journey.ts";

export interface ServerConnectionParts {
  readonly server: string;
  /** What its entry says of hosts that nobody named. */
  readonly otherHosts: "ask" | "refuse";
  readonly busyWith: BusyServer;
}

/**
 * Asked and told about the connections that the program of a server makes. Each host is asked about once, in every
 * mode; what a person says holds for as long as that program runs, and no rule for others comes of it.
 */
export function serverConnections(
  journey: Pick<Journey, "log" | "desk" | "ids" | "clock" | "settings" | "sandbox">,
  { server, otherHosts, busyWith }: ServerConnectionParts,
): Connections {
  const answered = new Map<string, Promise<ConnectionAnswer>>();
  const who = `the server ${server}`;

  return {
    async ask(target, options) {
      const key = `${target.host}:${target.port}`;
      const known = answered.get(key);
      if (known !== undefined) return known;
      if (otherHosts === "refuse") return { answer: "refuse", why: `the entry of ${who} does not name this host` };
      const current = busyWith.now();
      if (current === undefined) return { answer: "refuse", why: `nothing is asked of ${who} at the moment` };
      const { intentId, invocationId, tool } = current;
      const over = "the call that it was for has ended";
      const wish = { who, running: who, over, intentId, tool, digest: invocationId, doing: tool, byRule: false };
      const signal = AbortSignal.any([options.signal, current.over]);
      const answer = askAboutHost(journey, wish, target, { ...options, signal, asked: answered.size });
      if (answered.size < mostQuestions) answered.set(key, answer);
      if (!isDecided(await answer)) answered.delete(key);
      return answer;
    },
    record(connection) {
      const call = busyWith.at(Date.parse(connection.startedAt));
      const owner = call === undefined ? {} : { invocationId: call.invocationId };
      return journey.log.append([{ type: "connection.made", data: { server, ...owner, ...connection } }]).ok;
    },
  };
}

/** By somebody, and not because nobody was there: then the next call may ask again. */
function isDecided(answer: ConnectionAnswer): boolean {
  return answer.answer === "allow" || (answer.by !== undefined && answer.by !== "runtime");
}
