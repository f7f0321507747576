import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { undoActions, undoExtents } from "../app/undo.ts";
import { artifactRef } from "../artifact.ts";
import { attributions, entryFacts, unkeptReasons } from "../changes.ts";
import { codeNames } from "../codes.ts";
import { connection } from "../network.ts";
import { observation } from "../observation.ts";
import { checkedClaim, verification } from "../verification.ts";

const baseline = lazy(() =>
  z.object({
    path: z.string(),
    /** Content hash of the whole file when it was read. */
    hash: z.string(),
    size: z.number(),
    mtimeMs: z.number(),
    /** 1-based, inclusive. */
    lines: z.object({ from: z.number(), to: z.number(), total: z.number() }),
    /** All of these lines were shown, none of them cut. Absent after our own write. */
    shown: z.exactOptional(z.boolean()),
  }),
);
export type Baseline = Readonly<z.infer<ReturnType<typeof baseline>>>;

export const factEvents = () =>
  ({
    "artifact.stored": z.object({ invocationId: z.exactOptional(z.string()), artifact: artifactRef() }),
    "artifact.read": z.object({ artifact: z.string(), by: z.string() }),
    "file.read": baseline().extend({ invocationId: z.string() }),
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

export const verificationEvents = () =>
  ({
    "verification.recorded": verification(),
    "claim.checked": checkedClaim().extend({ runId: z.string(), turnId: z.string() }),
  }) as const;
