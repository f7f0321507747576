import type { EventDraft } from "../contract/events/index.ts";
import { artifactId } from "./artifacts/artifact-file.ts";

/** A name under which an event can be found again without reading the log from its start. */
export interface EventName {
  readonly role: "intent" | "invocation" | "request" | "job" | "job_end" | "audit" | "menu" | "turn" | "input";
  readonly name: string;
}

type WithId = `job.${"started" | "ended"}` | "tool_invocation.started" | "permission.requested";
type WithArtifact =
  | "tool_intent.revised"
  | "provider.error"
  | "artifact.stored"
  | "transaction.captured"
  | "file.changed";

/** A new type of event does not compile until its ids and artifacts are found below, or it is named here. */
type WithoutId = Extract<
  EventDraft["type"],
  | `session.${"created" | "cwd_changed" | "definition_changed" | "forked" | "mode_changed" | "resumed" | "status_changed"}`
  | `tool_intent.${"checked" | "refused"}`
  | `tool_invocation.${"ended" | "progressed" | "queued"}`
  | `permission.${"answered" | "decided" | "rule_saved"}`
  | `model.${"finished" | "reasoning" | "started" | "text" | "usage"}`
  | `provider.${"fallback_selected" | "retry_scheduled"}`
  | `file.${"change_planned" | "forgotten" | "read"}`
  | `server.${"changed" | "elicitation_answered" | "elicited" | "sampled" | "tool_changed"}`
  | `transaction.${"decided" | "ended"}`
  | `context.${"compacted" | "tools_loaded"}`
  | `run.${"ended" | "started"}`
  | `undo.${"done" | "planned"}`
  | `user.${"interrupt" | "message"}`
  | "artifact.read"
  | "claim.checked"
  | "connection.made"
  | "hook.ran"
  | "skill.activated"
  | "verification.recorded"
>;

export function namesOf(event: EventDraft & { readonly id: string }): readonly EventName[] {
  switch (event.type) {
    case "tool_intent.proposed":
      return [{ role: "intent", name: event.data.intentId }];
    case "tool_invocation.started":
      return [{ role: "invocation", name: event.data.invocationId }];
    case "permission.requested":
      return [{ role: "request", name: event.data.requestId }];
    case "job.started":
      return [{ role: "job", name: event.data.jobId }];
    case "job.ended":
      return [{ role: "job_end", name: event.data.jobId }];
    case "tool.observed":
      return [{ role: "audit", name: event.id }];
    case "context.projected": {
      const { menu, menuHash, turnId, modelInput } = event.data;
      return [
        ...(menu === undefined ? [] : [{ role: "menu", name: menuHash } as const]),
        ...(turnId === undefined ? [] : [{ role: "turn", name: turnId } as const]),
        ...(modelInput === undefined ? [] : [{ role: "input", name: modelInput.hash } as const]),
      ];
    }
    default:
      event.type satisfies WithoutId | WithArtifact;
      return [];
  }
}

export function carries(event: EventDraft & { readonly id: string }, wanted: EventName): boolean {
  return namesOf(event).some(({ role, name }) => role === wanted.role && name === wanted.name);
}

/** Artifacts that the event refers to. Ids inside free text do not count. */
export function artifactsOf(event: EventDraft): readonly string[] {
  switch (event.type) {
    case "tool_intent.proposed":
    case "tool_intent.revised":
      return event.data.original === undefined ? [] : [event.data.original];
    case "context.projected":
      return event.data.modelInput?.artifact === undefined ? [] : [event.data.modelInput.artifact];
    case "provider.error":
      return event.data.debug === undefined ? [] : [event.data.debug];
    case "artifact.stored":
      return [event.data.artifact.id];
    case "transaction.captured":
      return event.data.artifact === undefined ? [] : [event.data.artifact];
    case "file.changed":
      return (event.data.artifacts ?? []).map(({ id }) => id);
    case "tool.observed":
      return event.data.observation.artifacts.map(({ id }) => id);
    default:
      event.type satisfies WithoutId | WithId;
      return [];
  }
}

/**
 * Artifacts that this event protects from pruning. A planned change names artifacts for recovery that may not exist.
 */
export function artifactsKeptFor(event: EventDraft): readonly string[] {
  if (event.type !== "file.change_planned") return artifactsOf(event);
  return event.data.changes
    .flatMap(({ before, after }) => (before === undefined ? [after] : [before, after]))
    .map(artifactId);
}
