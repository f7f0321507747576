import { z } from "zod";
import { lazy } from "../../base/async.ts";

const menuEntry = lazy(() =>
  z.object({
    name: z.string(),
    version: z.string(),
    schemaHash: z.string(),
    source: z.string(),
  }),
);

export const contextEvents = () =>
  ({
    "context.projected": z.object({
      turnId: z.exactOptional(z.string()),
      phase: z.exactOptional(z.string()),
      menu: z.exactOptional(z.array(menuEntry())),
      named: z.exactOptional(z.array(z.string())),
      menuHash: z.string(),
      modelInput: z.exactOptional(
        z.object({
          hash: z.string(),
          continues: z.exactOptional(z.string()),
          added: z.exactOptional(z.string()),
          artifact: z.exactOptional(z.string()),
          bytes: z.number(),
          total: z.number(),
        }),
      ),
      decisions: z.exactOptional(
        z.array(
          z.object({
            what: z.string(),
            decision: z.enum(["include", "summarise", "reference", "exclude"]),
            reason: z.string(),
          }),
        ),
      ),
      tokens: z.exactOptional(z.object({ estimate: z.number(), pressure: z.number() })),
    }),
    "context.tools_loaded": z.object({ tools: z.array(z.string()) }),
    /** A skill is followed until the person speaks again. It may leave fewer tools, never more. */
    "skill.activated": z.object({
      name: z.string(),
      hash: z.string(),
      allowedTools: z.exactOptional(z.array(z.string())),
    }),
    "context.compacted": z.object({
      reason: z.enum(["pressure", "context_length", "asked"]),
      upTo: z.number(),
      summary: z.string(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
    }),
  }) as const;
