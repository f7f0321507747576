import { clip } from "../../base/text.ts";
import type { Event, EventData, EventDraft } from "../../contract/events/index.ts";
import type { HookRemark } from "../../contract/verdict.ts";
import { delimited, type Mark } from "./delimit.ts";

const longestNote = 2_000;
const mostRemarks = 5;

/** Texts that are shown once, are valid until the next of their kind, and survive every compaction. */
const standingMarks = [
  "session-environment",
  "project-instructions",
  "available-skills",
] as const satisfies readonly Mark[];
export type StandingMark = (typeof standingMarks)[number];

/** A message of the runtime: marked, bounded, and never an authorisation. */
export function runtimeNote(text: string): EventDraft {
  return ourMessage(delimited("runtime-note", clip(text, longestNote)));
}

export function hookNotes(remarks: readonly HookRemark[]): readonly EventDraft[] {
  return remarks.slice(0, mostRemarks).map(({ hook, text }) => runtimeNote(`The hook ${hook} adds:\n${text}`));
}

export function standingText(mark: StandingMark, text: string): OurMessage {
  return ourMessage(delimited(mark, text));
}

export function standingKind(text: string): StandingMark | undefined {
  return standingMarks.find((mark) => text.startsWith(`<${mark}>`));
}

type OurMessage = Extract<EventDraft, { type: "user.message" }>;

function ourMessage(text: string): OurMessage {
  return { type: "user.message", data: { text, by: "runtime" } };
}

export interface EndedJob extends EventData<"job.ended"> {
  readonly command?: string;
}

export function createEndedJobs() {
  const running = new Map<string, string>();
  const ended = new Map<string, EndedJob>();
  return {
    untold: (): readonly EndedJob[] => [...ended.values()],
    fold(event: Event): void {
      switch (event.type) {
        case "job.started":
          running.set(event.data.jobId, event.data.command);
          return;
        case "job.ended": {
          const { jobId } = event.data;
          ended.set(jobId, { ...event.data, command: running.get(jobId) });
          running.delete(jobId);
          return;
        }
        case "tool.observed": {
          // A call that read it after its end has already shown the end.
          const { id, state } = event.data.observation.data ?? {};
          if (id !== undefined && state !== undefined && state !== "running") ended.delete(String(id));
          return;
        }
        case "user.message":
          if (event.data.by !== "runtime") return;
          for (const id of ended.keys()) if (event.data.text.includes(id)) ended.delete(id);
      }
    },
  };
}

const mostTold = 8;
const longestCommand = 100;

/** `isKept`: the output can still be read. */
export function endedJobsNote(jobs: readonly EndedJob[], isKept: (id: string) => boolean): readonly EventDraft[] {
  if (jobs.length === 0) return [];
  const rows = jobs.slice(0, mostTold).map((job) => {
    const { jobId, command, unrecorded } = job;
    const read = isKept(jobId) ? `; read it with task_output {"id":"${jobId}"}` : "; its output is gone";
    const lost = unrecorded === undefined ? "" : "; its changes are unknown";
    const ran = command === undefined ? "" : ` (${clip(command.replaceAll(/\s+/g, " ").trim(), longestCommand)})`;
    return `- ${jobId} ${howEnded(job)}${lost}${read}${ran}`;
  });
  return [runtimeNote(["Background commands that ended since your last turn:", ...rows].join("\n"))];
}

function howEnded({ state, exitCode, signal }: EndedJob): string {
  if (state === "stopped") return "was stopped";
  if (state === "interrupted") return "was interrupted with the process that ran it";
  return signal ? `was ended by ${signal}` : `ended, exit ${exitCode ?? "unknown"}`;
}
