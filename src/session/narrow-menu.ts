import { loadsTools } from "../contract/menu.ts";
import type { ToolMenu } from "../contract/ports.ts";
import type { Permit } from "../contract/verdict.ts";
import { type Journal, notPermitted } from "../execution/journal.ts";
import { type Journey, visibilityContext } from "./journey.ts";

/** What is offered may only be loaded by a call whose permit says so. */
export function narrowMenu(
  journey: Journey,
  { permit, journal }: { readonly permit: Permit; readonly journal: Journal },
): ToolMenu {
  const permitted = () => permit.effects.some((effect) => effect.op === "session" && effect.what === loadsTools);
  return {
    async deferred() {
      await journey.servers?.settled();
      journey.registry.refresh();
      return journey.registry
        .menu(visibilityContext(journey))
        .filter(({ visible, deferrable }) => visible && deferrable);
    },
    load(names) {
      if (journal.over) return;
      if (!permitted()) notPermitted(journal, "Loading tools");
      else journal.facts.push({ type: "context.tools_loaded", data: { tools: [...names] } });
    },
  };
}
