import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { JobStatus } from "../../contract/ports.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { sessionEffects } from "../../contract/verdict.ts";
import { spellings } from "../file/input.ts";
import { summarizer } from "../summary.ts";
import { checkJob, jobField, jobSpellings, noSuchJob, shownJob, summarizeJob } from "./job.ts";

const longestWait = 600_000;

const input = lazy(() =>
  z.strictObject({
    id: jobField(),
    wait_ms: z.exactOptional(z.int().min(0).max(longestWait)).describe("Maximum wait for the end"),
    tail: z.exactOptional(z.int().min(1).max(10_000)).describe("Only the last lines"),
  }),
);
type TaskOutputInput = z.infer<ReturnType<typeof input>>;

export const taskOutput = defineTool<TaskOutputInput, JobStatus>({
  name: "task_output",
  version: "1",
  description: "Shows the state and output of a background command.",
  family: "terminal",
  risks: ["read"],
  searchHint: "background job log wait",
  aliases: aliasesOf("task_output"),
  inputAliases: { ...jobSpellings, ...spellings({ wait_ms: "timeout timeout_ms", tail: "lines" }) },
  input,
  readOnly: () => true,
  concurrency: () => "safe",
  timeoutMs: ({ wait_ms = 0 }) => wait_ms + 10_000,
  maxResultChars: 16_000,
  effects: ({ id }) => ({ effects: [{ op: "session", what: sessionEffects.readOutput(id) }] }),
  preconditions: ({ id }, view) => checkJob(view, id),

  async run({ id, wait_ms = 0 }, { jobs, workspace }) {
    const job = wait_ms === 0 ? jobs.get(id) : await jobs.wait(id, wait_ms);
    return job === undefined ? { ok: false, failure: noSuchJob(id) } : { ok: true, data: shownJob(job, workspace) };
  },

  summarize: summarizer(
    ({ id }) => `Output of ${id}`,
    (job, { tail }) => summarizeJob(job, { tail }),
  ),
});
