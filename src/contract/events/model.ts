import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { finishReasons, providerErrorKinds } from "../model.ts";

const model = lazy(() => z.object({ provider: z.string(), id: z.string() }));
const afterCalls = lazy(() => z.exactOptional(z.number()));
const keepsake = lazy(() => z.exactOptional(z.record(z.string(), z.unknown())));

/** What a model said and cost, and what went wrong on the way to it. Claims, not facts about the world. */
export const modelEvents = () =>
  ({
    "model.started": z.object({ turnId: z.string(), model: model(), requestId: z.exactOptional(z.string()) }),
    "model.text": z.object({ turnId: z.string(), text: z.string(), afterCalls: afterCalls() }),
    "model.reasoning": z.object({
      turnId: z.string(),
      text: z.string(),
      keepsake: keepsake(),
      afterCalls: afterCalls(),
    }),
    "model.usage": z.object({
      turnId: z.string(),
      inputTokens: z.number(),
      cacheReadTokens: z.number(),
      cacheWriteTokens: z.number(),
      outputTokens: z.number(),
      reasoningTokens: z.number(),
      costUsd: z.exactOptional(z.number()),
      server: z.exactOptional(z.string()),
    }),
    "model.finished": z.object({ turnId: z.string(), reason: z.enum(finishReasons) }),
    "provider.error": z.object({
      turnId: z.string(),
      kind: z.enum(providerErrorKinds),
      retryable: z.boolean(),
      model: model(),
      requestId: z.exactOptional(z.string()),
      message: z.string(),
      status: z.exactOptional(z.number()),
      callId: z.exactOptional(z.string()),
      debug: z.exactOptional(z.string()),
    }),
    "provider.retry_scheduled": z.object({
      turnId: z.string(),
      attempt: z.number(),
      delayMs: z.number(),
      kind: z.enum(providerErrorKinds),
    }),
    "provider.fallback_selected": z.object({
      turnId: z.string(),
      from: model(),
      to: model(),
      reason: z.string(),
    }),
  }) as const;
