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

export const resultLine = z.object({
  v: z.literal(1),
  type: z.literal("result"),
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

const failedLine = z.object({
  v: z.literal(1),
  type: z.literal("failed"),
  ok: z.literal(false),
  code: z.enum(codeNames),
  message: z.string(),
  field: z.exactOptional(z.string()),
  recovery: z.string(),
});

export const streamLine = z.discriminatedUnion("type", [
  z.object({
    v: z.literal(1),
    type: z.literal("started"),
    session: z.string(),
    workspace: z.string(),
    mode: z.string(),
    model,
  }),
  z.object({
    v: z.literal(1),
    type: z.literal("piped"),
    bytes: z.number(),
    lines: z.number(),
    omittedBytes: z.number(),
  }),
  z.object({ v: z.literal(1), type: z.literal("turn"), ...turn, turn: z.number(), model }),
  z.object({ v: z.literal(1), type: z.literal("text"), ...turn, text: z.string() }),
  z.object({ v: z.literal(1), type: z.literal("reasoning"), ...turn, text: z.string() }),
  z.object({ v: z.literal(1), type: z.literal("proposed"), ...call, tool: z.string(), ...input }),
  z.object({ v: z.literal(1), type: z.literal("revised"), ...call, hook: z.string(), ...input }),
  z.object({
    v: z.literal(1),
    type: z.literal("call"),
    ...call,
    tool: z.string(),
    title: z.string(),
    state: z.enum(["queued", "started"]),
  }),
  z.object({ v: z.literal(1), type: z.literal("progress"), ...call, message: z.string() }),
  z.object({ v: z.literal(1), type: z.literal("observation"), observation: observation() }),
  z.object({
    v: z.literal(1),
    type: z.literal("turn_ended"),
    ...turn,
    reason: z.enum(finishReasons),
    usage,
    costUsd: z.exactOptional(z.number()),
    pressure: z.number(),
  }),
  z.object({ v: z.literal(1), type: z.literal("provider_error"), ...turn, error }),
  z.object({ v: z.literal(1), type: z.literal("retrying"), ...turn, attempt: z.number(), delayMs: z.number() }),
  z.object({ v: z.literal(1), type: z.literal("fallback"), ...turn, from: model, to: model }),
  z.object({ v: z.literal(1), type: z.literal("compacted"), tokensBefore: z.number(), tokensAfter: z.number() }),
  z.object({ v: z.literal(1), type: z.literal("verified"), verification: verification() }),
  z.object({
    v: z.literal(1),
    type: z.literal("hook"),
    event: z.string(),
    hook: z.string(),
    message: z.string(),
    intentId: z.exactOptional(z.string()),
  }),
  resultLine,
  failedLine,
]);
export type StreamLine = z.infer<typeof streamLine>;
