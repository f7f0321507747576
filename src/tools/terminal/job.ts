import { Buffer } from "node:buffer";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { OutputStream } from "../../contract/artifact.ts";
import type { Failure } from "../../contract/codes.ts";
import type { JobStatus, PreconditionView, WorkspaceFacts } from "../../contract/ports.ts";
import type { ContentDraft, Summary } from "../../contract/tool.ts";
import { spellings } from "../file/input.ts";
import { changesOf, networkNotes, outputDrafts, settledNotes } from "./bash-summary.ts";
import { knownOutput, shownCommand, streamFacts } from "./command-text.ts";
import { notableNote, shownChange, shownChanges, shownSettled } from "./shown-changes.ts";
import { recognizeTests } from "./test-report.ts";

/** As shown to the model: paths relative inside the workspace. */
export function shownJob(job: JobStatus, workspace: WorkspaceFacts): JobStatus {
  const { notable = [], settled } = job;
  const shown = { ...job, notable: notable.map((change) => shownChange(change, workspace)) };
  if (settled === undefined || settled === "waiting") return shown;
  const changed = settled.changed.map((change) => shownChange(change, workspace));
  return { ...shown, settled: { ...shownSettled(settled, workspace), changed } };
}

export function summarizeJob(job: JobStatus, { tail }: { readonly tail?: number } = {}): Omit<Summary, "title"> {
  const sentence = `${shownCommand(job.command)} (${job.id}) ${stateOf(job)}.`;
  const tests =
    job.state === "ended" ? recognizeTests(`${knownOutput(job.stdout)}\n${knownOutput(job.stderr)}`) : undefined;
  const { notable = [], unrecorded } = job;
  const settled = job.settled === "waiting" ? undefined : job.settled;
  const waits = job.settled === "waiting" ? "Its changes wait for an answer and are not in the workspace yet." : "";
  const unknown =
    unrecorded === undefined ? (settled?.failure?.message ?? waits) : `Its changes are unknown: ${unrecorded}`;
  return {
    summary: sentence,
    model: [
      ...(tail === undefined ? outputDrafts(job, nothingFrom(job)) : lastLines(job, tail)),
      ...networkNotes(job),
      ...shownChanges(notable, "files changed by the command, among others"),
      ...shownChanges(settled?.changed ?? [], "files changed by the command"),
      ...settledNotes(settled, undefined),
      ...(unknown === "" ? [] : [{ format: "text" as const, text: unknown }]),
    ],
    user: [`${sentence}${notableNote(notable)}`, unknown].filter((part) => part !== "").join(" "),
    data: {
      id: job.id,
      state: job.state,
      command: job.command,
      startedAt: job.startedAt,
      exitCode: job.exitCode,
      signal: job.signal,
      ...streamFacts(job),
      notable: notable.length === 0 ? undefined : notable,
      unrecorded,
      changes: job.settled === "waiting" ? { state: "pending" } : settled && changesOf(settled),
      tests,
    },
    omittedBytes: tail && leftOut(job.stdout, tail) + leftOut(job.stderr, tail),
  };
}

function nothingFrom({ state }: JobStatus): string {
  return state === "running" ? "(no output yet)" : "(no output)";
}

const states = {
  running: "is still running",
  stopped: "was stopped",
  interrupted: "was interrupted; its effects are unknown",
} as const;

function stateOf({ state, exitCode, signal }: JobStatus): string {
  if (state !== "ended") return states[state];
  return signal ? `was ended by ${signal}` : `ended with exit code ${exitCode ?? "unknown"}`;
}

function lastLines(job: JobStatus, tail: number): readonly ContentDraft[] {
  const drafts = (["stdout", "stderr"] as const).flatMap((label): readonly ContentDraft[] => {
    const stream = job[label];
    if (stream.binary) return [{ format: "stream", label, stream }];
    const text = lastOf(stream, tail);
    return text === "" ? [] : [{ format: "text", label: `${label}, last lines`, text }];
  });
  return drafts.length > 0 ? drafts : [{ format: "text", text: nothingFrom(job) }];
}

function lastOf(stream: OutputStream, lines: number): string {
  const text = stream.complete ?? stream.tail;
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let count = 0; count < lines && start > 0; count += 1) start = text.lastIndexOf("\n", start - 1);
  return text.slice(Math.max(0, start + 1));
}

function leftOut(stream: OutputStream, lines: number): number {
  return stream.binary ? 0 : Math.max(0, stream.bytes - Buffer.byteLength(lastOf(stream, lines)));
}

export const jobField = lazy(() => z.string().min(1).max(200).describe("Id from bash"));

export const jobSpellings = spellings({ id: "job job_id task_id bash_id shell_id" });

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
