import type { EventType } from "../../src/contract/events/index.ts";

/** An event name of a source document and what carries the same fact here. */
export interface SeedEvent {
  readonly name: string;
  readonly ours: readonly EventType[];
  readonly note: string;
}

/** By source document. An empty `ours` says so in the note. */
export const seedEvents: Readonly<Record<string, readonly SeedEvent[]>> = {
  "Tool Runtime (000)": [
    {
      name: "tool.intent",
      ours: ["tool_intent.proposed"],
      note: "`rawInput` is `input`, redacted; the original is the artifact `original`.",
    },
    {
      name: "tool.validation",
      ours: ["tool_intent.checked", "tool_intent.refused"],
      note: "`ok: true` and `ok: false`; the phase tells lookup from validation.",
    },
    { name: "tool.permission", ours: ["permission.decided"], note: "Requests and answers are events of their own." },
    { name: "tool.invocation.started", ours: ["tool_invocation.started"], note: "" },
    { name: "tool.invocation.completed", ours: ["tool_invocation.ended"], note: "`exit` has `interrupted` as well." },
    { name: "tool.observation", ours: ["tool.observed"], note: "`observationId` is `auditId`, the id of the event." },
  ],
  "Provider Runtime (003)": [
    { name: "run.started", ours: ["run.started"], note: "" },
    { name: "model.started", ours: ["model.started"], note: "Recorded with the whole turn, once it is finished." },
    {
      name: "model.text_delta",
      ours: ["model.text"],
      note: "Pieces are told to whoever watches; the log has the whole.",
    },
    { name: "model.reasoning_delta", ours: ["model.reasoning"], note: "The same." },
    {
      name: "tool_intent.delta",
      ours: ["tool_intent.proposed"],
      note: "Pieces are told to whoever watches; a proposal is recorded when its arguments are complete.",
    },
    { name: "tool_intent.proposed", ours: ["tool_intent.proposed"], note: "" },
    { name: "model.usage", ours: ["model.usage"], note: "" },
    { name: "model.finished", ours: ["model.finished"], note: "" },
    { name: "provider.error", ours: ["provider.error"], note: "What the provider sent is the artifact `debug`." },
    { name: "tool.observed", ours: ["tool.observed"], note: "" },
  ],
  "Local Tool Bundle (004)": [
    { name: "tool_intent.created", ours: ["tool_intent.proposed"], note: "" },
    { name: "permission.decided", ours: ["permission.decided"], note: "" },
    {
      name: "tool_execution.started",
      ours: ["tool_invocation.started"],
      note: "Also written `tool.execution.started`.",
    },
    {
      name: "tool_execution.progress",
      ours: ["tool_invocation.progressed"],
      note: "Also written `tool.execution.progress`.",
    },
    { name: "tool_execution.completed", ours: ["tool_invocation.ended"], note: '`exit: "ok"`.' },
    { name: "tool_execution.failed", ours: ["tool_invocation.ended"], note: "Every other `exit`." },
    { name: "tool.validation.failed", ours: ["tool_intent.refused"], note: '`phase: "lookup"` or `"validate"`.' },
    { name: "tool.permission.requested", ours: ["permission.requested"], note: "" },
    {
      name: "tool.permission.denied",
      ours: ["permission.decided", "permission.answered", "tool_intent.refused"],
      note: 'By policy, by a person; the refusal has `phase: "permission"`.',
    },
    {
      name: "tool.output.truncated",
      ours: ["tool.observed"],
      note: "`observation.model.truncated` and `omittedBytes`; `false` is said too.",
    },
    {
      name: "file.diff.created",
      ours: ["file.changed", "artifact.stored"],
      note: "The diff is an artifact of kind `diff`.",
    },
  ],
  "Agent Tools (001)": [
    { name: "user.interrupt", ours: ["user.interrupt"], note: "" },
    {
      name: "user.tool_confirmation",
      ours: ["permission.answered"],
      note: "Bound to the digest of the input, not to the tool's name.",
    },
    { name: "session.status_changed", ours: ["session.status_changed"], note: "" },
    {
      name: "session.status_idle",
      ours: ["session.status_changed"],
      note: '`to: "idle"`, or `"requires_action"` with `blockingEventIds`.',
    },
    { name: "span.started", ours: ["tool_invocation.started"], note: "For spans of kind tool." },
    {
      name: "span.completed",
      ours: ["tool_invocation.ended", "permission.requested"],
      note: "A span that completes `blocked` is a pending request.",
    },
    {
      name: "agent.tool_use",
      ours: ["tool_intent.proposed", "tool.observed"],
      note: "Two facts: `output: null` is an intent that was not observed yet.",
    },
    { name: "user.message", ours: ["user.message"], note: "`by` tells a person's words from notes of the runtime." },
    { name: "agent.message", ours: ["model.text"], note: "What a model said: a claim, not a fact." },
    { name: "user.define_outcome", ours: [], note: "Comes with outcomes." },
    { name: "user.custom_tool_result", ours: [], note: "Comes with custom tools." },
    { name: "agent.custom_tool_use", ours: [], note: "Comes with custom tools." },
    { name: "session.child_created", ours: [], note: "Comes with delegation." },
    { name: "session.child_idle", ours: [], note: "Comes with delegation." },
  ],
};
