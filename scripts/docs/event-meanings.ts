import type { EventType, eventFamilies } from "../../src/contract/events/index.ts";

/** A type without a meaning does not compile. */
export const eventMeanings: Readonly<Record<EventType, string>> = {
  "session.created":
    "The first event of every session: where it works, in which mode, under which isolation and settings.",
  "session.resumed": "Another process goes on with the session.",
  "session.forked":
    "The events before this one are those of another session up to a point of it; this session goes on from there.",
  "session.status_changed":
    "The session is idle, at work, waits for a person (`blockingEventIds` name the questions) or has ended.",
  "session.mode_changed": "The permission mode was changed by a person, never by a model.",
  "session.cwd_changed": "The shell's working directory for the next command.",
  "session.definition_changed": "A tool whose definition was frozen for this session is another one now, or is gone.",
  "user.interrupt": "A person stopped what was going on. Clears pending requests.",
  "run.started": "A task was taken up: the goal in the person's words, the model and why it was chosen, the limits.",
  "run.ended": "The task's run is over, and why.",
  "user.message":
    "What a person or a program said to the model, with what was piped in beside it, or a note of the runtime, marked as such.",
  "context.projected": "What a model was, or would be, shown: the menu by schema hash, the exact input by artifact.",
  "context.compacted": "Older history is shown to the model only through its facts from now on. The events stay.",
  "model.started": "A model was asked.",
  "model.text": "What the model said. A claim, not a fact.",
  "model.reasoning": "What may be shown of the model's reasoning. Nothing is decided by it.",
  "model.usage": "What a turn cost, or an answer for a server, as the provider counted it.",
  "model.finished": "The model's answer is complete, and why it ended.",
  "provider.error": "The model could not be asked or its answer could not be used. Never an error of a tool.",
  "provider.retry_scheduled": "The same request will be put again after a while.",
  "provider.fallback_selected": "Another model takes over, and why.",
  "verification.recorded":
    "A command that checks the work ran: what it checked, whether it passed, after which change.",
  "claim.checked": "A statement of the final answer was held against the recorded checks.",
  "tool_intent.proposed": "A call was proposed. A request, not an action; recorded before anything is looked at.",
  "tool_intent.checked": "The tool exists and is visible, and the input passed its schema and preconditions.",
  "tool_intent.revised": "A hook put another input in the place of the proposed one; it is checked and judged anew.",
  "tool_intent.refused": "The call ended before any effect: in which phase, with which code, because of which field.",
  "permission.decided": "The gate's verdict on what the call would touch, with the rule, the source and the risk.",
  "permission.requested": "A person has to agree. Durable: it can be answered by a later process.",
  "permission.answered": "How the question ended, who answered, and the exact scope that was agreed to.",
  "permission.rule_saved": "The rules of an answer for always stand in the person's own file, and hold from now on.",
  "tool_invocation.queued": "The call has to wait for its lane.",
  "tool_invocation.started": "Stored before the tool runs: what runs, where, by which executor, under which isolation.",
  "tool_invocation.progressed": "A sign of life of a running call.",
  "tool_invocation.ended":
    "The tool is no longer running. `interrupted` when its process died: never run again by itself.",
  "job.started": "A command goes on in the background.",
  "job.ended":
    "A background command ended, was stopped, or was lost with its process. `unrecorded` says why what it changed is not on record.",
  "artifact.stored": "Large evidence was kept by its content hash.",
  "artifact.read": "Someone read protected evidence.",
  "file.change_planned": "Several files are about to change together. After a crash in between they are put back.",
  "file.read": "A file was read; its hash is the baseline that edits are checked against.",
  "transaction.captured": "A command ended; what it changed in its view is known and not yet in the workspace.",
  "transaction.decided":
    "Whether the changes of a command are applied, discarded or kept for later, why, and who decided.",
  "transaction.ended": "The changes were applied, discarded or kept for later, or applying them failed.",
  "file.changed": "A file was created, modified, deleted or moved, by a tool or found after a command.",
  "connection.made":
    "A command or the program of a server tried to reach another machine: which, whether it came about, who decided, how much was sent.",
  "file.forgotten": "The session no longer vouches for what it knew of this file.",
  "undo.planned": "Calls are about to be taken back: which, and what will happen to which path.",
  "undo.done":
    "The undo is over; the changes before it with its id say what it did. After a failure it can be asked for again.",
  "hook.ran": "A program that a person set up was run: at which event, how it ended, what it decided and said.",
  "context.tools_loaded": "The model asked for the schemas of deferred tools: they are in every input from now on.",
  "skill.activated":
    "A skill is being followed until the person speaks again. With a list of tools it leaves only these.",
  "server.changed": "An MCP server came, went or failed, and which protocol revision was agreed on.",
  "server.tool_changed": "A server describes a tool in other words than those that somebody agreed to; it asks again.",
  "server.elicited": "A server wanted to know something from the person.",
  "server.elicitation_answered": "Whether the person answered. What was answered goes to the server only.",
  "server.sampled": "A server wanted the model to say something, and what was decided.",
  "tool.observed": "The one end of every intent: the complete observation.",
};

export const familyTitles: Readonly<Record<keyof ReturnType<typeof eventFamilies>, string>> = {
  session: "Session",
  run: "Run",
  context: "Context",
  model: "Model",
  intent: "Intent",
  permission: "Permission",
  invocation: "Invocation",
  transaction: "Transaction",
  fact: "Facts",
  verification: "Verification",
  undo: "Undo",
  hook: "Hook",
  server: "Server",
};
