import { z } from "zod";

const menuEntry = z.object({ name: z.string(), version: z.string(), schemaHash: z.string(), source: z.string() });

export const contextEvents = {
  /** What a model was, or would be, shown: the menu by schema hash, the exact input by artifact. */
  "context.projected": z.object({
    turnId: z.exactOptional(z.string()),
    phase: z.exactOptional(z.string()),
    menu: z.array(menuEntry),
    menuHash: z.string(),
    modelInput: z.exactOptional(z.object({ artifact: z.string(), bytes: z.number() })),
  }),
} as const;
