import { z } from "zod";
import { codeNames } from "../codes.ts";
import { runStops } from "../events/run.ts";
import { finishReasons, modelRef, providerError, tokenUsage } from "../model.ts";
import { observation } from "../observation.ts";
import { checkedClaim, verification } from "../verification.ts";

const model = modelRef();
const usage = tokenUsage();
const error = providerError().omit({ debug: true });
const turn = { turnId: z.string() };
const call = { intentId: z.string() };
const input = {
  input: z.unknown(),
  omittedChars: z.exactOptional(z.number()),
};

function line<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ v: z.literal(1), type: z.literal(type), ...shape });
}

export const resultLine = line("result", {
  session: z.string(),
  runId: z.string(),
  stop: z.enum(runStops),
  detail: z.exactOptional(z.string()),
  error: z.exactOptional(error),
  /** The model's last words. A claim, not a fact. */
  answer: z.string(),
  model,
  turns: z.number(),
  calls: z.object({ all: z.number(), failed: z.number(), denied: z.number() }),
  usage,
  costUsd: z.exactOptional(z.number()),
  durationMs: z.number(),
  changed: z.array(
    z.object({
      path: z.string(),
      change: z.enum(["created", "modified", "deleted", "moved"]),
      whileRunning: z.exactOptional(z.literal(true)),
    }),
  ),
  unlisted: z.exactOptional(z.number()),
  lastChange: z.number(),
  verifications: z.array(verification()),
  claims: z.array(checkedClaim()),
  unanswered: z.array(
    z.object({
      intentId: z.string(),
      tool: z.string(),
      title: z.string(),
      rules: z.array(z.string()),
      recovery: z.exactOptional(z.string()),
      changes: z.exactOptional(z.string()),
    }),
  ),
  policyPatch: z.exactOptional(z.object({ permissions: z.object({ allow: z.array(z.string()) }) })),
  exitCode: z.number(),
});
export type ResultLine = z.infer<typeof resultLine>;

const failedLine = line("failed", {
  ok: z.literal(false),
  code: z.enum(codeNames),
  message: z.string(),
  field: z.exactOptional(z.string()),
  recovery: z.string(),
});

export const streamLine = z.discriminatedUnion("type", [
  line("started", { session: z.string(), workspace: z.string(), mode: z.string(), model }),
  line("piped", { bytes: z.number(), lines: z.number(), omittedBytes: z.number() }),
  line("turn", { ...turn, turn: z.number(), model }),
  line("text", { ...turn, text: z.string() }),
  line("reasoning", { ...turn, text: z.string() }),
  line("proposed", { ...call, tool: z.string(), ...input }),
  line("revised", { ...call, hook: z.string(), ...input }),
  line("call", { ...call, tool: z.string(), title: z.string(), state: z.enum(["queued", "started"]) }),
  line("progress", { ...call, message: z.string() }),
  line("observation", { observation: observation() }),
  line("turn_ended", {
    ...turn,
    reason: z.enum(finishReasons),
    usage,
    costUsd: z.exactOptional(z.number()),
    pressure: z.number(),
  }),
  line("provider_error", { ...turn, error }),
  line("retrying", { ...turn, attempt: z.number(), delayMs: z.number() }),
  line("fallback", { ...turn, from: model, to: model }),
  line("compacted", { tokensBefore: z.number(), tokensAfter: z.number() }),
  line("verified", { verification: verification() }),
  line("hook", { event: z.string(), hook: z.string(), message: z.string(), intentId: z.exactOptional(z.string()) }),
  resultLine,
  failedLine,
]);
export type StreamLine = z.infer<typeof streamLine>;
