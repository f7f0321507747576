import { z } from "zod";
import type { HostAndPort } from "./host-scope.ts";
import { lazy } from "./lazy.ts";

/** One attempt of a command to reach another machine, and what came of it. */
export const connection = lazy(() =>
  z.object({
    /** `?` when the request could not be read. */
    host: z.string(),
    port: z.number(),
    /** The address that was connected to, or that was the reason for a refusal. */
    address: z.exactOptional(z.string()),
    outcome: z.enum(["connected", "refused", "failed"]),
    reason: z.exactOptional(z.string()),
    /** The rule, the permit, the mode or the person that let it through or not. */
    decidedBy: z.exactOptional(z.string()),
    bytesUp: z.number(),
    bytesDown: z.number(),
    startedAt: z.string(),
    endedAt: z.string(),
  }),
);
export type Connection = z.infer<ReturnType<typeof connection>>;

export type ConnectionAnswer =
  | { readonly answer: "allow"; readonly by: string }
  | { readonly answer: "refuse"; readonly why: string; readonly by?: string };

/** Whoever is asked and told about the connections of one command. */
export interface Connections {
  /** For a host that the profile neither allows nor denies. `because` is the rule that wants the question. */
  ask(
    target: HostAndPort,
    options: { readonly because?: string; readonly signal: AbortSignal },
  ): Promise<ConnectionAnswer>;
  /** False when it could not be stored: nothing more is let through then. */
  record(connection: Connection): boolean;
}
