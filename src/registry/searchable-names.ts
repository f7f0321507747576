import type { Tool } from "../contract/tool.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";
import { isDeferrable } from "./defer.ts";

export function searchableNames(visible: readonly { readonly tool: Tool }[]): string {
  return groupedNames(visible.filter(({ tool }) => isDeferrable(tool)).map(({ tool }) => tool.name));
}

export function withNames<Described extends Pick<MenuEntry, "description">>(
  described: Described,
  names: string,
): Described {
  return { ...described, description: `${described.description}\n${names}` };
}

function groupedNames(names: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const behind = endOfServer(name);
    const prefix = name.slice(0, behind);
    const rest = name.slice(behind);
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [rest]);
    else group.push(rest);
  }
  return [...groups].map(([prefix, rest]) => `${prefix === "" ? "" : `${prefix}: `}${rest.join(", ")}`).join("\n");
}

function endOfServer(name: string): number {
  const at = name.startsWith("mcp__") ? name.indexOf("__", "mcp__?".length) : -1;
  return at === -1 ? 0 : at + "__".length;
}
