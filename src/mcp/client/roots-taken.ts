import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";

/** For what a server does with the answer once it has read it, such as looking at the directories. */
const settleMs = 100;
const mostMs = 1000;

interface RootsTaken {
  /** For the server that asks. */
  roots(): readonly string[];
  /** Before anything is asked that depends on the roots. Undefined where there is nothing to wait for. */
  taken(): Promise<void> | undefined;
}

/**
 * Servers of the older kind that want the roots ask for them right after the handshake, and go by what else they were
 * told until they have the answer. Their question comes before any answer to one of ours, so whoever has not asked
 * when the first call goes out is not waited for.
 */
export function createRootsTaken(client: Client, roots: () => readonly string[]): RootsTaken {
  let isUsed = false;
  let taking: Promise<void> | undefined;
  return {
    roots() {
      if (!isUsed) {
        taking ??= takenIn(client).finally(() => {
          taking = undefined;
        });
      }
      return roots();
    },
    taken() {
      isUsed = true;
      return taking;
    },
  };
}

/** Answers come in the order of the questions, so a server that answers the first of these has read the roots. */
async function takenIn(client: Client): Promise<void> {
  const ping = () => client.ping({ timeout: mostMs }).catch(() => {});
  await turn();
  await ping();
  await delay(settleMs, undefined, { ref: false });
  await ping();
}
