import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { requestMs } from "../../contract/server/server.ts";
import type { ServerNotification } from "./connection.ts";
import { type Deadlines, type Limits, unlimitedMs } from "./deadlines.ts";
import { failureOf, networkFailure } from "./failures.ts";
import type { Sdk } from "./sdk.ts";

/** One agreed connection as the parts of this folder share it. */
export interface Link {
  readonly server: string;
  readonly sdk: Sdk;
  readonly client: Client;
  readonly deadlines: Deadlines;
  readonly news: (news: ServerNotification) => void;
  /** Settles when a server that asked for the roots goes by them; undefined where that is not waited for. */
  readonly rootsTaken: () => Promise<void> | undefined;
  /** Why it is gone, once it is. */
  readonly lost: () => string | undefined;
  /** Gives the connection up. */
  readonly lose: (why: string) => void;
}

export interface Ask {
  readonly what: string;
  readonly signal: AbortSignal;
  readonly limits?: Limits;
  readonly onProgress?: (update: { readonly message: string }) => void;
}

/** For questions that a server answers from what it knows. */
const usualLimits: Limits = { idleMs: 30_000, hardMs: requestMs };

/** Runs one request under a deadline. Never throws for what a server or the network does. */
export async function ask<T>(
  link: Link,
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
    if (signal.aborted) return fail("cancelled", `What was asked of the server "${server}" was cancelled.`);
    const unreachable = networkFailure(error, server);
    if (unreachable !== undefined) link.lose(unreachable.failure.message);
    if (sessionEnded(link, error)) link.lose("It has forgotten the session.");
    return failureOf(error, { sdk, server, what, lost: unreachable === undefined ? link.lost() : undefined });
  }
}

/** A server of the older kind that was started again answers every request of an old session with 404. */
function sessionEnded(link: Link, error: unknown): boolean {
  const { SdkHttpError } = link.sdk;
  return error instanceof SdkHttpError && error.status === 404 && link.client.transport?.sessionId !== undefined;
}

const mostPages = 100;
const mostEntries = 10_000;

/** All pages of a list. A server that never comes to the end, or goes in a circle, gets a failure. */
export async function allPages<T>(
  server: string,
  fetchPage: (
    cursor: string | undefined,
  ) => Promise<Outcome<{ readonly entries: readonly T[]; next: string | undefined }>>,
): Promise<Outcome<readonly T[]>> {
  const entries: T[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const fetched = await fetchPage(cursor);
    if (!fetched.ok) return fetched;
    for (const entry of fetched.value.entries) entries.push(entry);
    cursor = fetched.value.next;
    if (cursor === undefined) return ok(entries);
    if (entries.length > mostEntries) return endless(server, `has more than ${mostEntries} entries`);
    if (seen.has(cursor)) return endless(server, "goes in a circle");
    seen.add(cursor);
  }
  return endless(server, `has more than ${mostPages} pages`);
}

function endless(server: string, why: string): Outcome<never> {
  return fail("output_invalid", `The list of the server "${server}" ${why}.`, { happened: "nothing" });
}
