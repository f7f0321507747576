import { withoutSecrets } from "../../base/secret-span.ts";
import type { ModelToolDescription } from "../../contract/model.ts";
import { toolSearchName } from "../../contract/tool.ts";
import { describedTool } from "../../registry/registry.ts";
import { searchableNames, withNames } from "../../registry/searchable-names.ts";
import { type Journey, visibilityContext } from "../../session/journey.ts";

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
    const loaded = shown.filter((one) => one.loaded);
    const tools = loaded.flatMap(({ tool }) => {
      const described = describedTool(tool, visibility);
      if (described.name === toolSearchName) return withNames(described, journey.redact(searchableNames(shown)));
      return tool.source === "builtin" ? described : (withoutSecrets(described, journey.redactValue) ?? []);
    });
    known = { hash, tools };
    return tools;
  };
}
