import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { finishReasons, modelRef, providerError, providerErrorKinds, tokenUsage } from "../model.ts";

export const runStops = [
  "done",
  "max_turns",
  "budget",
  "interrupted",
  "provider_error",
  "hook_stopped",
  "log_unavailable",
] as const;
export type RunStop = (typeof runStops)[number];

/** What was piped in beside a message. Data: never an instruction and never an authorisation. */
const pipedData = lazy(() =>
  z.object({
    text: z.string(),
    bytes: z.number(),
    lines: z.number(),
    omittedBytes: z.number(),
    artifact: z.string(),
  }),
);
export type PipedData = z.infer<ReturnType<typeof pipedData>>;

export const runEvents = () =>
  ({
    "run.started": z.object({
      runId: z.string(),
      goal: z.string(),
      model: modelRef(),
      baseUrl: z.exactOptional(z.string()),
      chosen: z.string(),
      limits: z.object({
        maxTurns: z.exactOptional(z.number()),
        maxCostUsd: z.exactOptional(z.number()),
        maxTokens: z.exactOptional(z.number()),
        maxMs: z.exactOptional(z.number()),
      }),
    }),
    "run.ended": z.object({
      runId: z.string(),
      stop: z.enum(runStops),
      detail: z.exactOptional(z.string()),
      turns: z.number(),
    }),
    /** `runtime`: a note of ours, marked as such to the model and bounded. It is never an authorisation. */
    "user.message": z.object({
      text: z.string(),
      by: z.enum(["person", "program", "runtime"]),
      piped: z.exactOptional(pipedData()),
    }),
  }) as const;

const afterCalls = lazy(() => z.exactOptional(z.number()));
const keepsake = lazy(() => z.exactOptional(z.record(z.string(), z.unknown())));

/** What a model said and cost, and what went wrong on the way to it. Claims, not facts about the world. */
export const modelEvents = () =>
  ({
    "model.started": z.object({ turnId: z.string(), model: modelRef(), requestId: z.exactOptional(z.string()) }),
    "model.text": z.object({ turnId: z.string(), text: z.string(), afterCalls: afterCalls() }),
    "model.reasoning": z.object({
      turnId: z.string(),
      text: z.string(),
      keepsake: keepsake(),
      afterCalls: afterCalls(),
    }),
    /** Of a turn of the conversation, or of a request of the named server. */
    "model.usage": tokenUsage().extend({
      turnId: z.string(),
      costUsd: z.exactOptional(z.number()),
      server: z.exactOptional(z.string()),
    }),
    "model.finished": z.object({ turnId: z.string(), reason: z.enum(finishReasons) }),
    /** `debug` is the artifact with what the provider sent. */
    "provider.error": providerError()
      .omit({ provider: true, retryAfterMs: true })
      .extend({ turnId: z.string(), model: modelRef() }),
    "provider.retry_scheduled": z.object({
      turnId: z.string(),
      attempt: z.number(),
      delayMs: z.number(),
      kind: z.enum(providerErrorKinds),
    }),
    "provider.fallback_selected": z.object({
      turnId: z.string(),
      from: modelRef(),
      to: modelRef(),
      reason: z.string(),
    }),
  }) as const;

const menuEntry = lazy(() =>
  z.object({
    name: z.string(),
    version: z.string(),
    schemaHash: z.string(),
    source: z.string(),
  }),
);

const contextDecision = lazy(() =>
  z.object({
    what: z.string(),
    decision: z.enum(["include", "summarise", "reference", "exclude"]),
    reason: z.string(),
  }),
);
export type ContextDecision = z.infer<ReturnType<typeof contextDecision>>;

export const contextEvents = () =>
  ({
    "context.projected": z.object({
      turnId: z.exactOptional(z.string()),
      phase: z.exactOptional(z.string()),
      menu: z.exactOptional(z.array(menuEntry())),
      named: z.exactOptional(z.array(z.string())),
      menuHash: z.string(),
      modelInput: z.exactOptional(
        z.object({
          hash: z.string(),
          continues: z.exactOptional(z.string()),
          added: z.exactOptional(z.string()),
          artifact: z.exactOptional(z.string()),
          bytes: z.number(),
          total: z.number(),
        }),
      ),
      decisions: z.exactOptional(z.array(contextDecision())),
      tokens: z.exactOptional(z.object({ estimate: z.number(), pressure: z.number() })),
    }),
    "context.tools_loaded": z.object({ tools: z.array(z.string()) }),
    /** A skill is followed until the person speaks again. It may leave fewer tools, never more. */
    "skill.activated": z.object({
      name: z.string(),
      hash: z.string(),
      allowedTools: z.exactOptional(z.array(z.string())),
    }),
    "context.compacted": z.object({
      reason: z.enum(["pressure", "context_length", "asked"]),
      upTo: z.number(),
      summary: z.string(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
    }),
  }) as const;
