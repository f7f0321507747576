import { expect, test } from "vitest";
import { type EndedJob, endedJobsNote } from "./notes.ts";

const ended: EndedJob = { jobId: "job_1", state: "ended", exitCode: 0, signal: null, command: "make" };

test("an end is told with what is not known of it", () => {
  const note = endedJobsNote([ended, { ...ended, jobId: "job_2", unrecorded: "a bug" }], () => false);
  expect(note[0]?.data).toMatchObject({
    text: [
      "<runtime-note>",
      "Background commands that ended since your last turn:",
      "- job_1 ended, exit 0; its output is gone (make)",
      "- job_2 ended, exit 0; its changes are unknown; its output is gone (make)",
      "</runtime-note>",
    ].join("\n"),
  });
});
