import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { Failure } from "../../contract/codes.ts";
import type { PreconditionView } from "../../contract/ports.ts";

export const jobField = lazy(() => z.string().min(1).max(200).describe("As bash named it"));

/** Field spellings that models know from elsewhere. */
export const jobSpellings = {
  job: "id",
  job_id: "id",
  jobId: "id",
  task_id: "id",
  taskId: "id",
  bash_id: "id",
  shell_id: "id",
} as const;

export function checkJob(view: PreconditionView, id: string): Failure | undefined {
  return view.job(id) === undefined ? noSuchJob(id) : undefined;
}

export function noSuchJob(id: string): Failure {
  return {
    code: "runtime_precondition_failed",
    field: "id",
    message: `There is no background job ${id} in this session.`,
    recovery: "Use an id that bash gave in this session; jobs end with the process that started them.",
    happened: "nothing",
  };
}
