import { z } from "zod";
import { serverStates } from "../server/server.ts";

export const serverEvents = () =>
  ({
    "server.changed": z.object({
      server: z.string(),
      state: z.enum(serverStates),
      transport: z.string(),
      protocol: z.exactOptional(z.string()),
      tools: z.number(),
      detail: z.exactOptional(z.string()),
    }),
    "server.tool_changed": z.object({
      server: z.string(),
      tool: z.string(),
      from: z.string(),
      to: z.string(),
      diff: z.string(),
    }),
    "server.elicited": z.object({
      server: z.string(),
      elicitation: z.string(),
      mode: z.enum(["form", "url"]),
      message: z.string(),
      fields: z.exactOptional(z.array(z.string())),
      url: z.exactOptional(z.string()),
    }),
    "server.elicitation_answered": z.object({
      elicitation: z.string(),
      action: z.enum(["accept", "decline", "cancel"]),
    }),
    "server.sampled": z.object({
      server: z.string(),
      decision: z.enum(["allowed", "denied"]),
      reason: z.string(),
      intentId: z.exactOptional(z.string()),
      tokens: z.exactOptional(z.number()),
    }),
  }) as const;
