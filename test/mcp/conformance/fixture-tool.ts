import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Asking, Exchange } from "../../../src/mcp/server/offer.ts";

/** A tool that the suite calls by name. */
export interface FixtureTool {
  readonly name: string;
  readonly inputSchema?: Tool["inputSchema"];
  call(input: Readonly<Record<string, unknown>>, exchange: Exchange): Promise<CallToolResult | Asking>;
}
