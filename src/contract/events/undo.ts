import { z } from "zod";
import { undoActions, undoExtents } from "../app/undo.ts";
import { codeNames } from "../codes.ts";

export const undoEvents = () =>
  ({
    /** Stored before the first file changes. Without its end it can be asked for again, and goes on. */
    "undo.planned": z.object({
      undoId: z.string(),
      /** Invocations that are taken back; of an undo that is itself taken back, its id. */
      calls: z.array(z.string()),
      force: z.boolean(),
      extent: z.enum(undoExtents),
      steps: z.array(z.object({ path: z.string(), action: z.enum(undoActions), from: z.exactOptional(z.string()) })),
    }),
    /** After the facts of what changed, which carry its id as their invocation. */
    "undo.done": z.object({
      undoId: z.string(),
      calls: z.array(z.string()),
      outcome: z.enum(["done", "failed"]),
      extent: z.enum(undoExtents),
      failure: z.exactOptional(z.object({ path: z.string(), code: z.enum(codeNames), message: z.string() })),
    }),
  }) as const;
