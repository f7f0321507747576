import { z } from "zod";
import { undoActions, undoExtents } from "../app/undo.ts";
import { codeNames } from "../codes.ts";

export const undoEvents = () =>
  ({
    "undo.planned": z.object({
      undoId: z.string(),
      calls: z.array(z.string()),
      force: z.boolean(),
      extent: z.enum(undoExtents),
      steps: z.array(z.object({ path: z.string(), action: z.enum(undoActions), from: z.exactOptional(z.string()) })),
    }),
    "undo.done": z.object({
      undoId: z.string(),
      calls: z.array(z.string()),
      outcome: z.enum(["done", "failed"]),
      extent: z.enum(undoExtents),
      failure: z.exactOptional(z.object({ path: z.string(), code: z.enum(codeNames), message: z.string() })),
    }),
  }) as const;
