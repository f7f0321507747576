import type { Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { Observation, PermissionFacts } from "../contract/observation.ts";
import type { HookAnswer } from "../contract/verdict.ts";
import { observe } from "../observation/observe.ts";
import type { Journey } from "./journey.ts";
import { privatePaths } from "./private-paths.ts";
import type { Walk } from "./walk.ts";

export interface RefusalContext {
  readonly question?: GateQuestion;
  /** What was asked for, where it came to no question. */
  readonly identified?: Pick<CheckedIntent, "tool" | "input">;
  readonly permission?: PermissionFacts;
  readonly hooked?: HookAnswer | undefined;
}

/** An early end leaves by the same door as a result: recorded, with an observation. */
export function recordRefusal(
  walk: Walk,
  refusal: Refusal,
  before: readonly EventDraft[],
  context: RefusalContext = {},
): Observation {
  const { journey, intent } = walk;
  const observation = refusedObservation(walk, refusal, context);
  const { phase, code, message, field } = refusal;
  const stored = journey.log.append([
    ...before,
    {
      type: "tool_intent.refused",
      data: { intentId: intent.id, phase, code, message, ...(field === undefined ? {} : { field }) },
    },
    { type: "tool.observed", id: observation.auditId, data: { intentId: intent.id, observation } },
  ]);
  const told = stored.ok ? observation : unrecorded(walk, { ...stored.failure, phase: "write_back" }, context);
  journey.notify({ kind: "observed", observation: told });
  return told;
}

/** For what the log could not take: the caller is told, and nothing ran. */
export function unrecorded(walk: Walk, refusal: Refusal, context: RefusalContext = {}): Observation {
  return refusedObservation(walk, { happened: "nothing", ...refusal }, context);
}

function refusedObservation(walk: Walk, refusal: Refusal, context: RefusalContext): Observation {
  const { journey, intent, allowance } = walk;
  const now = journey.clock.now();
  const { question, permission, hooked } = context;
  const call = question?.checked ?? context.identified;
  const { observation } = observe({
    intentId: intent.id,
    toolName: call?.tool.name ?? canonicalName(journey, intent.tool),
    ...(call === undefined ? {} : { tool: call.tool }),
    input: call === undefined ? intent.input : call.input,
    ending: { kind: "refused", refusal },
    effects: { declared: question?.report.effects ?? [], seen: [] },
    ...(permission === undefined ? {} : { permission }),
    ...(hooked?.stop === undefined ? {} : { stop: hooked.stop }),
    startedAt: Date.parse(intent.createdAt),
    endedAt: now,
    sandbox: journey.sandbox.description,
    auditId: journey.ids.next("evt"),
    allowance,
    artifacts: journey.artifacts,
    redact: journey.redact,
    privatePaths: privatePaths(journey.stateDirectory),
  });
  return observation;
}

function canonicalName({ registry }: Journey, written: string): string {
  return registry.find(written)?.tool.name ?? written;
}
