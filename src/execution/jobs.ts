import { longestTimer, timerMs } from "../base/async.ts";
import { messageOf } from "../base/text.ts";
import type { OutputStream } from "../contract/artifact.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, Ids, InvocationId, JobId } from "../contract/ids.ts";
import type { JobStatus, Jobs, NetworkFacts, RunningProcess } from "../contract/ports.ts";
import type { Spool } from "./spool.ts";

const keptEnded = 32;

export interface AdoptedProcess {
  readonly invocationId: InvocationId;
  readonly command: string;
  readonly process: RunningProcess;
  readonly stdout: Spool;
  readonly stderr: Spool;
  readonly deadlineMs?: number;
  readonly factsAtEnd: () => Promise<readonly EventDraft[]>;
  readonly notable?: () => readonly ChangedFile[];
  readonly changes?: () => JobStatus["settled"];
  readonly network?: () => NetworkFacts;
}

export interface JobTable extends Jobs {
  /** Fails if the job could not be recorded; the caller must then end the process. */
  adopt(work: AdoptedProcess): Outcome<JobId>;
  stopAll(): Promise<void>;
}

interface Job extends AdoptedProcess {
  readonly id: JobId;
  readonly startedAt: string;
  stopping: boolean;
  end?: { readonly state: "stopped" | "ended"; readonly exitCode: number | null; readonly signal: string | null };
  streams?: { readonly stdout: OutputStream; readonly stderr: OutputStream };
  unrecorded?: string;
  readonly settled: Promise<void>;
}

export function createJobTable(options: {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly record: (drafts: readonly EventDraft[]) => Outcome<unknown>;
}): JobTable {
  const jobs = new Map<JobId, Job>();

  async function settle(job: Job): Promise<void> {
    const { deadlineMs = longestTimer } = job;
    const deadline = setTimeout(() => void stop(job), timerMs(deadlineMs)).unref();
    const exit = await job.process.exited;
    clearTimeout(deadline);
    const [stdout, stderr] = await Promise.all([job.stdout.finish(), job.stderr.finish()]);
    job.streams = {
      stdout: stdout.ok ? stdout.value : job.stdout.snapshot(),
      stderr: stderr.ok ? stderr.value : job.stderr.snapshot(),
    };
    const state = job.stopping ? "stopped" : "ended";
    job.end = { state, exitCode: exit.exitCode, signal: exit.signal };
    forgetOldest();
    let facts: readonly EventDraft[] = [];
    try {
      facts = await job.factsAtEnd();
    } catch (error) {
      // A bug: the job has still ended, and must not count as one without changes.
      job.unrecorded = messageOf(error);
    }
    const { id: jobId, invocationId, streams, unrecorded } = job;
    const stored = [streams.stdout, streams.stderr].flatMap(({ artifact }): EventDraft[] =>
      artifact === undefined ? [] : [{ type: "artifact.stored", data: { invocationId, artifact } }],
    );
    const ended = { jobId, ...job.end, unrecorded };
    options.record([...facts, ...stored, { type: "job.ended", data: ended }]);
  }

  function forgetOldest(): void {
    const ended = [...jobs.values()].filter((job) => job.end !== undefined);
    for (const job of ended.slice(0, Math.max(0, ended.length - keptEnded))) jobs.delete(job.id);
  }

  async function stop(job: Job): Promise<void> {
    job.stopping = job.end === undefined;
    await job.process.kill();
    await job.settled;
  }

  return {
    adopt(work) {
      const id = options.ids.next("job");
      const startedAt = new Date(options.clock.now()).toISOString();
      const { invocationId, command } = work;
      const recorded = options.record([{ type: "job.started", data: { jobId: id, invocationId, command, startedAt } }]);
      if (!recorded.ok) return recorded;
      const job: Job = { ...work, id, startedAt, stopping: false, settled: Promise.resolve().then(() => settle(job)) };
      jobs.set(id, job);
      return ok(id);
    },
    list: () => [...jobs.values()].map(statusOf),
    get(id) {
      const job = jobs.get(id);
      return job && statusOf(job);
    },
    async wait(id, timeoutMs) {
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      const timeUp = Promise.withResolvers<void>();
      const timer = setTimeout(timeUp.resolve, timerMs(timeoutMs));
      await Promise.race([job.settled, timeUp.promise]);
      clearTimeout(timer);
      return statusOf(job);
    },
    async stop(id) {
      const job = jobs.get(id);
      if (job === undefined) return fail("runtime_precondition_failed", `There is no background job ${id}.`);
      await stop(job);
      return ok(statusOf(job));
    },
    async stopAll() {
      await Promise.all([...jobs.values()].filter((job) => job.end === undefined).map(stop));
    },
  };
}

function statusOf(job: Job): JobStatus {
  const { id, command, end, startedAt, streams, unrecorded } = job;
  const settled = unrecorded === undefined ? job.changes?.() : undefined;
  return {
    ...{ id, state: "running", command, startedAt, unrecorded },
    ...(end && { ...end, notable: job.notable?.(), settled }),
    stdout: streams?.stdout ?? job.stdout.snapshot(),
    stderr: streams?.stderr ?? job.stderr.snapshot(),
    ...job.network?.(),
  };
}
