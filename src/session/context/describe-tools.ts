import type { ModelToolDescription } from "../../contract/model.ts";
import { toolSearchName } from "../../contract/tool.ts";
import { withoutSecrets } from "../../contract/without-secrets.ts";
import { isDeferrable } from "../../registry/defer.ts";
import { describedTool } from "../../registry/registry.ts";
import { type Journey, visibilityContext } from "../journey.ts";

/** The same array for as long as the menu is the same: whoever translates it may remember that. */
export function createToolDescriptions(
  journey: Pick<Journey, "registry" | "log" | "sandbox" | "settings" | "contextTokens" | "redact" | "redactValue">,
) {
  let known: { readonly hash: string; readonly tools: readonly ModelToolDescription[] } | undefined;
  return (): readonly ModelToolDescription[] => {
    journey.registry.refresh();
    const visibility = visibilityContext(journey);
    const hash = journey.registry.menuHash(visibility);
    if (known?.hash === hash) return known.tools;
    const shown = journey.registry.shown(visibility);
    const names = shown.filter(({ tool }) => isDeferrable(tool)).map(({ tool }) => tool.name);
    const loaded = shown.filter((one) => one.loaded);
    const tools = loaded.flatMap(({ tool }) => {
      const described = describedTool(tool, visibility);
      if (described.name === toolSearchName) return withNames(described, journey.redact(groupedNames(names)));
      return tool.source === "builtin" ? described : (withoutSecrets(described, journey.redactValue) ?? []);
    });
    known = { hash, tools };
    return tools;
  };
}

/** The search says what it can bring. All of it, loaded or not, so that loading changes none of these bytes. */
function withNames(described: ModelToolDescription, names: string): ModelToolDescription {
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
