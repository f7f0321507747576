import type { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { EventId, SessionId } from "../ids.ts";
import { contextEvents } from "./context.ts";
import { factEvents } from "./fact.ts";
import { hookRunEvents } from "./hook.ts";
import { intentEvents } from "./intent.ts";
import { invocationEvents } from "./invocation.ts";
import { modelEvents } from "./model.ts";
import { permissionEvents } from "./permission.ts";
import { runEvents } from "./run.ts";
import { serverEvents } from "./server.ts";
import { sessionEvents } from "./session.ts";
import { transactionEvents } from "./transaction.ts";
import { undoEvents } from "./undo.ts";
import { verificationEvents } from "./verification.ts";

export const eventFamilies = lazy(
  () =>
    ({
      session: sessionEvents(),
      run: runEvents(),
      context: contextEvents(),
      model: modelEvents(),
      intent: intentEvents(),
      permission: permissionEvents(),
      invocation: invocationEvents(),
      fact: factEvents(),
      transaction: transactionEvents(),
      verification: verificationEvents(),
      undo: undoEvents(),
      hook: hookRunEvents(),
      server: serverEvents(),
    }) as const,
);

export const eventSchemas = lazy(() => {
  const families = eventFamilies();
  return {
    ...families.session,
    ...families.run,
    ...families.context,
    ...families.model,
    ...families.intent,
    ...families.permission,
    ...families.invocation,
    ...families.fact,
    ...families.transaction,
    ...families.verification,
    ...families.undo,
    ...families.hook,
    ...families.server,
  } as const;
});

type EventSchemas = ReturnType<typeof eventSchemas>;
export type EventType = keyof EventSchemas;
export type EventData<Type extends EventType> = z.infer<EventSchemas[Type]>;

export type EventDraft = {
  [Type in EventType]: {
    readonly type: Type;
    readonly data: EventData<Type>;
    readonly id?: EventId;
  };
}[EventType];

export type Event = EventDraft & {
  readonly seq: number;
  readonly id: EventId;
  readonly session: SessionId;
  readonly at: string;
  readonly v: number;
  readonly prev: string;
  readonly hash: string;
};
