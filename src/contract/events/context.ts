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
    /** What a model was, or would be, shown: the menu by schema hash, the exact input by artifact. */
    "context.projected": z.object({
      turnId: z.exactOptional(z.string()),
      phase: z.exactOptional(z.string()),
      /** Absent where it is the menu of an earlier event with the same hash. */
      menu: z.exactOptional(z.array(menuEntry())),
      /** Of tools that belong to the menu and are shown by name alone. */
      named: z.exactOptional(z.array(z.string())),
      menuHash: z.string(),
      /** The exact input: what it continues, then what is new. Whoever follows `continues` back has all of it. */
      modelInput: z.exactOptional(
        z.object({
          /** Over `continues` and the hash of what is new. */
          hash: z.string(),
          continues: z.exactOptional(z.string()),
          /** What is new: as it is where it is short and holds no secret, otherwise as an artifact. */
          added: z.exactOptional(z.string()),
          artifact: z.exactOptional(z.string()),
          /** Of what is new, and of the whole input. */
          bytes: z.number(),
          total: z.number(),
        }),
      ),
      /** What the context policy did with the history, and why. */
      decisions: z.exactOptional(
        z.array(
          z.object({
            /** Events, or what stands for them. */
            what: z.string(),
            decision: z.enum(["include", "summarise", "reference", "exclude"]),
            reason: z.string(),
          }),
        ),
      ),
      /** Estimated tokens of the whole input, and their share of the model's context. */
      tokens: z.exactOptional(z.object({ estimate: z.number(), pressure: z.number() })),
    }),
    /** Tools whose schemas the model has asked for are in every input from now on. */
    "context.tools_loaded": z.object({ tools: z.array(z.string()) }),
    /** A skill is followed until the person speaks again. It may leave fewer tools, never more. */
    "skill.activated": z.object({
      name: z.string(),
      hash: z.string(),
      allowedTools: z.exactOptional(z.array(z.string())),
    }),
    /** Older history was replaced by its facts. The events stay. */
    "context.compacted": z.object({
      reason: z.enum(["pressure", "context_length", "asked"]),
      /** Events up to here are shown only through `summary`. */
      upTo: z.number(),
      /** What stands for them, built from the log. */
      summary: z.string(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
    }),
  }) as const;
