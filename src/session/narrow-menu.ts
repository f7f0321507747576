import type { ToolMenu } from "../contract/ports.ts";
import type { Permit } from "../contract/verdict.ts";
import { permitsSession, sessionEffects } from "../contract/verdict.ts";
import { type Journal, notPermitted } from "../execution/journal.ts";
import { type Journey, visibilityContext } from "./journey.ts";

/** One server that does not answer must not hold up what the others have. */
const patienceMs = 3_000;

/** What is offered may only be loaded by a call whose permit says so. */
export function narrowMenu(
  journey: Journey,
  { permit, journal }: { readonly permit: Permit; readonly journal: Journal },
): ToolMenu {
  return {
    deferred() {
      journey.registry.refresh();
      return journey.registry
        .menu(visibilityContext(journey))
        .filter(({ visible, deferrable }) => visible && deferrable);
    },
    async arriving() {
      const { servers } = journey;
      if (servers === undefined) return [];
      const enough = Promise.withResolvers<void>();
      const patience = setTimeout(enough.resolve, patienceMs);
      await Promise.race([servers.settled(), enough.promise]);
      clearTimeout(patience);
      return servers.status().flatMap(({ name, state }) => (state === "connecting" ? [name] : []));
    },
    load(names) {
      if (journal.over) return;
      if (!permitsSession(permit, sessionEffects.loadTools)) notPermitted(journal, "Loading tools");
      else journal.facts.push({ type: "context.tools_loaded", data: { tools: [...names] } });
    },
  };
}
