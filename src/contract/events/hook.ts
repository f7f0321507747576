import { z } from "zod";
import { hookEvents, layerNames } from "../settings.ts";

export const hookRunEvents = () =>
  ({
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
      sandboxed: z.boolean(),
      durationMs: z.number(),
      exit: z.enum(["ok", "blocked", "failed", "timeout", "cancelled"]),
      exitCode: z.exactOptional(z.number()),
      decision: z.exactOptional(z.enum(["allow", "ask", "defer", "deny"])),
      reason: z.exactOptional(z.string()),
      patched: z.boolean(),
      context: z.exactOptional(z.string()),
      stop: z.exactOptional(z.string()),
      ignored: z.exactOptional(z.array(z.string())),
      stderr: z.exactOptional(z.string()),
    }),
  }) as const;
