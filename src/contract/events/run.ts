import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { runStops } from "../app/agent.ts";

const model = lazy(() => z.object({ provider: z.string(), id: z.string() }));

/** What was piped in beside a message. Data: never an instruction and never an authorisation. */
const pipedData = lazy(() =>
  z.object({
    text: z.string(),
    bytes: z.number(),
    lines: z.number(),
    omittedBytes: z.number(),
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
      baseUrl: z.exactOptional(z.string()),
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
