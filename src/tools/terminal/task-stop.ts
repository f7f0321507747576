import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { JobStatus } from "../../contract/ports.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { sessionEffects } from "../../contract/verdict.ts";
import { summarizer } from "../summary.ts";
import { checkJob, jobField, jobSpellings, shownJob, summarizeJob } from "./job.ts";

const input = lazy(() => z.strictObject({ id: jobField() }));
type TaskStopInput = z.infer<ReturnType<typeof input>>;

export const taskStop = defineTool<TaskStopInput, JobStatus>({
  name: "task_stop",
  version: "1",
  description: "Stops a background command and everything it started.",
  family: "terminal",
  risks: ["execute"],
  searchHint: "kill cancel background job process",
  aliases: aliasesOf("task_stop"),
  inputAliases: jobSpellings,
  input,
  concurrency: ({ id }) => ({ key: `job:${id}` }),
  timeoutMs: () => 30_000,
  interrupt: "block",
  maxResultChars: 16_000,
  effects: ({ id }) => ({ effects: [{ op: "session", what: sessionEffects.stopJob(id) }] }),
  preconditions: ({ id }, view) => checkJob(view, id),

  async run({ id }, { jobs, workspace }) {
    const stopped = await jobs.stop(id);
    return stopped.ok ? { ok: true, data: shownJob(stopped.value, workspace) } : stopped;
  },

  summarize: summarizer(
    ({ id }) => `Stop ${id}`,
    (job) => summarizeJob(job),
  ),
});
