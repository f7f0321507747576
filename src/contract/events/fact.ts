import { z } from "zod";
import { artifactRef } from "../artifact.ts";
import { attributions, entryFacts, unkeptReasons } from "../changes.ts";
import { connection } from "../network.ts";
import { observation } from "../observation.ts";

export const factEvents = () =>
  ({
    "artifact.stored": z.object({ invocationId: z.exactOptional(z.string()), artifact: artifactRef() }),
    "artifact.read": z.object({ artifact: z.string(), by: z.string() }),
    "file.read": z.object({
      invocationId: z.string(),
      path: z.string(),
      hash: z.string(),
      size: z.number(),
      mtimeMs: z.number(),
      lines: z.object({ from: z.number(), to: z.number(), total: z.number() }),
      shown: z.exactOptional(z.boolean()),
    }),
    /** Before several files change hands, so that a crash in between can be told and put back. */
    "file.change_planned": z.object({
      invocationId: z.string(),
      changes: z.array(z.object({ path: z.string(), before: z.exactOptional(z.string()), after: z.string() })),
    }),
    "file.changed": z.object({
      invocationId: z.string(),
      path: z.string(),
      change: z.enum(["created", "modified", "deleted", "moved"]),
      seenBy: z.enum(["tool", "scan", "transaction"]),
      /** Only in older records. */
      attribution: z.exactOptional(z.enum(attributions)),
      before: z.exactOptional(z.string()),
      after: z.exactOptional(z.string()),
      to: z.exactOptional(z.string()),
      was: z.exactOptional(entryFacts()),
      is: z.exactOptional(entryFacts()),
      kept: z.exactOptional(z.string()),
      /** Only in older records. */
      unkept: z.exactOptional(z.enum(unkeptReasons)),
      artifacts: z.exactOptional(z.array(artifactRef())),
    }),
    "connection.made": connection().extend({
      invocationId: z.exactOptional(z.string()),
      server: z.exactOptional(z.string()),
    }),
    "file.forgotten": z.object({ path: z.string() }),
    "tool.observed": z.object({
      intentId: z.string(),
      invocationId: z.exactOptional(z.string()),
      observation: observation(),
    }),
  }) as const;
