import type { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { EventId, SessionId } from "../ids.ts";
import { factEvents, transactionEvents, undoEvents, verificationEvents } from "./fact.ts";
import { hookRunEvents, intentEvents, invocationEvents, permissionEvents } from "./intent.ts";
import { contextEvents, modelEvents, runEvents } from "./run.ts";
import { serverEvents } from "./server.ts";
import { sessionEvents } from "./session.ts";

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

type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Families = ReturnType<typeof eventFamilies>;
type EventSchemas = AllOf<Families[keyof Families]>;

export const eventSchemas = lazy((): EventSchemas => Object.assign({}, ...Object.values(eventFamilies())));

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
