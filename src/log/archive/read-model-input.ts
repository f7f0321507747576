import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventData } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { EventName } from "../event-names.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { withSession } from "../sqlite/session-reader.ts";
import { eventNamed } from "../sqlite/session-rows.ts";

type Input = NonNullable<EventData<"context.projected">["modelInput"]>;

function addedBy({ added, artifact }: Input, { artifacts }: StoreParts): Outcome<Uint8Array> {
  if (added !== undefined) return ok(Buffer.from(added));
  return artifact === undefined
    ? fail("bad_request", "What was new in an input is not recorded.")
    : artifacts.read(artifact);
}

/** The exact bytes that a model was sent in one turn, put together from the parts that each turn added. */
export function readModelInput(parts: StoreParts, session: SessionId, turnId: string): Outcome<string> {
  return withSession(parts.layout, session, "read the model's input", ({ database }) => {
    let reached = Number.POSITIVE_INFINITY;
    // Each of them before the one that continues it, or there would be no end.
    const inputNamed = (name: EventName): Input | undefined => {
      const event = database === undefined ? undefined : eventNamed(database, name, parts.upcaster);
      if (event?.type !== "context.projected" || event.seq >= reached) return undefined;
      reached = event.seq;
      return event.data.modelInput;
    };
    const pieces: Uint8Array[] = [];
    let input = inputNamed({ role: "turn", name: turnId });
    if (input === undefined)
      return fail("bad_request", `No input of a model is recorded for ${JSON.stringify(turnId)}.`);
    while (input !== undefined) {
      const piece = addedBy(input, parts);
      if (!piece.ok) return piece;
      pieces.unshift(piece.value);
      const before: string | undefined = input.continues;
      if (before === undefined) return ok(Buffer.concat(pieces).toString("utf8"));
      input = inputNamed({ role: "input", name: before });
    }
    return fail("bad_request", `The input of ${turnId} continues one that is not recorded before it.`);
  });
}
