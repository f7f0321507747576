import { z } from "zod";
import { modes } from "../verdict.ts";

export const sessionEvents = () =>
  ({
    "session.created": z.object({
      workspace: z.string(),
      roots: z.array(z.string()),
      mode: z.enum(modes),
      sandbox: z.object({ backend: z.string(), enforces: z.boolean() }),
      settings: z.object({
        hash: z.string(),
        layers: z.array(z.string()),
        /** Hashes of the project's items that a person trusts. */
        trusted: z.exactOptional(z.array(z.string())),
      }),
      runtime: z.object({ gauntlet: z.string(), node: z.string(), platform: z.string() }),
      importedFrom: z.exactOptional(z.object({ session: z.string(), head: z.string() })),
    }),
    "session.resumed": z.object({
      by: z.string(),
      mode: z.enum(modes),
      sandbox: z.object({ backend: z.string(), enforces: z.boolean() }),
    }),
    "session.forked": z.object({ from: z.string(), seq: z.number(), head: z.string() }),
    "session.status_changed": z.object({
      from: z.enum(["idle", "running", "requires_action", "ended"]),
      to: z.enum(["idle", "running", "requires_action", "ended"]),
      reason: z.string(),
      blockingEventIds: z.exactOptional(z.array(z.string())),
    }),
    "session.mode_changed": z.object({ from: z.enum(modes), to: z.enum(modes), by: z.string() }),
    "session.cwd_changed": z.object({ from: z.string(), to: z.string() }),
    "session.definition_changed": z.object({
      tool: z.string(),
      from: z.object({ version: z.string(), schemaHash: z.string() }),
      to: z.exactOptional(z.object({ version: z.string(), schemaHash: z.string() })),
    }),
    "user.interrupt": z.object({ note: z.exactOptional(z.string()) }),
  }) as const;
