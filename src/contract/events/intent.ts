import { z } from "zod";
import { codeNames, phases } from "../codes.ts";
import { effect, risk } from "../effect.ts";
import { intentOrigin } from "../intent.ts";
import { hookEvents, layerNames } from "../settings.ts";
import { decisionSources, modes, remembers } from "../verdict.ts";

export const intentEvents = () =>
  ({
    "tool_intent.proposed": z.object({
      intentId: z.string(),
      tool: z.string(),
      /** Redacted. The original, where it differs, is the artifact. */
      input: z.unknown(),
      original: z.exactOptional(z.string()),
      reason: z.exactOptional(z.string()),
      origin: intentOrigin(),
      createdAt: z.string(),
      menuHash: z.string(),
    }),
    "tool_intent.checked": z.object({
      intentId: z.string(),
      tool: z.string(),
      version: z.string(),
      schemaHash: z.string(),
      digest: z.string(),
      spellings: z.array(z.object({ written: z.string(), canonical: z.string() })),
    }),
    "tool_intent.revised": z.object({
      intentId: z.string(),
      /** Redacted. The original, where it differs, is the artifact. */
      input: z.unknown(),
      original: z.exactOptional(z.string()),
      hook: z.string(),
    }),
    "tool_intent.refused": z.object({
      intentId: z.string(),
      phase: z.enum(phases),
      code: z.enum(codeNames),
      message: z.string(),
      field: z.exactOptional(z.string()),
    }),
  }) as const;

export const permissionEvents = () =>
  ({
    "permission.decided": z.object({
      intentId: z.string(),
      digest: z.string(),
      decision: z.enum(["allow", "ask", "deny"]),
      reason: z.string(),
      source: z.enum(decisionSources),
      rule: z.exactOptional(z.string()),
      ruleOrigin: z.exactOptional(z.string()),
      risk: risk(),
      mode: z.enum(modes),
      sandboxed: z.boolean(),
      view: z.exactOptional(z.boolean()),
      effects: z.array(effect()),
      exceptions: z.array(
        z.object({
          path: z.string(),
          scope: z.enum(["file", "tree"]),
          reason: z.string(),
          rule: z.exactOptional(z.string()),
        }),
      ),
      suggestedRules: z.exactOptional(z.array(z.string())),
    }),
    "permission.requested": z.object({
      requestId: z.string(),
      cwd: z.exactOptional(z.string()),
      intentId: z.string(),
      tool: z.string(),
      digest: z.string(),
      prompt: z.record(z.string(), z.unknown()),
      requestedAt: z.string(),
      expiresAt: z.string(),
    }),
    "permission.answered": z.object({
      requestId: z.string(),
      intentId: z.string(),
      digest: z.string(),
      answer: z.enum(["allow", "deny", "unavailable", "expired", "withdrawn"]),
      remember: z.exactOptional(z.enum(remembers)),
      rule: z.exactOptional(z.string()),
      rules: z.exactOptional(z.array(z.string())),
      cwd: z.exactOptional(z.string()),
      message: z.exactOptional(z.string()),
      by: z.string(),
    }),
    "permission.rule_saved": z.object({
      requestId: z.string(),
      intentId: z.string(),
      rules: z.array(z.string()),
      path: z.string(),
      layer: z.literal("user_project"),
      cwd: z.exactOptional(z.string()),
      expiresAt: z.exactOptional(z.string()),
    }),
  }) as const;

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
