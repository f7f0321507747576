import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Asking, ClientExchange } from "../../../src/mcp/server/offer.ts";

/** A tool that the suite calls by name. */
export interface FixtureTool {
  readonly name: string;
  readonly inputSchema?: Tool["inputSchema"];
  call(input: Readonly<Record<string, unknown>>, exchange: ClientExchange): Promise<CallToolResult | Asking>;
}
