import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { requestEffects } from "../../contract/server/server.ts";
import { defineTool } from "../../contract/tool.ts";
import { summarizer } from "../summary.ts";
import { serverName, toServer } from "./piece.ts";

const name = () => z.string().min(1).max(4_096);

const input = lazy(() =>
  z.strictObject({
    server: serverName().describe("Name of the server"),
    of: z
      .union([z.strictObject({ prompt: name() }), z.strictObject({ template: name() })])
      .describe("The prompt or URI template that the argument belongs to"),
    argument: z.string().min(1).max(256).describe("Name of the argument"),
    begun: z.string().max(4_096).describe("Its value so far"),
    values: z.exactOptional(z.record(z.string().max(256), z.string()).describe("The other known arguments")),
  }),
);

/** Judged like getting the whole prompt or resource, which exchanges more data with the server. */
export const completeServerArgument = defineTool<z.infer<ReturnType<typeof input>>, readonly string[]>({
  ...toServer,
  name: "mcp_complete",
  description: "Asks an MCP server for values of an argument of one of its prompts or resource templates.",
  searchHint: "mcp server prompt argument completion",
  input,
  effects: ({ server, of }) => {
    const tool = "prompt" in of ? requestEffects.getPrompt : requestEffects.readResource;
    return { effects: [{ op: "call", server, tool }] };
  },
  timeoutMs: () => 30_000,
  describeCall: ({ server, argument }) => `values for ${argument} of ${server}`,

  async run({ server, ...sought }, { servers, signal }) {
    const got = await servers.complete(server, sought, signal);
    return got.ok ? { ok: true, data: got.value } : got;
  },

  summarize: summarizer(
    ({ server, argument }) => `Values for ${argument} of ${server}`,
    (values, { server }) => ({
      summary: `${values.length} values.`,
      user: `${values.length} values.`,
      model: values.map((text) => ({ format: "text", text, label: `server ${server}` })),
      data: { server, values: values.length },
    }),
  ),
});
