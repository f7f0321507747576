import type { ResourceTemplateType } from "@modelcontextprotocol/client";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerContent, ServerResource } from "../../contract/server/server.ts";
import type { McpConnection } from "./connection.ts";
import { contentOf, resourceContent } from "./content.ts";
import { serverWords } from "./failures.ts";
import { keepStream } from "./notifications.ts";
import { ask, listAll, type ServerLink } from "./request.ts";

type ListedResource = Omit<ServerResource, "server">;

export async function listResources(
  link: ServerLink,
  signal: AbortSignal,
): Promise<Outcome<readonly ListedResource[]>> {
  const { client } = link;
  if (client.getServerCapabilities()?.resources === undefined) return ok([]);
  const resources = await listAll(
    link,
    { what: "the resource list", signal },
    (params, options) => client.request({ method: "resources/list", params }, options),
    (page) => page.resources,
  );
  if (!resources.ok) return resources;
  const templates = await listAll(
    link,
    { what: "the resource template list", signal },
    (params, options) => client.request({ method: "resources/templates/list", params }, options),
    (page) => page.resourceTemplates,
  );
  // Many servers have no templates and reject the request.
  const patterns = templates.ok ? templates.value : [];
  return ok([
    ...resources.value.map((entry) => listed(entry.uri, entry)),
    ...patterns.map((entry) => ({ ...listed(entry.uriTemplate, entry), template: true as const })),
  ]);
}

function listed(
  uri: string,
  { name, description, mimeType }: Omit<ResourceTemplateType, "uriTemplate">,
): ListedResource {
  return { uri, name, description, mediaType: mimeType };
}

export async function readResource(
  link: ServerLink,
  uri: string,
  signal: AbortSignal,
): Promise<Outcome<readonly ServerContent[]>> {
  const { client } = link;
  await link.rootsTaken();
  const read = await ask(link, { what: "a resource", signal }, (options) =>
    client.request({ method: "resources/read", params: { uri } }, options),
  );
  return read.ok ? ok(read.value.contents.map(resourceContent)) : read;
}

/** Subscriptions in the older revisions, one listening stream for each resource in the newer. One watch per address. */
export function createWatch(link: ServerLink): McpConnection["watchResource"] {
  const { client, server } = link;
  const watched = new Map<string, () => void>();
  client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) => {
    for (const [address, told] of watched) if (isWithin(uri, address)) told();
  });

  return async (uri, told) => {
    if (client.getServerCapabilities()?.resources?.subscribe !== true) {
      return fail("runtime_precondition_failed", `The server "${server}" does not support resource subscriptions.`);
    }
    watched.set(uri, told);
    const isModern = client.getProtocolEra() === "modern";
    const started = await (isModern ? keepStream(link, { resourceSubscriptions: [uri] }, told) : subscribe(link, uri));
    if (!started.ok) {
      watched.delete(uri);
      return started;
    }
    return ok(async () => {
      watched.delete(uri);
      await started.value();
    });
  };
}

function isWithin(uri: string, watched: string): boolean {
  if (!uri.startsWith(watched)) return false;
  return uri.length === watched.length || watched.endsWith("/") || /[/?#]/.test(uri.charAt(watched.length));
}

async function subscribe(link: ServerLink, uri: string): Promise<Outcome<() => Promise<void>>> {
  const { client } = link;
  const asking = { what: "a resource subscription", signal: new AbortController().signal };
  const subscribed = await ask(link, asking, (options) => client.subscribeResource({ uri }, options));
  if (!subscribed.ok) return subscribed;
  return ok(async () => {
    if (link.lost() !== undefined) return;
    await ask(link, asking, (options) => client.unsubscribeResource({ uri }, options));
  });
}

export function createPrompts(link: ServerLink): Pick<McpConnection, "listPrompts" | "getPrompt" | "complete"> {
  const { client } = link;
  return {
    async listPrompts(signal) {
      if (client.getServerCapabilities()?.prompts === undefined) return ok([]);
      const prompts = await listAll(
        link,
        { what: "the prompt list", signal },
        (params, options) => client.request({ method: "prompts/list", params }, options),
        (page) => page.prompts,
      );
      if (!prompts.ok) return prompts;
      return ok(
        prompts.value.map(({ name, title, description, arguments: values = [] }) => ({
          name,
          title,
          description,
          values: values.map(({ name, description, required = false }) => ({ name, description, required })),
        })),
      );
    },
    async getPrompt({ name, values }, signal) {
      await link.rootsTaken();
      const got = await ask(link, { what: `the prompt "${serverWords(name, 100)}"`, signal }, (options) =>
        client.getPrompt({ name, arguments: { ...values } }, options),
      );
      if (!got.ok) return got;
      return ok(got.value.messages.map(({ role, content }) => ({ role, content: contentOf(content) })));
    },
    async complete({ of: target, argument: name, begun: value, values }, signal) {
      if (client.getServerCapabilities()?.completions === undefined) return ok([]);
      const ref =
        "prompt" in target
          ? ({ type: "ref/prompt", name: target.prompt } as const)
          : ({ type: "ref/resource", uri: target.template } as const);
      const context = values && { arguments: { ...values } };
      const got = await ask(link, { what: "a completion", signal }, (options) =>
        client.complete({ ref, argument: { name, value }, context }, options),
      );
      return got.ok ? ok(got.value.completion.values.slice(0, 100)) : got;
    },
  };
}
