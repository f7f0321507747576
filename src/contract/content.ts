import { z } from "zod";
import { lazy } from "./lazy.ts";

/** What is at a path, without its content. */
export const entryFacts = lazy(() =>
  z.object({
    kind: z.enum(["file", "directory", "symlink", "special"]),
    mode: z.exactOptional(z.number()),
    /** Of a file that a transaction left there. */
    size: z.exactOptional(z.number()),
    mtimeMs: z.exactOptional(z.number()),
  }),
);
export type EntryFacts = z.infer<ReturnType<typeof entryFacts>>;

/** In older records: why the content before a command was not kept. */
export const unkeptReasons = [
  "left_out",
  "too_large",
  "over_budget",
  "closed",
  "other_names",
  "unreadable",
  "no_store",
] as const;

/** In older records: whether the call said that it would change this. */
export const attributions = ["call", "while_running"] as const;
