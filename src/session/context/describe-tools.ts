import type { MenuEntry } from "../../contract/menu.ts";
import type { ModelToolDescription } from "../../contract/model.ts";
import { toolSearchName } from "../../contract/tool.ts";
import { type Journey, visibilityContext } from "../journey.ts";

/** The same array for as long as the menu is the same: whoever translates it may remember that. */
export function createToolDescriptions(
  journey: Pick<Journey, "registry" | "log" | "sandbox" | "settings" | "contextTokens">,
) {
  let known: { readonly hash: string; readonly tools: readonly ModelToolDescription[] } | undefined;
  return (): readonly ModelToolDescription[] => {
    journey.registry.refresh();
    const visibility = visibilityContext(journey);
    const hash = journey.registry.menuHash(visibility);
    if (known?.hash === hash) return known.tools;
    const menu = journey.registry.menu(visibility).filter(({ visible }) => visible);
    const names = menu.filter(({ deferrable }) => deferrable).map(({ name }) => name);
    const tools = menu.filter(({ loaded }) => loaded).map((entry) => described(entry, names));
    known = { hash, tools };
    return tools;
  };
}

/** The search says what it can bring. All of it, loaded or not, so that loading changes none of these bytes. */
function described({ name, description, inputSchema }: MenuEntry, names: readonly string[]): ModelToolDescription {
  if (name !== toolSearchName) return { name, description, inputSchema };
  return { name, description: `${description}\n${groupedNames(names)}`, inputSchema };
}

/** `mcp__github__: create_issue, list_issues`: the server once and not with every tool. */
function groupedNames(names: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const [, prefix = "", rest = name] = /^(mcp__.+?__)(.+)$/.exec(name) ?? [];
    groups.set(prefix, [...(groups.get(prefix) ?? []), rest]);
  }
  return [...groups].map(([prefix, rest]) => `${prefix === "" ? "" : `${prefix}: `}${rest.join(", ")}`).join("\n");
}
