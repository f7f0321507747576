import type { ModelEvent, ModelMessage, ModelRef, ModelRequest, ProviderRuntime } from "../../contract/model.ts";
import { type ErrorContext, providerError } from "../map-error.ts";
import { createToolCallAssembler } from "../tool-call-assembler.ts";
import { checkExpectation, lastShown } from "./expectation.ts";
import type { Script, ScriptStep, ScriptTurn } from "./script.ts";

/**
 * Plays a script like a stream. Where it stands is read off the conversation, so that a session that is taken up
 * again goes on; only turns that failed, or that a summary has replaced, leave nothing there and are counted here.
 */
export function createScriptedRuntime(script: Script, ref: ModelRef): ProviderRuntime {
  const played = { turns: 0, failures: 0 };

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const context: ErrorContext = { ref, secrets: [] };
    const spoken = request.messages.filter((message) => isBy(message, ref)).length;
    if (spoken > played.turns) Object.assign(played, { turns: spoken, failures: 0 });
    const position = placeAfter(script, played.turns) + played.failures;
    const turn = script.turns[position];
    const problem = turn === undefined ? overText(script) : checkExpectation(turn.expect, request);
    const said = problem === undefined ? turn : turn?.otherwise === undefined ? undefined : { say: turn.otherwise };
    if (said === undefined) {
      const message = `Turn ${position + 1} of the script: ${problem}`;
      yield { type: "provider.error", error: providerError("bad_request", message, context) };
      return;
    }
    yield { type: "model.started", turnId: request.turnId, provider: ref.provider, model: ref.id };
    for (const event of play(said, position, request, context)) {
      // Lets whoever listens act between two parts, as it would with a real one.
      await Promise.resolve();
      if (request.options.signal?.aborted === true) {
        yield { type: "provider.error", error: providerError("aborted", "The request was aborted.", context) };
        return;
      }
      if (event.type === "model.finished") Object.assign(played, { turns: played.turns + 1, failures: 0 });
      if (isFatal(event)) played.failures++;
      yield event;
    }
  }

  return { stream };
}

function* play(
  turn: Pick<ScriptTurn, "say" | "finish">,
  position: number,
  request: ModelRequest,
  context: ErrorContext,
): Generator<ModelEvent> {
  const { ref } = context;
  const assembler = createToolCallAssembler({ provider: ref.provider, model: ref.id });
  let said = 0;
  let calls = 0;
  let offset = 0;
  for (const [index, step] of turn.say.entries()) {
    if ("error" in step) {
      yield { type: "provider.error", error: scriptedError(step, context) };
      return;
    }
    if ("text" in step) {
      for (const text of piecesOf(step.text)) yield { type: "model.text_delta", text };
      said += step.text.length;
    } else if ("reasoning" in step) {
      const block = String(index);
      for (const text of piecesOf(step.reasoning)) yield { type: "model.reasoning_delta", block, text };
      said += step.reasoning.length;
    } else {
      const callId = step.id ?? `call_${position + 1}_${++calls}`;
      const inputText = step.raw ?? JSON.stringify(step.input ?? {});
      assembler.start(callId, step.call, offset++);
      for (const text of piecesOf(inputText)) {
        assembler.add(callId, text);
        offset++;
        yield { type: "tool_intent.delta", providerCallId: callId, tool: step.call, text };
      }
      const assembled = assembler.finish({ callId, tool: step.call, inputText }, offset++);
      said += inputText.length;
      yield assembled.ok
        ? { type: "tool_intent.proposed", intent: assembled.intent }
        : {
            type: "provider.error",
            error: { ...providerError(assembled.kind, assembled.message, context), callId, debug: inputText },
          };
    }
  }
  yield { type: "model.usage", usage: estimatedUsage(lastShown(request.messages).length, said) };
  const called = turn.say.some((step) => "call" in step);
  yield { type: "model.finished", reason: turn.finish ?? (called ? "tool_calls" : "stop") };
}

/** A script counts what is new in a request: it has no tokens of its own, and counting all would cost more with each. */
function estimatedUsage(shown: number, said: number) {
  return {
    inputTokens: Math.ceil(shown / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(said / 4),
    reasoningTokens: 0,
  };
}

function scriptedError(step: Extract<ScriptStep, { error: unknown }>, context: ErrorContext) {
  return {
    ...providerError(step.error, step.message ?? `The script says ${step.error}.`, context),
    ...(step.retryAfterMs === undefined ? {} : { retryAfterMs: step.retryAfterMs }),
  };
}

/** The turn that follows so many turns that ended well. */
function placeAfter({ turns }: Script, spoken: number): number {
  let left = spoken;
  let at = 0;
  for (; left > 0 && at < turns.length; at++) if (turns[at]?.say.some((step) => "error" in step) !== true) left--;
  return at;
}

function isBy(message: ModelMessage, ref: ModelRef): boolean {
  return message.role === "assistant" && message.by.provider === ref.provider && message.by.id === ref.id;
}

function isFatal(event: ModelEvent): boolean {
  return event.type === "provider.error" && event.error.callId === undefined;
}

function piecesOf(text: string): string[] {
  return text.match(/.{1,24}/gsu) ?? [];
}

function overText({ turns }: Script): string {
  return `it has ${turns.length === 1 ? "one turn" : `${turns.length} turns`} and was asked for another.`;
}
