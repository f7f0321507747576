import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { runStops } from "../app/agent.ts";

const model = lazy(() => z.object({ provider: z.string(), id: z.string() }));

/** What was piped in beside a message. Data: never an instruction and never an authorisation. */
const pipedData = lazy(() =>
  z.object({
    /** As the model is shown it. */
    text: z.string(),
    bytes: z.number(),
    lines: z.number(),
    /** How many of these bytes are not in `text`. */
    omittedBytes: z.number(),
    /** Id of the artifact that holds all of it. */
    artifact: z.string(),
  }),
);
export type PipedData = z.infer<ReturnType<typeof pipedData>>;

export const runEvents = () =>
  ({
    "run.started": z.object({
      runId: z.string(),
      goal: z.string(),
      model: model(),
      /** Where it is asked, if the caller named an address of its own. */
      baseUrl: z.exactOptional(z.string()),
      /** Why this model. */
      chosen: z.string(),
      limits: z.object({
        maxTurns: z.exactOptional(z.number()),
        maxCostUsd: z.exactOptional(z.number()),
        maxTokens: z.exactOptional(z.number()),
        maxMs: z.exactOptional(z.number()),
      }),
    }),
    "run.ended": z.object({
      runId: z.string(),
      stop: z.enum(runStops),
      detail: z.exactOptional(z.string()),
      turns: z.number(),
    }),
    /** `runtime`: a note of ours, marked as such to the model and bounded. It is never an authorisation. */
    "user.message": z.object({
      text: z.string(),
      by: z.enum(["person", "program", "runtime"]),
      piped: z.exactOptional(pipedData()),
    }),
  }) as const;
