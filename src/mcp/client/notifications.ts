import { setTimeout as delay } from "node:timers/promises";
import type { McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ServerNotification } from "./connection.ts";
import { serverWords } from "./failures.ts";
import { ask, type ServerLink } from "./request.ts";

type Changed = Exclude<ServerNotification["kind"], "log">;

const settleMs = 50;

export function passNotifications(link: ServerLink): void {
  const { client, notify } = link;
  const pending = new Set<Changed>();
  const changed = (kind: Changed) => () => {
    if (pending.has(kind)) return;
    pending.add(kind);
    setTimeout(() => {
      pending.delete(kind);
      if (link.lost() === undefined) notify({ kind });
    }, settleMs);
  };
  client.setNotificationHandler("notifications/tools/list_changed", changed("tools_changed"));
  client.setNotificationHandler("notifications/resources/list_changed", changed("resources_changed"));
  client.setNotificationHandler("notifications/prompts/list_changed", changed("prompts_changed"));
  client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
    const words = typeof data === "string" ? data : JSON.stringify(data);
    notify({ kind: "log", level, text: serverWords(logger === undefined ? words : `${logger}: ${words}`, 2000) });
  });
}

export async function askForLog({ client }: ServerLink): Promise<void> {
  if (client.getServerCapabilities()?.logging === undefined || client.getProtocolEra() !== "legacy") return;
  await client.setLoggingLevel("info").catch(() => {});
}

export async function listenForChanges(link: ServerLink): Promise<void> {
  const { client, notify } = link;
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter: SubscriptionFilter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
  };
  if (client.getProtocolEra() !== "modern" || Object.keys(filter).length === 0) return;
  await keepStream(link, filter, () => {
    if (filter.toolsListChanged === true) notify({ kind: "tools_changed" });
    if (filter.promptsListChanged === true) notify({ kind: "prompts_changed" });
    if (filter.resourcesListChanged === true) notify({ kind: "resources_changed" });
  });
}

const shortest = 5000;
const mostFailures = 5;

export async function keepStream(
  link: ServerLink,
  filter: SubscriptionFilter,
  reopened: () => void,
): Promise<Outcome<() => Promise<void>>> {
  const over = new AbortController();
  const open = () =>
    ask(link, { what: "a subscription to changes", signal: over.signal }, (options) =>
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
