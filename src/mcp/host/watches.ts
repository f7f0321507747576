import { createOneAtATimeByName } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerStatus } from "../../contract/server/server.ts";
import type { McpConnection } from "../client/connection.ts";

export interface WatchParts {
  readonly use: <Value>(
    server: string,
    signal: AbortSignal,
    work: (connection: McpConnection) => Promise<Outcome<Value>>,
  ) => Promise<Outcome<Value>>;
  readonly told: (server: string, uri: string) => void;
}

interface ResourceWatch {
  readonly server: string;
  readonly uri: string;
  /** Absent while its server is down. */
  end?: (() => Promise<void>) | undefined;
}

const mostWatched = 256;
const patienceMs = 30_000;

export function createWatches({ use, told }: WatchParts) {
  const watches = new Map<string, ResourceWatch>();
  // Requests must reach the server in order.
  const oneAtATime = createOneAtATimeByName();
  const keyOf = (server: string, uri: string) => `${server} ${uri}`;

  async function open(server: string, uri: string, signal: AbortSignal): Promise<Outcome<void>> {
    const key = keyOf(server, uri);
    const known = watches.get(key);
    if (known?.end !== undefined) return ok(undefined);
    if (known === undefined && watches.size >= mostWatched) {
      return fail("budget_exceeded", `${mostWatched} resources are already watched, which is the maximum.`, {
        recovery: "End another watch first.",
        happened: "nothing",
      });
    }
    const begun = await use(server, signal, async (connection) => {
      const watching = await connection.watchResource(uri, () => told(server, uri));
      if (watching.ok && signal.aborted) await watching.value();
      return watching;
    });
    if (!begun.ok) return begun;
    watches.set(key, { server, uri, end: begun.value });
    return ok(undefined);
  }

  async function openAgain(watch: ResourceWatch): Promise<void> {
    const { server, uri } = watch;
    const key = keyOf(server, uri);
    await oneAtATime.take(key, async () => {
      if (watches.get(key) === watch) await open(server, uri, AbortSignal.timeout(patienceMs));
    });
    if (watches.get(key)?.end !== undefined) told(server, uri);
  }

  return {
    begin: (server: string, uri: string, signal: AbortSignal) =>
      oneAtATime.take(keyOf(server, uri), () => open(server, uri, signal)),
    end: (server: string, uri: string) =>
      oneAtATime.take(keyOf(server, uri), async () => {
        const watch = watches.get(keyOf(server, uri));
        watches.delete(keyOf(server, uri));
        await watch?.end?.().catch(() => {});
      }),
    changed({ name, state }: ServerStatus): void {
      for (const watch of watches.values()) {
        if (watch.server !== name) continue;
        if (state === "failed" && watch.end !== undefined) {
          watch.end = undefined;
          told(name, watch.uri);
        } else if (state === "ready" && watch.end === undefined) void openAgain(watch);
      }
    },
  };
}
