import { z } from "zod";
import { artifactRef } from "../artifact.ts";
import { attributions, entryFacts, unkeptReasons } from "../changes.ts";
import { connection } from "../network.ts";
import { observation } from "../observation.ts";

export const factEvents = () =>
  ({
    "artifact.stored": z.object({ invocationId: z.exactOptional(z.string()), artifact: artifactRef() }),
    "artifact.read": z.object({ artifact: z.string(), by: z.string() }),
    /** Sets the baseline that edits of this file are checked against. */
    "file.read": z.object({
      invocationId: z.string(),
      path: z.string(),
      hash: z.string(),
      size: z.number(),
      mtimeMs: z.number(),
      lines: z.object({ from: z.number(), to: z.number(), total: z.number() }),
      /** All of these lines were handed out as text, none of them cut. */
      shown: z.exactOptional(z.boolean()),
    }),
    /** Before several files change hands, so that a crash in between can be told and put back. */
    "file.change_planned": z.object({
      invocationId: z.string(),
      /** `before` is absent where the file is new. Both contents are kept as artifacts. */
      changes: z.array(z.object({ path: z.string(), before: z.exactOptional(z.string()), after: z.string() })),
    }),
    "file.changed": z.object({
      invocationId: z.string(),
      path: z.string(),
      change: z.enum(["created", "modified", "deleted", "moved"]),
      /** `tool`: a file port did it. `scan`: found after a command ran. `transaction`: applied from its view. */
      seenBy: z.enum(["tool", "scan", "transaction"]),
      /** Only in older records. */
      attribution: z.exactOptional(z.enum(attributions)),
      before: z.exactOptional(z.string()),
      after: z.exactOptional(z.string()),
      to: z.exactOptional(z.string()),
      /** What was there before, and what is there now. The content of a link is what it points to. */
      was: z.exactOptional(entryFacts()),
      is: z.exactOptional(entryFacts()),
      /** Where a transaction keeps the file that it replaced. */
      kept: z.exactOptional(z.string()),
      /** Only in older records. */
      unkept: z.exactOptional(z.enum(unkeptReasons)),
      artifacts: z.exactOptional(z.array(artifactRef())),
    }),
    /** A command or the program of a server tried to reach another machine, and what came of it. */
    "connection.made": connection().extend({
      /** Of a server's program: the call that it was busy with when the connection began. */
      invocationId: z.exactOptional(z.string()),
      server: z.exactOptional(z.string()),
    }),
    /** The session no longer vouches for what it knew of this file. */
    "file.forgotten": z.object({ path: z.string() }),
    /** The one end of every intent. */
    "tool.observed": z.object({
      intentId: z.string(),
      invocationId: z.exactOptional(z.string()),
      observation: observation(),
    }),
  }) as const;
