import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { codeNames, phases } from "../codes.ts";

const origin = lazy(() =>
  z.object({
    source: z.enum(["program", "model", "agent", "server", "mcp", "person"]),
    client: z.exactOptional(z.string()),
    turnId: z.exactOptional(z.string()),
    modelMessageId: z.exactOptional(z.string()),
    provider: z.exactOptional(
      z.object({
        name: z.string(),
        model: z.string(),
        callId: z.string(),
        keepsake: z.exactOptional(z.record(z.string(), z.unknown())),
      }),
    ),
  }),
);

export const intentEvents = () =>
  ({
    "tool_intent.proposed": z.object({
      intentId: z.string(),
      tool: z.string(),
      /** Redacted. The original, where it differs, is the artifact. */
      input: z.unknown(),
      original: z.exactOptional(z.string()),
      reason: z.exactOptional(z.string()),
      origin: origin(),
      createdAt: z.string(),
      menuHash: z.string(),
    }),
    "tool_intent.checked": z.object({
      intentId: z.string(),
      tool: z.string(),
      version: z.string(),
      schemaHash: z.string(),
      digest: z.string(),
      spellings: z.array(z.object({ written: z.string(), canonical: z.string() })),
    }),
    "tool_intent.revised": z.object({
      intentId: z.string(),
      /** Redacted. The original, where it differs, is the artifact. */
      input: z.unknown(),
      original: z.exactOptional(z.string()),
      hook: z.string(),
    }),
    "tool_intent.refused": z.object({
      intentId: z.string(),
      phase: z.enum(phases),
      code: z.enum(codeNames),
      message: z.string(),
      field: z.exactOptional(z.string()),
    }),
  }) as const;
