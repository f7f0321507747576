import { z } from "zod";
import { hookEvents, layerNames } from "../settings.ts";

export const hookRunEvents = () =>
  ({
    /** One program that a person set up, and what came of it. */
    "hook.ran": z.object({
      event: z.enum(hookEvents),
      intentId: z.exactOptional(z.string()),
      invocationId: z.exactOptional(z.string()),
      handler: z.object({
        command: z.string(),
        args: z.exactOptional(z.array(z.string())),
        origin: z.string(),
        layer: z.enum(layerNames),
      }),
      matcher: z.exactOptional(z.string()),
      /** False where the machine has no sandbox, also for a hook that was not started because of that. */
      sandboxed: z.boolean(),
      durationMs: z.number(),
      exit: z.enum(["ok", "blocked", "failed", "timeout", "cancelled"]),
      exitCode: z.exactOptional(z.number()),
      decision: z.exactOptional(z.enum(["allow", "ask", "defer", "deny"])),
      /** In its own words, or what was wrong with it. */
      reason: z.exactOptional(z.string()),
      /** It gave another input; `tool_intent.revised` says which, where that was taken. */
      patched: z.boolean(),
      context: z.exactOptional(z.string()),
      stop: z.exactOptional(z.string()),
      /** Parts of its answer that have no effect here. */
      ignored: z.exactOptional(z.array(z.string())),
      /** The beginning. */
      stderr: z.exactOptional(z.string()),
    }),
  }) as const;
