import { createOneAtATime } from "../../base/async.ts";
import { fail, ok } from "../../contract/codes.ts";
import { type ModelMessage, modelName, type UsableModel } from "../../contract/model.ts";
import type { Sampling, SamplingWords, SideAnswer, SideModel } from "../../contract/server/server.ts";
import { tokensOf } from "../context/estimate-tokens.ts";
import { followStream, type Heard, type StreamListener } from "./follow-stream.ts";
import { account } from "./recover-turn.ts";
import { currentModel, type LoopParts, overLimit, type Run, spentBy } from "./run.ts";
import { usageEvents } from "./turn-events.ts";

type SideSampling = Omit<Sampling, "call">;

/**
 * A request to the session's model outside the conversation: the model sees only this text and has no tools. Only
 * during a run, out of that run's budget, and one at a time, so that two requests cannot spend the same remainder.
 */
export function createSideModel(parts: LoopParts, current: () => Run | undefined): SideModel {
  const oneAtATime = createOneAtATime();

  function limitFor(run: Run, { words, maxTokens }: SideSampling): string | undefined {
    const model = currentModel(parts, run);
    const inputTokens = tokensOf(messagesOf(words, model));
    // It is not a turn: only the limits in tokens, money and time apply.
    const { maxTurns: _, ...limits } = run.limits;
    return overLimit(limits, spentBy(parts, run), { model, inputTokens, outputTokens: maxTokens })?.detail;
  }

  async function askOnce(asked: SideSampling, signal: AbortSignal): Promise<SideAnswer> {
    const run = current();
    const why = run === undefined ? noRun : limitFor(run, asked);
    if (run === undefined || why !== undefined) return { tokens: 0, said: fail("policy_denied", why ?? noRun) };
    if (signal.aborted || run.signal.aborted) return { tokens: 0, said: fail("cancelled", "it was cancelled") };
    const { session } = parts;
    const model = currentModel(parts, run);
    const messages = messagesOf(asked.words, model);
    const turnId = session.runtime.ids.next("turn");
    const until = AbortSignal.any([signal, run.signal]);
    const maxOutputTokens = Math.min(asked.maxTokens, model.profile.maxOutputTokens);
    const options = { signal: until, maxOutputTokens };
    const request = { runId: run.id, turnId, model: model.ref, messages, tools: [], options };
    const heard = await followStream(model.runtime, request, { signal: until, listener: nobody });
    const estimate = tokensOf(messages);
    const costUsd = account(run, { model, pressure: { estimate } }, heard);
    const noted = session.log.append(usageEvents(turnId, heard, costUsd, asked.server));
    // A provider that reports no usage may have used the whole allowance.
    const { inputTokens, outputTokens } = heard.usage ?? { inputTokens: estimate, outputTokens: maxOutputTokens };
    return { tokens: inputTokens + outputTokens, said: noted.ok ? answerOf(heard, model, until) : noted };
  }

  return {
    weigh: (words) => tokensOf(messagesOf(words, parts.chain().models[0])),
    refusal(asked) {
      const run = current();
      return run === undefined ? noRun : limitFor(run, asked);
    },
    ask: (asked, signal) => oneAtATime(() => askOnce(asked, signal)),
  };
}

const noRun = "no run is active, so there is no budget for it";
const nobody: StreamListener = { begun() {}, text() {}, reasoning() {}, proposing() {} };

function answerOf({ text, finish, error }: Heard, model: UsableModel, signal: AbortSignal): SideAnswer["said"] {
  if (signal.aborted) return fail("cancelled", "it was cancelled while the model answered");
  if (error !== undefined) return fail("tool_failed", `the model did not answer: ${error.kind}: ${error.message}`);
  if (text === "") return fail("tool_failed", "the model returned no text");
  return ok({ text, model: modelName(model.ref), stop: finish === "length" ? "length" : "end" });
}

function messagesOf({ system, messages }: SamplingWords, { ref }: UsableModel): readonly ModelMessage[] {
  return [
    ...(system === undefined ? [] : [{ role: "system", text: system } as const]),
    ...messages.map(({ role, text }): ModelMessage => {
      const parts = [{ type: "text", text }] as const;
      return role === "user" ? { role, parts } : { role, parts, by: ref };
    }),
  ];
}
