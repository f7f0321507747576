import { z } from "zod";
import { effect, risk } from "../effect.ts";
import { decisionSources, modes, remembers } from "../verdict.ts";

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
