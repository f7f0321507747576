import { z } from "zod";
import { effect, risk } from "../effect.ts";
import { decisionSources, modes } from "../verdict.ts";

export const permissionEvents = {
  "permission.decided": z.object({
    intentId: z.string(),
    digest: z.string(),
    decision: z.enum(["allow", "ask", "deny"]),
    reason: z.string(),
    source: z.enum(decisionSources),
    rule: z.exactOptional(z.string()),
    risk,
    mode: z.enum(modes),
    sandboxed: z.boolean(),
    effects: z.array(effect),
    exceptions: z.array(z.object({ path: z.string(), scope: z.enum(["file", "tree"]), reason: z.string() })),
    suggestedRule: z.exactOptional(z.string()),
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
    remember: z.exactOptional(z.enum(["once", "session"])),
    /** The exact scope that was agreed to; a command only in this directory. */
    rule: z.exactOptional(z.string()),
    cwd: z.exactOptional(z.string()),
    message: z.exactOptional(z.string()),
    by: z.string(),
  }),
} as const;
