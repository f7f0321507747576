import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail } from "../../contract/codes.ts";
import { requestEffects, type ServerResource } from "../../contract/server/server.ts";
import { type ContentDraft, defineTool, type RawResult } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { summarizer } from "../summary.ts";
import { serverName, toServer } from "./piece.ts";

const input = lazy(() =>
  z.strictObject({
    server: z.exactOptional(serverName().describe("Default: all servers")),
  }),
);

interface ListedResources {
  readonly resources: readonly ServerResource[];
  /** Servers that could not be queried, and why. They must not look like servers without resources. */
  readonly unasked: readonly { readonly server: string; readonly why: string }[];
}

/** For all servers together: one that hangs must not block the results of the others. */
const patienceMs = 30_000;

/** `names` are the servers of the session, running or not. */
export const listServerResources = (names: readonly string[], waitMs = patienceMs) =>
  defineTool<z.infer<ReturnType<typeof input>>, ListedResources>({
    ...toServer,
    name: "mcp_resources_list",
    version: "2",
    description:
      "Lists the resources and URI templates of MCP servers. Starts servers that are not running; names those that do not answer. Descriptions come from the servers.",
    searchHint: "mcp server resources documents list templates",
    aliases: aliasesOf("mcp_resources_list"),
    input,
    effects: ({ server }) => ({
      effects: (server === undefined ? names : [server]).map((one) => ({
        op: "call",
        server: one,
        tool: requestEffects.listResources,
      })),
    }),
    timeoutMs: () => 90_000,
    describeCall: ({ server }) => (server === undefined ? "resources of all servers" : `resources of ${server}`),

    async run({ server }, { servers, signal }): Promise<RawResult<ListedResources>> {
      if (server !== undefined) {
        const listed = await servers.listResources(server, signal);
        return listed.ok ? { ok: true, data: { resources: listed.value, unasked: [] } } : listed;
      }
      const patience = AbortSignal.timeout(waitMs);
      const limited = AbortSignal.any([signal, patience]);
      const asked = await Promise.all(
        names.map(async (name) => ({ name, listed: await servers.listResources(name, limited) })),
      );
      const resources = asked.flatMap(({ listed }) => (listed.ok ? listed.value : []));
      const unasked = asked.flatMap(({ name, listed }) => {
        if (listed.ok) return [];
        const isLate = patience.aborted && listed.failure.code === "timeout";
        const why = isLate ? `it did not answer within ${Math.ceil(waitMs / 1_000)} s` : listed.failure.message;
        return [{ server: name, why }];
      });
      if (unasked.length < names.length) return { ok: true, data: { resources, unasked } };
      return fail("server_unavailable", `No server could be queried. ${unaskedLines(unasked).join(" ")}`);
    },

    summarize: summarizer(
      ({ server }) => (server === undefined ? "Resources of servers" : `Resources of ${server}`),
      (listed) => {
        const { length } = listed.resources;
        const missing = listed.unasked.map((one) => one.server);
        const counted = `${length} ${length === 1 ? "resource" : "resources"}.`;
        const summary = missing.length === 0 ? counted : `${counted} Not queried: ${missing.join(", ")}.`;
        const data = { resources: length, unasked: missing.length === 0 ? undefined : missing };
        return { summary, user: summary, model: draftsOf(listed), data };
      },
    ),
  });

function draftsOf({ resources, unasked }: ListedResources): readonly ContentDraft[] {
  const byServer = [...Map.groupBy(resources, ({ server }) => server)].map(
    ([server, found]): ContentDraft => ({
      format: "json",
      label: `server ${server}`,
      text: JSON.stringify(found, null, 1),
    }),
  );
  const none: readonly ContentDraft[] = resources.length === 0 ? [{ format: "text", text: "No resources." }] : [];
  const missing = unaskedLines(unasked).join("\n");
  return [
    ...none,
    ...byServer,
    ...(missing === "" ? [] : [{ format: "text", text: missing, label: "gauntlet" } as const]),
  ];
}

function unaskedLines(unasked: ListedResources["unasked"]): readonly string[] {
  return unasked.map(({ server, why }) => `Resources of ${server} are unavailable: ${why}`);
}
