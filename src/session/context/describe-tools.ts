import type { ModelToolDescription } from "../../contract/model.ts";
import { type Journey, visibilityContext } from "../journey.ts";

/** The same array for as long as the menu is the same: whoever translates it may remember that. */
export function createToolDescriptions(journey: Pick<Journey, "registry" | "log" | "sandbox">) {
  let known: { readonly hash: string; readonly tools: readonly ModelToolDescription[] } | undefined;
  return (): readonly ModelToolDescription[] => {
    const visibility = visibilityContext(journey);
    const hash = journey.registry.menuHash(visibility);
    if (known?.hash === hash) return known.tools;
    const menu = journey.registry.menu(visibility).filter(({ visible }) => visible);
    const tools = menu.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    known = { hash, tools };
    return tools;
  };
}
