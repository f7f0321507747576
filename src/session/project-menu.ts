import type { Outcome } from "../contract/codes.ts";
import { ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import { type Journey, visibilityContext } from "./journey.ts";

/** Records what a model is shown: once at the start, and again whenever the menu or the input is another. */
export function projectMenu(
  journey: Journey,
  context: { readonly turnId?: string; readonly phase?: string; readonly modelInput?: string },
): Outcome<{ readonly menuHash: string }> {
  const phase = context.phase ?? journey.log.state.phase;
  const visibility = { ...visibilityContext(journey), phase };
  const menuHash = journey.registry.menuHash(visibility);
  const unchanged = menuHash === journey.log.state.menuHash && phase === journey.log.state.phase;
  if (unchanged && context.modelInput === undefined) return ok({ menuHash });

  const input = context.modelInput === undefined ? undefined : journey.artifacts.put("model_input", context.modelInput);
  if (input !== undefined && !input.ok) return input;
  const menu = journey.registry.menu(visibility).filter((entry) => entry.visible);
  const stored = journey.log.append([
    ...(unchanged ? [] : changedDefinitions(journey)),
    {
      type: "context.projected",
      data: {
        ...(context.turnId === undefined ? {} : { turnId: context.turnId }),
        ...(context.phase === undefined ? {} : { phase: context.phase }),
        menu: menu.map(({ name, version, schemaHash, source }) => ({ name, version, schemaHash, source })),
        menuHash,
        ...(input === undefined ? {} : { modelInput: { artifact: input.value.id, bytes: input.value.bytes } }),
      },
    },
  ]);
  return stored.ok ? ok({ menuHash }) : stored;
}

/** Definitions are frozen for a session; one that differs from the record is itself a fact. */
function changedDefinitions(journey: Journey): readonly EventDraft[] {
  const current = new Map(journey.registry.tools.map((tool) => [tool.name, tool]));
  return [...journey.log.state.definitions].flatMap(([name, known]): EventDraft[] => {
    const tool = current.get(name);
    if (tool?.schemaHash === known.schemaHash) return [];
    return [
      {
        type: "session.definition_changed",
        data: {
          tool: name,
          from: { version: known.version, schemaHash: known.schemaHash },
          ...(tool === undefined ? {} : { to: { version: tool.version, schemaHash: tool.schemaHash } }),
        },
      },
    ];
  });
}
