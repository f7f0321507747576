import { z } from "zod";
import { serverStates } from "../server/server.ts";

export const serverEvents = () =>
  ({
    /** A server came, went or failed. */
    "server.changed": z.object({
      server: z.string(),
      state: z.enum(serverStates),
      transport: z.string(),
      protocol: z.exactOptional(z.string()),
      tools: z.number(),
      detail: z.exactOptional(z.string()),
    }),
    /** A tool is described in other words than those that were agreed to. */
    "server.tool_changed": z.object({
      server: z.string(),
      tool: z.string(),
      from: z.string(),
      to: z.string(),
      diff: z.string(),
    }),
    /** A server wanted to know something from the person. */
    "server.elicited": z.object({
      server: z.string(),
      elicitation: z.string(),
      mode: z.enum(["form", "url"]),
      message: z.string(),
      fields: z.exactOptional(z.array(z.string())),
      url: z.exactOptional(z.string()),
    }),
    /** What was answered goes to the server and nowhere else. */
    "server.elicitation_answered": z.object({
      elicitation: z.string(),
      action: z.enum(["accept", "decline", "cancel"]),
    }),
    /** A server wanted the model to say something. */
    "server.sampled": z.object({
      server: z.string(),
      decision: z.enum(["allowed", "denied"]),
      reason: z.string(),
      /** The call that the server was busy with. */
      intentId: z.exactOptional(z.string()),
      /** That the request and the answer came to. */
      tokens: z.exactOptional(z.number()),
    }),
  }) as const;
