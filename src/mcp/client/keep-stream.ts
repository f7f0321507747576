import { setTimeout as delay } from "node:timers/promises";
import type { McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { type Outcome, ok } from "../../contract/codes.ts";
import { ask, type Link } from "./link.ts";

const shortest = 5000;
const mostFailures = 5;

/**
 * Listens for changes until the answer is called. A stream that breaks off is opened again, and `reopened` is
 * told: something may have changed while nobody listened.
 */
export async function keepStream(
  link: Link,
  filter: SubscriptionFilter,
  reopened: () => void,
): Promise<Outcome<() => Promise<void>>> {
  const over = new AbortController();
  const open = () =>
    ask(link, { what: "the wish to hear of changes", signal: over.signal }, (options) =>
      link.client.listen(filter, options),
    );
  const first = await open();
  if (!first.ok) return first;
  let stream: McpSubscription = first.value;

  const keep = async () => {
    let started = performance.now();
    for (let failures = 0; failures < mostFailures; ) {
      await stream.closed;
      failures = performance.now() - started < shortest ? failures + 1 : 0;
      await delay(1000 * 2 ** failures, undefined, { ref: false });
      if (over.signal.aborted || link.lost() !== undefined) return;
      started = performance.now();
      const next = await open();
      if (!next.ok) continue;
      stream = next.value;
      reopened();
    }
  };
  void keep();
  return ok(async () => {
    over.abort();
    await stream.close();
  });
}
