import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { requestMs } from "../../contract/server/server.ts";
import type { ServerNotification } from "./connection.ts";
import { type CallLimits, type Deadlines, unlimitedMs } from "./deadlines.ts";
import { failureOf, networkFailure } from "./failures.ts";
import type { Sdk } from "./sdk.ts";

export interface ServerLink {
  readonly server: string;
  readonly sdk: Sdk;
  readonly client: Client;
  readonly deadlines: Deadlines;
  readonly notify: (notification: ServerNotification) => void;
  readonly rootsTaken: () => Promise<void> | undefined;
  readonly lost: () => string | undefined;
  readonly lose: (why: string) => void;
}

export interface Ask {
  readonly what: string;
  readonly signal: AbortSignal;
  readonly limits?: CallLimits;
  readonly onProgress?: (update: { readonly message: string }) => void;
}

const usualLimits: CallLimits = { idleMs: 30_000, hardMs: requestMs };

export async function ask<T>(
  link: ServerLink,
  { what, signal, limits = usualLimits, onProgress }: Ask,
  send: (options: RequestOptions) => Promise<T>,
): Promise<Outcome<T>> {
  const { server, sdk } = link;
  if (link.lost() !== undefined) return failureOf(undefined, { sdk, server, what, lost: link.lost() });
  using deadline = link.deadlines.start(limits, signal);
  try {
    const value = await send({
      signal: deadline.signal,
      timeout: unlimitedMs,
      onprogress: ({ progress, total, message }) => {
        deadline.beat();
        onProgress?.({ message: message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`) });
      },
    });
    return ok(value);
  } catch (error) {
    if (deadline.expired) {
      const recovery = limits === usualLimits ? { recovery: "Try again later or without this server." } : {};
      return fail("timeout", `The server "${server}" did not answer ${what} in time.`, recovery);
    }
    if (signal.aborted) return fail("cancelled", `The request to the server "${server}" was cancelled.`);
    const unreachable = networkFailure(error, server);
    if (unreachable !== undefined) link.lose(unreachable.failure.message);
    if (sessionEnded(link, error)) link.lose("It ended the session.");
    return failureOf(error, { sdk, server, what, lost: unreachable === undefined ? link.lost() : undefined });
  }
}

function sessionEnded(link: ServerLink, error: unknown): boolean {
  const { SdkHttpError } = link.sdk;
  return error instanceof SdkHttpError && error.status === 404 && link.client.transport?.sessionId !== undefined;
}

const mostPages = 100;
const mostEntries = 10_000;

/** Fails for a list that never ends or repeats a cursor. */
export async function listAll<Fetched extends { readonly nextCursor?: string | undefined }, T>(
  link: ServerLink,
  asking: Ask,
  fetchPage: (params: { cursor?: string }, options: RequestOptions) => Promise<Fetched>,
  entriesOf: (page: Fetched) => readonly T[],
): Promise<Outcome<readonly T[]>> {
  const all: T[] = [];
  const seen = new Set<string>();
  let params: { cursor?: string } = {};
  for (let page = 0; page < mostPages; page += 1) {
    const fetched = await ask(link, asking, (options) => fetchPage(params, options));
    if (!fetched.ok) return fetched;
    const { nextCursor: cursor } = fetched.value;
    for (const entry of entriesOf(fetched.value)) all.push(entry);
    if (cursor === undefined) return ok(all);
    if (all.length > mostEntries) return endless(link.server, `has more than ${mostEntries} entries`);
    if (seen.has(cursor)) return endless(link.server, "repeats a cursor");
    seen.add(cursor);
    params = { cursor };
  }
  return endless(link.server, `has more than ${mostPages} pages`);
}

function endless(server: string, why: string): Outcome<never> {
  return fail("output_invalid", `The list of the server "${server}" ${why}.`, { happened: "nothing" });
}
