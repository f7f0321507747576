import { z } from "zod";

const counts = () =>
  z.object({
    created: z.number(),
    modified: z.number(),
    deleted: z.number(),
    dropped: z.number(),
    special: z.number(),
  });

export const transactionEvents = () =>
  ({
    "transaction.captured": z.object({
      transactionId: z.string(),
      invocationId: z.string(),
      digest: z.string(),
      counts: counts(),
      artifact: z.exactOptional(z.string()),
    }),
    "transaction.decided": z.object({
      transactionId: z.string(),
      invocationId: z.string(),
      digest: z.string(),
      decision: z.enum(["apply", "discard", "keep"]),
      reason: z.string(),
      by: z.string(),
    }),
    "transaction.ended": z.object({
      transactionId: z.string(),
      invocationId: z.string(),
      outcome: z.enum(["applied", "discarded", "failed", "kept"]),
      failure: z.exactOptional(z.string()),
    }),
  }) as const;
