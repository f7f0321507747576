import type { EventDraft } from "../../contract/events/index.ts";
import type { IntentInput } from "../../contract/intent.ts";
import type { ModelRef, ProviderError, UsableModel } from "../../contract/model.ts";
import { proposedEvent } from "../../session/call.ts";
import { newIntent, type SessionParts } from "../../session/parts.ts";
import { refuse } from "../../session/refusal.ts";
import type { Heard, SpokenText } from "./follow-stream.ts";

interface AnsweredTurn {
  readonly turnId: string;
  readonly messageId: string;
  readonly model: UsableModel;
  readonly heard: Heard;
  readonly costUsd: number | undefined;
}

export function turnEvents(session: SessionParts, answered: AnsweredTurn): readonly EventDraft[] {
  const { turnId, heard, costUsd } = answered;
  return [
    startedEvent(answered),
    ...heard.said.map((one) => saidEvent(turnId, one)),
    ...usageEvents(turnId, heard, costUsd),
    { type: "model.finished", data: { turnId, reason: heard.finish ?? "other" } },
    ...heard.malformed.map((error) => errorEvent(session, turnId, error)),
  ];
}

/** For an interrupted turn: the text that the user saw. The reasoning is dropped. */
export function cutOffEvents(answered: AnsweredTurn): readonly EventDraft[] {
  const { turnId, heard, costUsd } = answered;
  const texts = heard.said.filter(({ kind }) => kind === "text").map((one) => saidEvent(turnId, one));
  return [
    ...(texts.length + heard.intents.length > 0 ? [startedEvent(answered), ...texts] : []),
    ...usageEvents(turnId, heard, costUsd),
  ];
}

export function usageEvents(
  turnId: string,
  { usage }: Heard,
  costUsd: number | undefined,
  server?: string,
): readonly EventDraft[] {
  return usage === undefined ? [] : [{ type: "model.usage", data: { turnId, ...usage, costUsd, server } }];
}

export function errorEvent(
  { storage: { artifacts, redact } }: SessionParts,
  turnId: string,
  error: ProviderError,
): EventDraft {
  const { kind, retryable, provider, model, requestId, message, status, callId, debug } = error;
  const kept = debug === undefined ? undefined : artifacts.put("provider_debug", redact(debug));
  const facts = { turnId, kind, retryable, model: { provider, id: model }, requestId, message, status, callId };
  return { type: "provider.error", data: { ...facts, debug: kept?.ok ? kept.value.id : undefined } };
}

export function fallbackEvent(
  turnId: string,
  { from, to, error }: { readonly from: UsableModel; readonly to: UsableModel; readonly error: ProviderError },
): EventDraft {
  const reason = `${error.kind}: ${error.message}`;
  return { type: "provider.fallback_selected", data: { turnId, from: refOf(from), to: refOf(to), reason } };
}

function startedEvent({ turnId, messageId, model, heard: { requestId } }: AnsweredTurn): EventDraft {
  return { type: "model.started", id: messageId, data: { turnId, model: refOf(model), requestId } };
}

function saidEvent(turnId: string, { kind, text, keepsake, afterCalls }: SpokenText): EventDraft {
  const data = { turnId, text, ...(afterCalls === 0 ? {} : { afterCalls }) };
  if (kind === "text") return { type: "model.text", data };
  return { type: "model.reasoning", data: keepsake === undefined ? data : { ...data, keepsake } };
}

function refOf({ ref: { provider, id } }: UsableModel): ModelRef {
  return { provider, id };
}

/** The model's calls as input of the door, which assigns ids. */
export function intentInputs({
  turnId,
  messageId: modelMessageId,
  intents,
}: Pick<AnsweredTurn, "turnId" | "messageId"> & Pick<Heard, "intents">): readonly IntentInput[] {
  return intents.map(({ tool, input, providerCallId: callId, source, keepsake }) => {
    const provider = { name: source.provider, model: source.model, callId, keepsake };
    return { tool, input, origin: { source: "model", turnId, modelMessageId, provider } };
  });
}

const interruptedFirst = {
  phase: "schedule",
  code: "cancelled",
  message: "Interrupted before it ran; nothing happened.",
  happened: "nothing",
} as const;

export function recordUnrun(session: SessionParts, inputs: readonly IntentInput[]): void {
  for (const input of inputs) {
    const intent = newIntent(session, input);
    const call = { session, intent, trial: {}, allowance: 4_000, interruption: session.runtime.interruption() };
    refuse(call, interruptedFirst, { before: [proposedEvent(call)] });
  }
}
