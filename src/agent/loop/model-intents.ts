import type { IntentInput } from "../../contract/intent.ts";
import type { ProposedIntent } from "../../contract/model.ts";
import type { Journey } from "../../session/journey.ts";
import { newIntent, proposedEvent } from "../../session/open-door.ts";
import { recordRefusal } from "../../session/record-refusal.ts";

/** What a model proposed, as the door takes it. The ids are the door's own. */
export function intentInputs(turn: {
  readonly turnId: string;
  readonly messageId: string;
  readonly intents: readonly ProposedIntent[];
}): readonly IntentInput[] {
  return turn.intents.map(({ tool, input, providerCallId, source, keepsake }) => ({
    tool,
    input,
    origin: {
      source: "model",
      turnId: turn.turnId,
      modelMessageId: turn.messageId,
      provider: {
        name: source.provider,
        model: source.model,
        callId: providerCallId,
        ...(keepsake === undefined ? {} : { keepsake }),
      },
    },
  }));
}

const interruptedFirst = {
  phase: "schedule",
  code: "cancelled",
  message: "Interrupted before it ran; nothing happened.",
  happened: "nothing",
} as const;

/** Proposals that came too late: on record like every other, each with its end. */
export function recordUnrun(journey: Journey, inputs: readonly IntentInput[]): void {
  for (const input of inputs) {
    const intent = newIntent(journey, input);
    const walk = { journey, intent, allowance: 4_000, interruption: journey.interruption() };
    recordRefusal(walk, interruptedFirst, [proposedEvent(journey, intent)]);
  }
}
