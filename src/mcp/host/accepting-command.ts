import { quoted } from "../../base/text.ts";
import type { ServerEntry } from "../../contract/server/server.ts";

/** The command by which somebody agrees to a tool's new words; absent where the entry stands in no file. */
export function acceptingCommand({ name, origin, named }: ServerEntry, tool: string): string | undefined {
  if (!origin.startsWith("/")) return undefined;
  return `gauntlet mcp accept ${name} ${shellName(tool)}${named === undefined ? "" : ` --config ${shellName(origin)}`}`;
}

function shellName(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : quoted(text);
}
