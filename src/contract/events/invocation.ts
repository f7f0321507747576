import { z } from "zod";
import { codeNames } from "../codes.ts";
import { effect } from "../effect.ts";

export const invocationEvents = () =>
  ({
    "tool_invocation.queued": z.object({ intentId: z.string(), tool: z.string(), lane: z.string() }),
    /** Durable before the tool runs. */
    "tool_invocation.started": z.object({
      invocationId: z.string(),
      intentId: z.string(),
      tool: z.string(),
      version: z.string(),
      executor: z.object({ kind: z.string(), gauntlet: z.string(), pid: z.number() }),
      digest: z.string(),
      lane: z.string(),
      timeoutMs: z.number(),
      effects: z.array(effect()),
      command: z.exactOptional(z.object({ text: z.string(), cwd: z.string() })),
      sandbox: z.exactOptional(
        z.object({
          backend: z.string(),
          enforces: z.boolean(),
          readable: z.array(z.string()),
          writable: z.array(z.string()),
          network: z.string(),
          view: z.exactOptional(z.literal(true)),
        }),
      ),
      confinement: z.exactOptional(z.string()),
    }),
    "tool_invocation.progressed": z.object({
      invocationId: z.string(),
      message: z.string(),
      bytes: z.exactOptional(z.number()),
    }),
    "tool_invocation.ended": z.object({
      invocationId: z.string(),
      intentId: z.string(),
      exit: z.enum(["ok", "error", "cancelled", "timeout", "interrupted"]),
      code: z.enum(codeNames),
      durationMs: z.number(),
    }),
    "job.started": z.object({
      jobId: z.string(),
      invocationId: z.string(),
      command: z.string(),
      startedAt: z.string(),
    }),
    "job.ended": z.object({
      jobId: z.string(),
      state: z.enum(["ended", "stopped", "interrupted"]),
      exitCode: z.exactOptional(z.number().nullable()),
      signal: z.exactOptional(z.string().nullable()),
      unrecorded: z.exactOptional(z.string()),
    }),
  }) as const;
