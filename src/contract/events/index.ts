import type { z } from "zod";
import type { EventId, SessionId } from "../ids.ts";
import { contextEvents } from "./context.ts";
import { factEvents } from "./fact.ts";
import { hookRunEvents } from "./hook.ts";
import { intentEvents } from "./intent.ts";
import { invocationEvents } from "./invocation.ts";
import { permissionEvents } from "./permission.ts";
import { sessionEvents } from "./session.ts";

export const eventFamilies = {
  session: sessionEvents,
  context: contextEvents,
  intent: intentEvents,
  permission: permissionEvents,
  invocation: invocationEvents,
  fact: factEvents,
  hook: hookRunEvents,
} as const;

export const eventSchemas = {
  ...sessionEvents,
  ...contextEvents,
  ...intentEvents,
  ...permissionEvents,
  ...invocationEvents,
  ...factEvents,
  ...hookRunEvents,
} as const;

export type EventType = keyof typeof eventSchemas;
export type EventData<Type extends EventType> = z.infer<(typeof eventSchemas)[Type]>;

/** What is handed to the log. */
export type EventDraft = {
  [Type in EventType]: {
    readonly type: Type;
    readonly data: EventData<Type>;
    /** Given by whoever has to name the event before it is stored. */
    readonly id?: EventId;
  };
}[EventType];

/** One fact. `hash` covers the stored bytes and `prev`. */
export type Event = EventDraft & {
  readonly seq: number;
  readonly id: EventId;
  readonly session: SessionId;
  readonly at: string;
  /** Version of the payload's shape; old ones are upcast on read. */
  readonly v: number;
  readonly prev: string;
  readonly hash: string;
};
