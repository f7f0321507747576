import { z } from "zod";
import { lazy } from "../../contract/lazy.ts";
import { requestEffects, type ServerResource } from "../../contract/server.ts";
import { defineTool } from "../../contract/tool.ts";
import { failureSummary } from "../file/failure-summary.ts";

const input = lazy(() =>
  z.strictObject({
    server: z.exactOptional(
      z.string().min(1).max(64).describe("Only of this server; of all that are running when absent"),
    ),
  }),
);

export const listServerResources = defineTool<z.infer<ReturnType<typeof input>>, readonly ServerResource[]>({
  name: "mcp_resources_list",
  version: "1",
  description:
    "Lists what MCP servers offer to read: their resources, and templates of addresses with {…} to fill in. Descriptions are the servers' own words.",
  family: "other",
  risks: ["network"],
  searchHint: "mcp server resources documents list templates",
  aliases: ["ListMcpResources", "ListMcpResourcesTool"],
  input,
  effects: ({ server = "*" }) => ({ effects: [{ op: "call", server, tool: requestEffects.listResources }] }),
  concurrency: ({ server = "*" }) => ({ key: `mcp:${server}` }),
  timeoutMs: () => 90_000,
  requiresWorkspace: false,
  describeCall: ({ server }) => (server === undefined ? "resources of all servers" : `resources of ${server}`),

  async run({ server }, { servers, signal }) {
    const listed = await servers.listResources(server, signal);
    return listed.ok ? { ok: true, data: listed.value } : listed;
  },

  summarize(result, { server }) {
    const title = server === undefined ? "Resources of servers" : `Resources of ${server}`;
    if (!result.ok) return failureSummary(title, result.failure);
    const { length } = result.data;
    const sentence = `${length} ${length === 1 ? "resource" : "resources"}.`;
    const labels = [...new Set(result.data.map((resource) => resource.server))];
    return {
      title,
      summary: sentence,
      user: sentence,
      model:
        length === 0
          ? [{ format: "text", text: "No resources." }]
          : labels.map((from) => ({
              format: "json" as const,
              label: `server ${from}`,
              text: JSON.stringify(
                result.data.filter((resource) => resource.server === from),
                null,
                1,
              ),
            })),
      data: { resources: length },
    };
  },
});
