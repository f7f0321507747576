import type { Tool } from "../contract/tool.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";
import { isDeferrable } from "./defer.ts";

/** What the search can bring. All of it, loaded or not, so that loading changes none of these bytes. */
export function searchableNames(visible: readonly { readonly tool: Tool }[]): string {
  return groupedNames(visible.filter(({ tool }) => isDeferrable(tool)).map(({ tool }) => tool.name));
}

export function withNames<Described extends Pick<MenuEntry, "description">>(
  described: Described,
  names: string,
): Described {
  return { ...described, description: `${described.description}\n${names}` };
}

/** `mcp__github__: create_issue, list_issues`: the server once and not with every tool. */
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

/** Behind `mcp__github__`. */
function endOfServer(name: string): number {
  const at = name.startsWith("mcp__") ? name.indexOf("__", "mcp__?".length) : -1;
  return at === -1 ? 0 : at + "__".length;
}
