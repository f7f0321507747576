import { clip } from "../../base/text.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { HookRemark } from "../../contract/verdict.ts";
import { delimited, type Mark } from "./delimit.ts";

const longestNote = 2_000;
const mostRemarks = 5;

/** Texts that are shown once, hold until another of their kind comes, and outlive every compaction. */
const standingMarks = [
  "session-environment",
  "project-instructions",
  "available-skills",
] as const satisfies readonly Mark[];
export type StandingMark = (typeof standingMarks)[number];

/** A message of ours. Marked as such to the model, bounded, and never an authorisation. */
export function runtimeNote(text: string): EventDraft {
  return ourMessage(delimited("runtime-note", clip(text, longestNote)));
}

/** What hooks want the model to know beside a message; of many the first. */
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
