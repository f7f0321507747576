import type { ModelEvent, ModelMessage, ModelRef, ModelRequest, ProviderRuntime } from "../../contract/model.ts";
import { type ErrorContext, providerError } from "../map-error.ts";
import { createToolCallAssembler } from "../tool-call-assembler.ts";
import type { Script, ScriptStep, ScriptTurn } from "./script.ts";

/**
 * The position follows from the conversation, so that a resumed session continues. Failed and compacted turns are
 * counted here.
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
      // Lets the listener act between two parts, as with a real model.
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
    ...providerError(step.error, step.message ?? `Error ${step.error} from the script.`, context),
    retryAfterMs: step.retryAfterMs,
  };
}

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
  return `it has ${turns.length === 1 ? "one turn" : `${turns.length} turns`}, but another was requested.`;
}

function checkExpectation(expect: ScriptTurn["expect"], request: ModelRequest): string | undefined {
  if (expect === undefined) return undefined;
  const { messages, tools } = request;
  const missing = (what: string, wanted: string, shown: string) =>
    `expected ${what} ${JSON.stringify(wanted)}, but got ${JSON.stringify(shortened(shown))}.`;
  const user = lastOf(messages, "user");
  if (expect.user !== undefined && !user.includes(expect.user)) return missing("the user to say", expect.user, user);
  const results = resultsAtEnd(messages);
  for (const wanted of expect.results ?? []) {
    if (!results.some((text) => text.includes(wanted))) return missing("a result with", wanted, results.join("\n"));
  }
  const shown = lastShown(messages);
  if (expect.matches !== undefined && !new RegExp(expect.matches, "mu").test(shown)) {
    return missing("a match of", expect.matches, shown);
  }
  for (const wanted of expect.tools ?? []) {
    const offered = tools.map((tool) => tool.name);
    if (!offered.includes(wanted)) return missing("the tool", wanted, offered.join(" "));
  }
  return undefined;
}

function lastShown(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  return last?.role === "tool" ? resultsAtEnd(messages).join("\n") : lastOf(messages, "user");
}

function lastOf(messages: readonly ModelMessage[], role: "user"): string {
  const message = messages.findLast((candidate) => candidate.role === role);
  if (message?.role !== "user") return "";
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function resultsAtEnd(messages: readonly ModelMessage[]): string[] {
  const from = messages.findLastIndex((message) => message.role === "assistant");
  return messages
    .slice(from + 1)
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .map(({ text }) => text);
}

function shortened(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 150)} … ${text.slice(-150)}`;
}
