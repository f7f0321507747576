import type { Tool } from "@modelcontextprotocol/client";
import { fail, ok } from "../../contract/codes.ts";
import type { ServerTool } from "../../contract/server/server.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { checkOutput } from "../tools/schema.ts";
import type { McpConnection } from "./connection.ts";
import { contentOf } from "./content.ts";
import { callLimits } from "./deadlines.ts";
import { serverWords } from "./failures.ts";
import { type Ask, ask, listAll, type ServerLink } from "./request.ts";
import { openUrls } from "./requests.ts";

export function createTools(
  link: ServerLink,
  elicitUrl: Parameters<typeof openUrls>[1],
): Pick<McpConnection, "listTools" | "call"> {
  const { client, server, sdk } = link;
  // Servers of the newer protocol send log messages only if a request asks for them.
  const isModern = client.getProtocolEra() === "modern";
  const wantsLog = isModern && client.getServerCapabilities()?.logging !== undefined;
  const withLog = wantsLog ? { _meta: { [sdk.LOG_LEVEL_META_KEY]: "info" } } : {};
  let known: ReadonlyMap<string, Tool> | undefined;

  const listTools: McpConnection["listTools"] = async (signal) => {
    if (client.getServerCapabilities()?.tools === undefined) return ok([]);
    const fetched = await listAll(
      link,
      { what: "the tool list", signal },
      (params, options) => client.request({ method: "tools/list", params }, options),
      (page) => page.tools,
    );
    if (!fetched.ok) return fetched;
    const offered = isModern ? fetched.value.filter(isOffered) : fetched.value;
    known = new Map(offered.map((tool) => [tool.name, tool]));
    return ok(offered.map(serverTool));
  };

  const isOffered = (tool: Tool): boolean => {
    if (hasValidParameterHeaders(tool.inputSchema)) return true;
    const text = serverWords(`Skipped the tool "${tool.name}": its headers are invalid.`);
    link.notify({ kind: "log", level: "warning", text });
    return false;
  };

  const call: McpConnection["call"] = async ({ tool, input, timeoutMs, signal, onProgress }) => {
    if (known === undefined) {
      const listed = await listTools(signal);
      if (!listed.ok) return listed;
    }
    await link.rootsTaken();
    const definition = known?.get(tool);
    const what = `the call of "${serverWords(tool, 100)}"`;
    const asking: Ask = { what, signal, limits: callLimits(timeoutMs), onProgress };
    const params = { name: tool, arguments: { ...input }, ...withLog };
    const send = () =>
      ask(link, asking, async (options) => {
        try {
          if (isModern) return await client.callTool(params, { ...options, ...(definition && aboutTool(definition)) });
          // `callTool` adds work that only the newer protocol needs and that doubles the time of a call.
          return await client.request({ method: "tools/call", params }, sdk.specTypeSchemas.CallToolResult, options);
        } catch (error) {
          if (error instanceof sdk.UrlElicitationRequiredError) return error;
          throw error;
        }
      });
    let answered = await send();
    if (answered.ok && answered.value instanceof sdk.UrlElicitationRequiredError) {
      const opened = await openUrls(answered.value.elicitations, elicitUrl, signal);
      if (!opened) {
        return fail(
          "user_denied",
          `The server "${server}" required a page to be opened first, and the user did not open it.`,
        );
      }
      answered = await send();
    }
    if (!answered.ok) return answered;
    if (answered.value instanceof sdk.UrlElicitationRequiredError) {
      return fail("tool_failed", `The server "${server}" repeatedly asks to open a page.`);
    }
    const { content, structuredContent, isError = false } = answered.value;
    if (definition?.outputSchema !== undefined && !isError) {
      const checked = await checkOutput(serverWords(tool, 100), definition.outputSchema, structuredContent);
      if (!checked.ok) return checked;
    }
    return ok({ content: content.map(contentOf), structured: structuredContent, isError });
  };

  return { listTools, call };
}

function aboutTool({ outputSchema: _, ...definition }: Tool): { readonly toolDefinition: Tool } {
  return { toolDefinition: definition };
}

function serverTool({ name, title, description, inputSchema, outputSchema, annotations }: Tool): ServerTool {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

const declaration = "x-mcp-header";
const dataKeys: ReadonlySet<string> = new Set([declaration, "default", "enum", "const", "examples"]);
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Only properties that are reached through `properties` alone may name a header. */
export function hasValidParameterHeaders(schema: JsonSchema): boolean {
  const names = new Set<string>();

  const fits = (node: unknown, place: "root" | "property" | "elsewhere", depth: number): boolean => {
    if (typeof node !== "object" || node === null) return true;
    if (depth > 200) return false;
    const { [declaration]: name, type }: Partial<Record<string, unknown>> = { ...node };
    if (name !== undefined) {
      if (place !== "property" || typeof name !== "string" || !token.test(name)) return false;
      if (!["string", "integer", "boolean"].includes(String(type)) || names.has(name.toLowerCase())) return false;
      names.add(name.toLowerCase());
    }
    const inner = place === "elsewhere" || Array.isArray(node) ? "elsewhere" : "property";
    return Object.entries(node).every(([key, value]) => {
      if (dataKeys.has(key)) return true;
      if (key !== "properties") return fits(value, "elsewhere", depth + 1);
      return Object.values(value ?? {}).every((property) => fits(property, inner, depth + 1));
    });
  };

  return fits(schema, "root", 0);
}
