import { onTestFinished } from "vitest";
import type { Event, EventType } from "../../../src/contract/events/index.ts";
import type { ModelMessage, UsableModel } from "../../../src/contract/model.ts";
import { type CreateAgentOptions, createAgent } from "../../../src/index.ts";
import type { Workspace } from "../../support/workspace.ts";
import { modelsOf, type Script, scripted } from "./scripted-model.ts";

export type OpenedAgent = Awaited<ReturnType<typeof createAgent>>;

/** An agent on a temporary workspace, closed when the test has finished. */
export async function openAgent(
  workspace: Workspace,
  models: Script | UsableModel | Chain,
  options: Partial<CreateAgentOptions> = {},
): Promise<OpenedAgent> {
  const agent = await createAgent({
    workspace: workspace.root,
    store: workspace.state,
    home: workspace.home,
    models: modelsOf(...chainOf(models)),
    ...options,
  });
  onTestFinished(() => agent.close());
  return agent;
}

type Chain = readonly [UsableModel, ...UsableModel[]];

function chainOf(models: Script | UsableModel | Chain): Chain {
  if (isModel(models)) return [models];
  return isChain(models) ? models : [scripted(models)];
}

function isModel(value: unknown): value is UsableModel {
  return typeof value === "object" && value !== null && "runtime" in value;
}

function isChain(models: Script | Chain): models is Chain {
  return isModel(models[0]);
}

export function eventsOf(agent: OpenedAgent): readonly Event[] {
  const events = agent.archive.events(agent.sessionId);
  if (!events.ok) throw new Error(events.failure.message);
  return [...events.value];
}

export function eventsOfType<Type extends EventType>(agent: OpenedAgent, type: Type) {
  return eventsOf(agent).filter((event): event is Extract<Event, { type: Type }> => event.type === type);
}

/** Every call is followed by its result, and no result stands alone. */
export function pairsAreWhole(messages: readonly ModelMessage[]): boolean {
  return messages.every((message, index) => {
    const next = messages[index + 1];
    if (message.role === "tool") {
      const before = messages[index - 1];
      return before?.role === "assistant" && before.parts.some(({ type }) => type === "call");
    }
    if (message.role !== "assistant") return true;
    const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.callId] : []));
    const results = next?.role === "tool" ? next.results.map(({ callId }) => callId) : [];
    return JSON.stringify(calls) === JSON.stringify(results);
  });
}
