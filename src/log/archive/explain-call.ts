import type { AuditAnswer } from "../../contract/app/archive.ts";
import type { ArtifactStore } from "../../contract/artifact.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventType } from "../../contract/events/index.ts";
import { auditQuestions, type EventOf } from "./audit-questions.ts";
import type { RecordedCall } from "./find-call.ts";

/** Answers the auditor's questions about one call, each with the events that carry the answer. */
export function explainCall(call: RecordedCall, artifacts: ArtifactStore): Outcome<AuditAnswer> {
  const { session, imported, alsoIn, intentId, events } = call;
  const observed = events.find((event) => event.type === "tool.observed");
  if (observed?.type !== "tool.observed") {
    const reached = events.at(-1)?.type ?? "nothing";
    return fail("bad_request", `The call ${session}/${intentId} is still open; it has come as far as ${reached}.`, {
      recovery: "Ask again once it has ended, or read its events.",
    });
  }
  const { observation } = observed.data;
  const evidence = (id: string) => {
    const content = artifacts.read(id);
    return content.ok ? Buffer.from(content.value).toString("utf8") : undefined;
  };
  return ok({
    session,
    imported,
    alsoIn,
    intentId,
    observation,
    chain: events.map(({ seq, id, type, at }) => ({ seq, id, type, at })),
    questions: auditQuestions.map(({ question, answer }) => {
      const { text, brief, from } = answer({ of: (type) => eventsOf(events, type), observation, evidence });
      const short = brief === undefined ? {} : { brief };
      return { question, answer: text, ...short, events: from.map(({ id }) => id) };
    }),
  });
}

function eventsOf<Type extends EventType>(events: readonly Event[], type: Type): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}
