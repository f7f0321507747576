import { createOneAtATime } from "../../base/async.ts";
import { fail, type Outcome } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type {
  BusyServer,
  CallUnderWay,
  SamplingAccess,
  SamplingAnswer,
  SamplingWords,
} from "../../contract/server/server.ts";
import type { SamplingRequest } from "../client/connection.ts";

export interface SamplingParts {
  readonly server: string;
  readonly limit: number;
  readonly access: SamplingAccess;
  readonly calls: Pick<BusyServer, "now">;
  readonly record: (drafts: readonly EventDraft[]) => boolean;
}

const most = { messages: 32, characters: 12_000, waiting: 4, refusals: 50 };

type Busy = NonNullable<ReturnType<BusyServer["now"]>>;
type Sample = (request: SamplingRequest, signal: AbortSignal) => Promise<Outcome<SamplingAnswer>>;

export function createSampling(parts: SamplingParts): Sample {
  const { server, limit, access } = parts;
  const oneAtATime = createOneAtATime();
  let waiting = 0;
  let refusals = 0;

  function refuse(why: string, call?: CallUnderWay): Outcome<never> {
    refusals += 1;
    const reason = refusals === most.refusals ? `${why}; further refusals of this server are not recorded` : why;
    if (refusals <= most.refusals) parts.record([sampled("denied", reason, call)]);
    return fail("policy_denied", why);
  }

  async function sampleOnce(request: SamplingRequest, call: Busy, asked: AbortSignal) {
    const signal = AbortSignal.any([asked, call.over]);
    if (signal.aborted) return refuse(ended, call);
    const words = wordsOf(request);
    const unfit = unfitness(words, request.maxTokens);
    if (unfit !== undefined) return refuse(unfit, call);
    const model = access.model();
    if (model === undefined) return refuse("no model is available yet", call);
    const used = access.used(server);
    const left = limit - used - model.weigh(words);
    if (left < 1) return refuse(`it would exceed the ${limit} tokens of its entry; ${used} are used`, call);
    const sampling = { server, call, words, maxTokens: Math.min(request.maxTokens, left) };
    const broke = model.refusal(sampling);
    if (broke !== undefined) return refuse(broke, call);
    const verdict = await access.judge(sampling, signal);
    if (verdict.decision === "denied") return refuse(verdict.why, call);
    if (signal.aborted) return refuse(ended, call);
    const { said, tokens } = await model.ask(sampling, signal);
    const reason = said.ok ? verdict.by : `${verdict.by}; ${said.failure.message}`;
    const noted = parts.record([sampled("allowed", reason, call, tokens)]);
    return noted ? said : fail("log_unavailable", "The answer could not be recorded.");
  }

  function sampled(decision: "allowed" | "denied", reason: string, call?: CallUnderWay, tokens?: number): EventDraft {
    return { type: "server.sampled", data: { server, decision, reason, intentId: call?.intentId, tokens } };
  }

  return async (request, signal) => {
    const call = parts.calls.now();
    if (call === undefined) return refuse("none of its tools is being called");
    if (waiting >= most.waiting) return refuse(`${most.waiting} of its requests are already waiting`, call);
    waiting += 1;
    try {
      return await oneAtATime(() => sampleOnce(request, call, signal));
    } finally {
      waiting -= 1;
    }
  };
}

const ended = "its call has ended";

function wordsOf({ system, messages }: SamplingRequest): SamplingWords {
  return {
    system: system === "" ? undefined : system?.toWellFormed(),
    messages: messages.map(({ role, text }) => ({ role, text: text.toWellFormed() })),
  };
}

function unfitness({ system = "", messages }: SamplingWords, maxTokens: number): string | undefined {
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) return "it sets no valid maxTokens";
  if (messages.at(-1)?.role !== "user") return "its last message is not from the user";
  const characters = messages.reduce((sum, { text }) => sum + text.length, system.length);
  return messages.length > most.messages || characters > most.characters
    ? `it is too long to show: ${messages.length} messages with ${characters} characters`
    : undefined;
}
