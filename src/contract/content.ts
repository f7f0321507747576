import { z } from "zod";
import { lazy } from "./lazy.ts";

/** What stands at a path, but for its content. */
export const entryFacts = lazy(() =>
  z.object({
    kind: z.enum(["file", "directory", "symlink", "special"]),
    mode: z.exactOptional(z.number()),
  }),
);
export type EntryFacts = z.infer<ReturnType<typeof entryFacts>>;

/** Why the content before a command was not kept. A closed list. */
export const unkeptReasons = [
  "left_out",
  "too_large",
  "over_budget",
  "closed",
  "other_names",
  "unreadable",
  "no_store",
] as const;
export type Unkept = (typeof unkeptReasons)[number];

/**
 * Whose change a scan found. `call`: the call named the place, runs a program that is known to write there, or nothing
 * but programs writes there. `while_running`: it changed while the call ran, and that is all that is known.
 */
export const attributions = ["call", "while_running"] as const;
export type Attribution = (typeof attributions)[number];
