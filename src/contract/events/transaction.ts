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
    /** A command ended; this is what it changed in its view. Nothing of it is in the workspace yet. */
    "transaction.captured": z.object({
      transactionId: z.string(),
      invocationId: z.string(),
      digest: z.string(),
      counts: counts(),
      /** The whole change set. */
      artifact: z.exactOptional(z.string()),
    }),
    /** Before the first change of the workspace. */
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
